/* Two threads, and a server that may end before both have their answer: whoever has none knows that it has ended. */
#include "program.h"

static void ask_one(const char *what)
{
	char line[100];
	int fd = dial_port(7000);
	if (fd < 0)
		return;
	if (send(fd, what, 2, MSG_NOSIGNAL) == 2 && read(fd, line, sizeof(line)) < 0)
		perror("read");
	close(fd);
}

static void *one(void *arg)
{
	ask_one("a\n");
	return arg;
}

static void *two(void *arg)
{
	ask_one("b\n");
	return arg;
}

int main(void)
{
	both(one, two);
	return 0;
}
