/*
 * short_write.c: a non-blocking write may take only a part, or nothing; the rest is for when there is room again.
 *
 * heddle: verdict=verified args=right clients=1 client="@peer connect {port} line take:300000"
 * heddle: verdict=violation kind=assert args=wrong clients=1 client="@peer connect {port} line take:300000"
 * native: skip
 */
#include "event.h"

static char page[300000];

int main(int argc, char **argv)
{
	int listener = listen_on(PORT), fd = nonblocking(take_client(listener));
	size_t done = 0;
	memset(page, 'x', sizeof(page));
	say(fd, "go\n");
	while (done < sizeof(page)) {
		struct pollfd p = {.fd = fd, .events = POLLOUT};
		ssize_t n = write(fd, page + done, sizeof(page) - done);
		if (story(argc, argv, "wrong"))
			CHECK(n == (ssize_t)sizeof(page));
		if (n > 0)
			done += (size_t)n;
		else
			CHECK(errno == EAGAIN && poll(&p, 1, -1) == 1);
	}
	OK(close(fd));
	return 0;
}
