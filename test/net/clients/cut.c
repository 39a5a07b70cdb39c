/*
 * A request is written at once, or in two pieces, with a look at what has come between them: the answer to the
 * first piece alone must be asked for, not guessed from the whole. `eager` servers answer to a single byte, too.
 *
 * heddle: verdict=verified outcomes=2,20 connections<=2 server="@peer listen {port:7000} line echo loop" args=0
 * heddle: verdict=verified outcomes=2,20 cache=none server="@peer listen {port:7000} line echo loop" args=0
 * heddle: verdict=incomplete text~="in the same piece.*--cache branching" cache=linear server="@peer listen {port:7000} line echo loop" args=0
 * heddle: verdict=verified outcomes=2,20,120 connections<=2 server="@peer listen {port:7000} take:1 send:+ take:1 send:+ loop" args=1
 * heddle: verdict=verified outcomes=2,20,120 connections<=2 options="--strategy bfs" server="@peer listen {port:7000} take:1 send:+ take:1 send:+ loop" args=1
 */
#include <sys/ioctl.h>

#include "net.h"

static int pending(int fd)
{
	int n = -1;
	OK(ioctl(fd, FIONREAD, &n));
	return n;
}

int main(int argc, char **argv)
{
	int fd = dial(PORT), eager = argc > 1 && atoi(argv[1]), between = 0, pieces = heddle_choose(2);
	if (pieces) {
		say(fd, "1");
		if (heddle_running())
			between = pending(fd);
		CHECK(between <=
		      (heddle_running() ? eager : 0)); /* the network may not have brought it yet */
		say(fd, "\n");
	} else {
		say(fd, "1\n");
	}
	hear_text(fd, eager ? "++" : "1\n");
	heddle_outcome(pieces ? between * 100 + 20 : 2);
	OK(close(fd));
	return 0;
}
