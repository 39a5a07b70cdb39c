/* A lock in a server protects a variable: who finds it busy tries once more and gives up, or ("careless") goes on. */
#include "program.h"

static int inside, careless;

static void *run(void *x)
{
	char line[20] = "";
	int fd = dial();
	for (int i = 0; i < 2 - careless && strcmp(line, "yes"); i++) {
		say(fd, "lock");
		hear(fd, line, sizeof(line));
	}
	if (careless || !strcmp(line, "yes")) {
		assert(inside++ == 0);
		ask(fd, "look");
		inside--;
	}
	if (!strcmp(line, "yes")) {
		say(fd, "unlock");
		hear(fd, line, sizeof(line));
	}
	close(fd);
	return x;
}

int main(int argc, char **argv)
{
	careless = argc > 1;
	both(run, run);
	return 0;
}
