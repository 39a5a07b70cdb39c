/*
 * Two requests, then one read: it may get one byte, the answer to the first alone, all but one byte, or both answers. Who
 * takes the first answer's length for granted is wrong, and so is who counts on both.
 *
 * heddle: verdict=verified outcomes=1,4,9,10 args=blocks server="@peer listen {port:7000} line send:yes~ line send:maybe~"
 * heddle: verdict=verified outcomes=0,1,4,9,10 args=tries server="@peer listen {port:7000} line send:yes~ line send:maybe~"
 * heddle: verdict=verified outcomes=1,4,9,10 args=polls server="@peer listen {port:7000} line send:yes~ line send:maybe~"
 * heddle: verdict=verified outcomes=10 args=blocks options="--short-io off" server="@peer listen {port:7000} line send:yes~ line send:maybe~"
 */
#include "event.h"

int main(int argc, char **argv)
{
	char text[16];
	int fd = dial(PORT);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	CHECK(argc == 2);
	say(fd, "one\n");
	say(fd, "two\n");
	if (!strcmp(argv[1], "polls"))
		CHECK(poll(&p, 1, -1) == 1);
	if (strcmp(argv[1], "blocks"))
		nonblocking(fd);
	ssize_t n = read(fd, text, sizeof(text));
	CHECK(n > 0 || errno == EAGAIN);
	CHECK(n < 4 || !memcmp(text, "yes\n", 4));
	heddle_outcome(n > 0 ? (int)n : 0);
	OK(close(fd));
	return 0;
}
