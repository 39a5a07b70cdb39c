/*
 * SO_RCVTIMEO of a listener is inherited by the connections it accepts: a client that says nothing costs the server its
 * patience, not its life.
 *
 * heddle: verdict=verified outcomes=1,2 clients=1 client="@peer connect {port} eof"
 * heddle: verdict=verified outcomes=1,2,3 clients=1 client="@peer connect {port} send:x eof"
 * heddle: verdict=verified outcomes=1
 */
#include <sys/time.h>

#include "net.h"

/* 1: nobody came; 2: who came said nothing in time; 3: all is well */
static long serve(int listener)
{
	char c;
	int fd = accept(listener, NULL, NULL);
	CHECK(fd >= 0 || errno == EAGAIN);
	if (fd < 0)
		return 1;
	ssize_t n = read(fd, &c, 1);
	CHECK(n == 1 || (n == -1 && errno == EAGAIN));
	return n == 1 ? 3 : 2;
}

int main(void)
{
	struct timeval patience = {.tv_usec = 200000};
	int listener = listen_on(PORT);
	OK(setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)));
	heddle_outcome(serve(listener));
	return 0;
}
