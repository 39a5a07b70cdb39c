/* Two members of a chat room. "wait": each waits for the other's word, which may have come before it was there. */
#include "program.h"

static int wait_for_other;
static pthread_barrier_t there;

static void *one(void *x)
{
	char line[40];
	int fd = dial();
	if (!wait_for_other)
		pthread_barrier_wait(&there);
	say(fd, "one");
	hear(fd, line, sizeof(line));
	return x;
}

static void *two(void *x)
{
	char line[40];
	int fd = dial();
	if (!wait_for_other)
		pthread_barrier_wait(&there);
	say(fd, "two");
	hear(fd, line, sizeof(line));
	return x;
}

int main(int argc, char **argv)
{
	wait_for_other = argc > 1;
	pthread_barrier_init(&there, NULL, 2);
	both(one, two);
	return 0;
}
