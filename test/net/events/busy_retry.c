/*
 * busy_retry.c: a client that asks again and again without waiting: the loop adds no states, and is no livelock while
 * the answer is on its way.
 *
 * heddle: verdict=verified server="@peer listen {port:7000} line echo"
 */
#include "event.h"

int main(void)
{
	int fd = nonblocking(dial(PORT)), r;
	struct line l = {.n = 0};
	say(fd, "hello\n");
	while ((r = line_goes_on(&l, fd)) == 0)
		;
	CHECK(r == 1 && !strcmp(l.text, "hello"));
	return 0;
}
