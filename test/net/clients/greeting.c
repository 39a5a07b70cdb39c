/*
 * The server speaks first. Two threads read the greeting, each on its own connection, and then say good-bye, which is
 * answered by a close.
 *
 * heddle: verdict=verified connections=2 server="@peer listen {port:7000} send:hello~ line send:bye~"
 * heddle: verdict=verified connections=2 cache=linear server="@peer listen {port:7000} send:hello~ line send:bye~"
 */
#include "net.h"

static void *talk(void *arg)
{
	int fd = dial(PORT);
	hear_text(fd, "hello\n");
	say(fd, "quit\n");
	hear_text(fd, "bye\n");
	hear_end(fd);
	hear_end(fd);
	OK(close(fd));
	return arg;
}

int main(void)
{
	pthread_t a = spawn(talk, NULL), b = spawn(talk, NULL);
	join(a);
	join(b);
	return 0;
}
