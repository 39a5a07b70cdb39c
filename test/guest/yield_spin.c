/*
 * yield_spin.c: waiting in a loop with sched_yield, or with a short sleep, is a finite
 * number of states: a round of the loop leads back to where it was.
 *
 * heddle: verdict=verified args=yield states<=60
 * heddle: verdict=verified args=sleep states<=60
 * heddle: verdict=verified args=flags states<=200
 * native: args=yield
 * native: args=sleep
 * native: args=flags
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int flag, done;
static char **args;

static void pause_a_bit(void)
{
	if (story(2, args, "sleep"))
		usleep(10);
	else
		sched_yield();
}

static void *waiter(void *arg)
{
	while (!flag)
		pause_a_bit();
	done++;
	return arg;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	args = argv;
	pthread_t t = spawn(waiter, NULL);
	pthread_t u = story(argc, argv, "flags") ? spawn(waiter, NULL) : 0;
	pause_a_bit();
	flag = 1;
	while (!done)
		pause_a_bit();
	join(t);
	if (u)
		join(u);
	return 0;
}
