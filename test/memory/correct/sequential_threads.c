/*
 * sequential_threads.c: threads that follow one another may get the same stack; the locals of one are
 * not shared with the next, nor with a thread that runs meanwhile.
 *
 * heddle: verdict=verified outcomes=30 states<=60
 */
#include "guest.h"

static __attribute__((noinline)) void fill(int *numbers, int value)
{
	for (int i = 0; i < 10; i++)
		numbers[i] = value;
}

static void *body(void *arg)
{
	int numbers[10];

	fill(numbers, (int)(long)arg);
	long sum = 0;
	for (int i = 0; i < 10; i++)
		sum += numbers[i];
	return (void *)sum;
}

int main(void)
{
	pthread_t whole = spawn(body, (void *)0);
	long sum = (long)join(spawn(body, (void *)1));

	sum += (long)join(spawn(body, (void *)2));
	sum += (long)join(whole);
	heddle_outcome(sum);
	return 0;
}
