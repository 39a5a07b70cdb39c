/*
 * test_and_set_lock.c: a lock of one's own around plain data; heddle has never heard of this lock, and still
 * there is no state with two threads at the data.
 *
 * heddle: verdict=verified outcomes=3 args=flag
 * heddle: verdict=verified outcomes=3 args=cas
 * heddle: verdict=verified outcomes=3 args=ttas
 * heddle: verdict=violation kind=race args=broken
 * native: args=flag
 * native: args=cas
 * native: args=ttas
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int taken;
static int counter;
static char **args;

static void lock_it(void)
{
	int free_value = 0;

	if (story(2, args, "flag"))
		while (atomic_exchange_explicit(&taken, 1, memory_order_acquire))
			;
	else if (story(2, args, "cas"))
		while (!atomic_compare_exchange_strong(&taken, &free_value, 1))
			free_value = 0;
	else if (story(2, args, "ttas"))
		do
			while (atomic_load(&taken))
				;
		while (atomic_exchange(&taken, 1));
	else
		while (atomic_load(&taken)) /* looks, and takes later */
			;
	if (story(2, args, "broken"))
		atomic_store(&taken, 1);
}

static void *body(void *arg)
{
	lock_it();
	counter++;
	atomic_store_explicit(&taken, 0, memory_order_release);
	return arg;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	args = argv;
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
	body(NULL);
	join(a);
	join(b);
	heddle_outcome(counter);
	return 0;
}
