/*
 * Two threads ask a server that draws a number for each answer: what they hear has to be of one behaviour of it
 * (Figure 3): chain REQUESTS.
 */
#include "program.h"

static unsigned secret[2];
static int requests = 2;

static void talk(int me)
{
	unsigned drawn, sum, mine = 0, told;
	int fd = dial();
	char line[100];
	for (int i = 0; i < requests; i++) {
		say(fd, "next");
		assert(sscanf(hear(fd, line, sizeof(line)), "%u %u %u", &told, &drawn, &sum) == 3);
		mine = mine * 31 + drawn;
		assert(sum == mine);
		assert(!secret[me] || secret[me] == told);
		secret[me] = told;
	}
	close(fd);
}

static void *one(void *arg)
{
	talk(0);
	return arg;
}

static void *two(void *arg)
{
	talk(1);
	return arg;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		requests = atoi(argv[1]);
	both(one, two);
	assert(secret[0] == secret[1]);
	return 0;
}
