// A spin lock that another thread tries.
// plant: memory * *
// names: memory|spin
#include "audit.h"
static pthread_spinlock_t l;
static void init(void)
{
	pthread_spin_init(&l, 0);
}
static void owner(void)
{
	pthread_spin_lock(&l);
	pause_here();
	pthread_spin_unlock(&l);
}
static void other(void)
{
	if (!pthread_spin_trylock(&l))
		pthread_spin_unlock(&l);
}
PROGRAM_AFTER(init, owner, other)
