/*
 * The server resets the connection: instead of a greeting, after an answer, or when asked to. What it said before can
 * still be read; the reset is told once, then the end.
 *
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} line reset" args=instead
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} line echo line reset" args=later
 * heddle: verdict=verified outcomes=1,2 server="@peer listen {port:7000} line when:stop reset echo loop" args=choose
 * heddle: verdict=verified outcomes=1,2 cache=none server="@peer listen {port:7000} line when:stop reset echo loop" args=choose
 */
#include "net.h"

static void is_reset(int fd)
{
	char c;
	FAILS(read(fd, &c, 1), ECONNRESET);
	CHECK(read(fd, &c, 1) == 0);
	FAILS(send(fd, &c, 1, MSG_NOSIGNAL), EPIPE);
}

int main(int argc, char **argv)
{
	int fd = dial(PORT);
	if (story(argc, argv, "choose") && heddle_choose(2)) {
		say(fd, "go on\n");
		hear_text(fd, "go on\n");
		heddle_outcome(2);
		return 0;
	}
	if (story(argc, argv, "later")) {
		say(fd, "first\n");
		hear_text(fd, "first\n");
	}
	say(fd, "stop\n");
	is_reset(fd);
	heddle_outcome(1);
	OK(close(fd));
	return 0;
}
