/*
 * Two threads, each with a connection of its own to an echo server: whatever the order, each gets its own line back. A server that
 * serves one connection at a time lets the second wait for the first one's end: that is outside the model, and said.
 *
 * heddle: verdict=verified outcomes=1 connections=2 trees=1 server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=verified outcomes=1 cache=linear connections=2 server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=verified outcomes=1 cache=none server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=verified outcomes=1 connections=2 server="@peer listen {port:7000} fork line echo loop"
 * heddle: verdict=verified text~="servers: shared.*has not accepted" server="@peer listen {port:7000} serial line echo loop"
 * heddle: verdict=incomplete text~="has not accepted" options="--peers independent" server="@peer listen {port:7000} serial line echo loop"
 */
#include "net.h"

static void *ask(void *line)
{
	int fd = dial(PORT);
	say(fd, line);
	hear_text(fd, line);
	OK(close(fd));
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(ask, "same\n"), b = spawn(ask, "same\n");
	join(a);
	join(b);
	heddle_outcome(1);
	return 0;
}
