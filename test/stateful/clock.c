/* Time never goes back. */
#include "program.h"

static void *run(void *x)
{
	int fd = dial(), before = ask(fd, "time");
	assert(ask(fd, "time") >= before);
	close(fd);
	return x;
}

int main(void)
{
	both(run, run);
	return 0;
}
