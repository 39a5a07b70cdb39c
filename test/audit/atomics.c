// An atomic counter: what an increment finds depends on the order.
// plant: memory * *
// names: memory|atomic|independent
#include <stdatomic.h>

#include "audit.h"
static atomic_int n;
static int got[2];
static void first(void)
{
	got[0] = atomic_fetch_add(&n, 1);
}
static void second(void)
{
	got[1] = atomic_fetch_add(&n, 1);
}
PROGRAM(first, second)
