/*
 * fd_by_thread.c: --fd-numbers thread: threads that each have pipes of their own have few states, as they don't take
 * each other's numbers. Nine at a time: the ninth number is the lowest free one again.
 *
 * heddle: args="apart" options="--por on --fd-numbers thread" verdict=verified states<=30 text~="descriptors numbered by thread"
 * heddle: args="apart" options="--por on --fd-numbers lowest" verdict=verified text~="data races not looked at: the search"
 * heddle: args="apart" options="--por on --fd-numbers thread --sanity 2" verdict=verified
 * heddle: args="nine" options="--fd-numbers thread" verdict=verified outcomes=8
 * heddle: args="nine" verdict=verified outcomes=0
 * native: args=apart
 */
#include "guest.h"

#include <unistd.h>

#define THREADS 3

static void *apart(void *arg)
{
	(void)arg;
	char c;
	int end[2];
	OK(pipe(end));
	int copy = dup(end[1]);
	CHECK(copy >= 0 && write(copy, "x", 1) == 1);
	CHECK(read(end[0], &c, 1) == 1);
	OK(close(copy));
	OK(close(end[0]));
	OK(close(end[1]));
	return NULL;
}

static void *nine(void *arg)
{
	(void)arg;
	long high = 0;
	for (int i = 0; i < 9; i++)
		high += dup(0) >= 8192;
	heddle_outcome(high);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	int is_nine = story(argc, argv, "nine"), n = is_nine ? 1 : THREADS;
	for (int i = 0; i < n; i++)
		t[i] = spawn(is_nine ? nine : apart, NULL);
	for (int i = 0; i < n; i++)
		join(t[i]);
	return 0;
}
