/*
 * counters.c: an atomic addition loses nothing; an atomic load and an atomic store do, without any race;
 * so does a volatile variable. A loop around compare-and-swap loses nothing.
 *
 * heddle: verdict=verified args=add outcomes=2
 * heddle: verdict=verified args=load-store outcomes=1,2
 * heddle: verdict=verified args=volatile outcomes=1,2
 * heddle: verdict=verified args=cas outcomes=2
 * heddle: verdict=verified args=cas-once outcomes=1,2
 * native: args=add
 * native: args=load-store
 * native: args=volatile
 * native: args=cas
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int counter;
static volatile int volatile_counter;
static char **args;

static void cas(int attempts)
{
	int seen = atomic_load(&counter);

	while (attempts-- && !atomic_compare_exchange_strong(&counter, &seen, seen + 1))
		;
}

static void *body(void *arg)
{
	if (story(2, args, "add"))
		atomic_fetch_add(&counter, 1);
	else if (story(2, args, "load-store"))
		atomic_store(&counter, atomic_load(&counter) + 1);
	else if (story(2, args, "volatile"))
		volatile_counter = volatile_counter + 1;
	else
		cas(story(2, args, "cas") ? 10 : 1);
	return arg;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	args = argv;
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
	join(a);
	join(b);
	heddle_outcome(counter + volatile_counter);
	return 0;
}
