/*
 * expected_operand.c: what a compare-exchange expects is ordinary memory: another thread that uses it races.
 *
 * heddle: verdict=violation kind=race message~="expected"
 * native: any
 */
#include <stdatomic.h>

#include "guest.h"

static _Atomic int value = 1;
static int expected;

static void *body(void *arg)
{
	atomic_compare_exchange_strong(&value, &expected, 2);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	expected = 1;
	join(t);
	return 0;
}
