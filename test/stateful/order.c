/* Two clients of a server that answers otherwise in one of all orders of their requests. "fine": they don't care. */
#include "program.h"

static int careless;

static void *speak(const char *word, int times)
{
	int fd = dial();
	char line[100];
	while (times--) {
		say(fd, word);
		hear(fd, line, sizeof(line));
		assert(careless || !strcmp(line, "yes"));
	}
	close(fd);
	return NULL;
}

static void *one(void *arg)
{
	(void)arg;
	return speak("a", 3);
}

static void *two(void *arg)
{
	(void)arg;
	return speak("b", 3);
}

int main(int argc, char **argv)
{
	careless = argc > 1 && !strcmp(argv[1], "fine");
	both(one, two);
	return 0;
}
