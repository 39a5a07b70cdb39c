/*
 * The client shuts down its writing side, and the server answers to that only. Writing after it is EPIPE.
 *
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} eof send:%b_bytes~" args=once
 * heddle: verdict=verified outcomes=0,1,2 server="@peer listen {port:7000} eof send:%b_bytes~" args=choose
 * heddle: verdict=verified outcomes=0,1,2 cache=none server="@peer listen {port:7000} eof send:%b_bytes~" args=choose
 * heddle: verdict=incomplete cache=linear server="@peer listen {port:7000} eof send:%b_bytes~" args=choose
 */
#include "net.h"

int main(int argc, char **argv)
{
	char answer[32];
	unsigned pieces = story(argc, argv, "choose") ? heddle_choose(3) : 2;
	int fd = dial(PORT);
	for (unsigned i = 0; i < pieces; i++)
		say(fd, "hello");
	OK(shutdown(fd, SHUT_WR));
	snprintf(answer, sizeof(answer), "%u bytes\n", pieces * 5);
	hear_text(fd, answer);
	hear_end(fd);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	heddle_outcome(pieces);
	OK(close(fd));
	return 0;
}
