/*
 * asks_first.c: FIONREAD, MSG_PEEK and poll agree with the read that follows: what was seen is there.
 *
 * heddle: verdict=verified server="@peer listen {port:7000} send:hello~"
 */
#include "event.h"

int main(void)
{
	int fd = nonblocking(dial(PORT)), n = 0;
	char text[16], seen[16];
	struct pollfd p = {.fd = fd, .events = POLLIN};
	CHECK(poll(&p, 1, -1) == 1);
	OK(ioctl(fd, FIONREAD, &n));
	CHECK(n >= 1 && n <= 6);
	ssize_t peeked = recv(fd, seen, sizeof(seen), MSG_PEEK);
	CHECK(peeked >= n);
	ssize_t got = read(fd, text, sizeof(text));
	CHECK(got >= peeked && !memcmp(text, seen, (size_t)peeked));
	return 0;
}
