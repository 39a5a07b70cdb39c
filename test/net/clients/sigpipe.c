/*
 * Writing to a connection that the peer has reset: SIGPIPE ends the program, unless it is ignored, handled, or MSG_NOSIGNAL
 * is given.
 *
 * heddle: verdict=violation kind=crash text~="SIGPIPE" where=@second server="@peer listen {port:7000} line reset" args=default
 * heddle: verdict=verified server="@peer listen {port:7000} line reset" args=ignored
 * heddle: verdict=verified server="@peer listen {port:7000} line reset" args=handled
 * heddle: verdict=verified server="@peer listen {port:7000} line reset" args=nosignal
 * native: args=default signal=PIPE
 */
#include "net.h"

static volatile sig_atomic_t seen;

static void note(int number)
{
	seen = number;
}

int main(int argc, char **argv)
{
	char c;
	int fd = dial(PORT), flags = story(argc, argv, "nosignal") ? MSG_NOSIGNAL : 0;
	if (story(argc, argv, "ignored"))
		signal(SIGPIPE, SIG_IGN);
	if (story(argc, argv, "handled"))
		signal(SIGPIPE, note);
	say(fd, "reset me\n");
	FAILS(read(fd, &c, 1), ECONNRESET);
	long sent = send(fd, "x", 1, flags); /* @second */
	CHECK(sent == -1 && errno == EPIPE);
	CHECK(seen == (story(argc, argv, "handled") ? SIGPIPE : 0));
	return 0;
}
