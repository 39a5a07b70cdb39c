/* Two threads add one to a number in a store: get and set (lost updates), or by an atomic request. */
#include "program.h"

static const char *how;

static void *run(void *x)
{
	char text[32];
	int fd = dial();
	if (!strcmp(how, "atomic")) {
		ask(fd, "add n");
	} else {
		snprintf(text, sizeof(text), "set n %d", ask(fd, "get n") + 1);
		ask(fd, text);
	}
	close(fd);
	return x;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "";
	both(run, run);
	int fd = dial();
	assert(ask(fd, "get n") == 2);
	return 0;
}
