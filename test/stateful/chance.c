/*
 * A server that throws dice. "same": two answers are taken for equal (wrong if it throws each time); "even": the number is
 * taken for even; "either": for one of two letters; "token": what login says opens the door, on another connection, too.
 */
#include "program.h"

static const char *what;

static void *run(void *x)
{
	char first[40], second[40];
	int fd = dial(), other;
	if (!strcmp(what, "same")) {
		say(fd, "number");
		hear(fd, first, sizeof(first));
		say(fd, "number");
		assert(!strcmp(first, hear(fd, second, sizeof(second))));
	} else if (!strcmp(what, "even")) {
		say(fd, "number");
		assert(atoi(hear(fd, first, sizeof(first))) % 2 == 0);
	} else if (!strcmp(what, "either")) {
		say(fd, "2");
		hear(fd, first, sizeof(first));
		assert(!strcmp(first, "c") || !strcmp(first, "C"));
	} else {
		say(fd, "login");
		hear(fd, first, sizeof(first));
		other = dial();
		say(other, first);
		assert(!strcmp(hear(other, second, sizeof(second)), "welcome"));
		close(other);
	}
	close(fd);
	return x;
}

static void *nothing(void *x)
{
	return x;
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "same";
	both(run, argc > 2 ? nothing : run);
	return 0;
}
