/* Two threads draw a ticket: each its own. "ordered" is wrong: the second thread may be first. */
#include "program.h"

static int mine[2];

static void *one(void *x)
{
	int fd = dial();
	mine[0] = ask(fd, "draw");
	close(fd);
	return x;
}

static void *two(void *x)
{
	int fd = dial();
	mine[1] = ask(fd, "draw");
	close(fd);
	return x;
}

int main(int argc, char **argv)
{
	both(one, two);
	assert(mine[0] != mine[1]);
	if (argc > 1 && !strcmp(argv[1], "ordered"))
		assert(mine[0] < mine[1]);
	return 0;
}
