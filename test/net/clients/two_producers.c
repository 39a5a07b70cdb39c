/*
 * Two threads log a line each on one connection, and main reads the echo: both orders are seen. The linear cache can't
 * hold both, and says which requests differ. A server that serves one connection at a time is no worse: the connections
 * that are kept for later, and that the program does not need, are closed for it.
 *
 * heddle: verdict=verified outcomes=12,21 connections=2 branches=2 server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=verified outcomes=12,21 connections=2 branches=2 server="@peer listen {port:7000} serial line echo loop"
 * heddle: verdict=verified outcomes=12,21 cache=none server="@peer listen {port:7000} serial line echo loop"
 * heddle: verdict=verified outcomes=12,21 connections=2 options="--recheck 9" server="@peer listen {port:7000} serial line echo loop"
 * heddle: verdict=incomplete cache=linear text~="2.*1.*--cache branching|1.*2.*--cache branching" server="@peer listen {port:7000} line echo loop"
 */
#include "net.h"

static int fd;

static void *produce(void *line)
{
	say(fd, line);
	return NULL;
}

int main(void)
{
	char line[2][8];
	fd = dial(PORT);
	pthread_t a = spawn(produce, "1\n"), b = spawn(produce, "2\n");
	join(a);
	join(b);
	CHECK(hear_line(fd, line[0], sizeof(line[0])) && hear_line(fd, line[1], sizeof(line[1])));
	heddle_outcome(atoi(line[0]) * 10 + atoi(line[1]));
	return 0;
}
