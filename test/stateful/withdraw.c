/* Two threads take 7 of 10: looking first and then taking goes wrong, a request that does both does not. */
#include "program.h"

static const char *how;

static void *run(void *x)
{
	int fd = dial();
	if (!strcmp(how, "atomic"))
		ask(fd, "withdraw 7");
	else if (ask(fd, "balance") >= 7)
		ask(fd, "take 7");
	close(fd);
	return x;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "";
	both(run, run);
	int fd = dial();
	assert(ask(fd, "balance") >= 0);
	return 0;
}
