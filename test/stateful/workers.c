/*
 * A producer and a consumer with a queue in a server. The consumer looks twice, and may come too early:
 * "sure" takes that for impossible.
 */
#include "program.h"

static int sure;

static void *produce(void *x)
{
	char line[40];
	int fd = dial();
	say(fd, "put a");
	hear(fd, line, sizeof(line));
	close(fd);
	return x;
}

static void *consume(void *x)
{
	char line[40];
	int fd = dial();
	for (int i = 0; i < 2; i++) {
		say(fd, "take");
		if (strcmp(hear(fd, line, sizeof(line)), "empty"))
			break;
	}
	assert(!strcmp(line, "a") || (!sure && !strcmp(line, "empty")));
	close(fd);
	return x;
}

int main(int argc, char **argv)
{
	sure = argc > 1;
	both(produce, consume);
	return 0;
}
