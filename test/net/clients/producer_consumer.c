/*
 * One thread writes two lines to an echo server, another reads what comes back on the same connection. The first read
 * gets one line or both; the rest comes later.
 *
 * heddle: verdict=verified outcomes=2,4 connections=1 server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=verified outcomes=2,4 connections=1 cache=linear server="@peer listen {port:7000} line echo loop"
 */
#include "net.h"

static int fd;

static void *produce(void *arg)
{
	say(fd, "1\n");
	say(fd, "2\n");
	return arg;
}

static void *consume(void *arg)
{
	char buffer[16];
	size_t first = strlen(hear(fd, buffer, sizeof(buffer)));
	if (first == 2)
		hear_text(fd, "2\n");
	heddle_outcome((long)first);
	return arg;
}

int main(void)
{
	fd = dial(PORT);
	pthread_t a = spawn(produce, NULL), b = spawn(consume, NULL);
	join(a);
	join(b);
	OK(close(fd));
	return 0;
}
