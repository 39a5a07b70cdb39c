/*
 * lamport_bakery.c: mutual exclusion of two by numbers; without the "choosing" flag it is wrong.
 *
 * heddle: verdict=verified args=right outcomes=2
 * heddle: verdict=violation kind=race args=wrong message~="counter"
 * native: args=right
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int choosing[2], number[2];
static int counter, wrong;

static void lock_it(int me)
{
	int other = 1 - me, n;

	if (!wrong)
		atomic_store(&choosing[me], 1);
	n = atomic_load(&number[other]) + 1;
	atomic_store(&number[me], n);
	atomic_store(&choosing[me], 0);
	while (atomic_load(&choosing[other]))
		;
	for (;;) {
		int theirs = atomic_load(&number[other]);
		if (!theirs || theirs > n || (theirs == n && me < other))
			return;
	}
}

static void *body(void *arg)
{
	int me = (int)(long)arg;

	lock_it(me);
	counter++;
	atomic_store(&number[me], 0);
	return NULL;
}

int main(int argc, char **argv)
{
	wrong = story(argc, argv, "wrong");
	pthread_t a = spawn(body, (void *)0), b = spawn(body, (void *)1);
	join(a);
	join(b);
	heddle_outcome(counter);
	return 0;
}
