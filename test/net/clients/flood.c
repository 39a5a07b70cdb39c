/*
 * A server that accepts and never reads. What is sent waits in buffers, and these are finite: little goes through, a flood waits
 * for ever. With a time-out for sending it does not.
 *
 * heddle: verdict=verified outcomes=2 args=little server="@peer listen {port:7000} idle"
 * heddle: verdict=violation kind=comm-deadlock server="@peer listen {port:7000} idle"
 * heddle: verdict=verified outcomes=1 args=timeout server="@peer listen {port:7000} idle"
 * heddle: verdict=verified outcomes=2 server="@peer listen {port:7000} eof"
 *
 * A server that sends a flood itself before it reads: both wait for ever. That is not seen, but told.
 * heddle: verdict=verified outcomes=2 server="@peer listen {port:7000} big:1000000 eof" text~="both wait for ever"
 * heddle: verdict=verified outcomes=2 server="@peer listen {port:7000} big:60000 eof" text~="what the peers were seen to answer:"
 * heddle: verdict=incomplete text~="whose own 2 MiB are not read" server="@peer listen {port:7000} big:3000000 eof"
 * heddle: verdict=incomplete text~="whose own 2 MiB are not read" server="@peer listen {port:7000} big:3000000 shut eof"
 * heddle: verdict=verified outcomes=2 args=little server="@peer listen {port:7000} big:3000000 eof"
 * heddle: verdict=verified outcomes=2 args=reads server="@peer listen {port:7000} big:3000000 eof"
 * native: skip
 */
#include <errno.h>

#include "net.h"

int main(int argc, char **argv)
{
	static char data[262144];
	struct timeval limit = {.tv_sec = 1};
	int fd = dial(PORT), pieces = story(argc, argv, "little") ? 2 : 20;
	if (story(argc, argv, "timeout"))
		OK(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)));
	for (int left = story(argc, argv, "reads") ? 3000000 : 0; left;) {
		ssize_t n = read(fd, data, sizeof(data));
		CHECK(n > 0);
		left -= (int)n;
	}
	while (pieces--) {
		ssize_t n = write(fd, data, sizeof(data));
		if (n < 0) {
			CHECK(errno == EAGAIN);
			heddle_outcome(1);
			return 0;
		}
		CHECK(n == sizeof(data));
	}
	heddle_outcome(2);
	return 0;
}
