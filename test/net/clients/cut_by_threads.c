/*
 * Two threads share a connection; each writes its line in two pieces. Without a lock the pieces mix: "a", "b" and two ends
 * of lines come in four orders. What the echo server then says first is told.
 *
 * heddle: verdict=verified outcomes=1,2,12,21 connections=4 server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=verified outcomes=1,2,12,21 cache=none server="@peer listen {port:7000} line echo loop"
 */
#include "net.h"

static int fd;

static void *produce(void *digit)
{
	say(fd, digit);
	say(fd, "\n");
	return NULL;
}

int main(void)
{
	char line[8];
	fd = dial(PORT);
	pthread_t a = spawn(produce, "1"), b = spawn(produce, "2");
	join(a);
	join(b);
	CHECK(hear_line(fd, line, sizeof(line)));
	heddle_outcome(atoi(line));
	return 0;
}
