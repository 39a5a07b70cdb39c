/*
 * A request is written at once, or in two pieces with a wait for the answer to the first. What the peer says there is not
 * known when it is asked whether the wait is over: it must be asked for before, and what the operation then sees is looked up.
 * The server answers each byte; nobody waits for ever.
 *
 * heddle: verdict=verified outcomes=1,2 connections=2 server="@peer listen {port:7000} take:1 send:+ loop" args=recv
 * heddle: verdict=verified outcomes=1,2 connections=2 server="@peer listen {port:7000} take:1 send:+ loop" args=poll
 * heddle: verdict=verified outcomes=1,2 connections=2 options="--strategy bfs" server="@peer listen {port:7000} take:1 send:+ loop" args=poll
 * heddle: verdict=verified outcomes=1,2 cache=none server="@peer listen {port:7000} take:1 send:+ loop" args=recv
 * heddle: verdict=incomplete text~="in the same piece.*--cache branching" cache=linear server="@peer listen {port:7000} take:1 send:+ loop" args=recv
 * native: args=poll
 */
#include <poll.h>

#include "net.h"

int main(int argc, char **argv)
{
	int fd = dial(PORT), polls = argc > 1 && !strcmp(argv[1], "poll"), pieces = heddle_choose(2);
	if (pieces) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		say(fd, "1");
		if (polls)
			CHECK(poll(&p, 1, -1) == 1);
		hear_text(fd, "+");
		say(fd, "2");
		hear_text(fd, "+");
	} else {
		say(fd, "12");
		hear_text(fd, "++");
	}
	heddle_outcome(pieces + 1);
	OK(close(fd));
	return 0;
}
