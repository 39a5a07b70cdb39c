/*
 * A client that does not wait for its connection: connect, poll, SO_ERROR. With `early` it does not look whether
 * it is there before it sends; with `blind` it asks SO_ERROR too early, and takes "nothing wrong" for "connected".
 *
 * heddle: verdict=verified outcomes=0 server="@peer listen {port:7000} line echo loop" args=right
 * heddle: verdict=verified outcomes=0 server="@peer listen {port:7000} line echo loop" args=again
 * heddle: verdict=verified outcomes=0 server="@peer listen {port:7000} line echo loop" args=blocking
 * heddle: verdict=violation kind=assert server="@peer listen {port:7000} line echo loop" args=early
 * heddle: verdict=violation kind=assert server="@peer listen {port:7000} line echo loop" args=blind
 * heddle: verdict=verified outcomes=1 options="--allow-refused" args=right
 * native: skip
 */
#include <fcntl.h>
#include <poll.h>

#include "net.h"

static int so_error(int fd)
{
	int err = -1;
	socklen_t len = sizeof(err);
	OK(getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len));
	return err;
}

static int polled(int fd, int timeout)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	CHECK(poll(&p, 1, timeout) == 1);
	return p.revents;
}

static int dial_later(void)
{
	struct sockaddr_in a = loopback(PORT);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	CHECK(connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0 && errno == EINPROGRESS);
	return fd;
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = loopback(PORT);
	int fd = dial_later();
	CHECK(argc > 1);
	if (!strcmp(argv[1], "right")) {
		CHECK(polled(fd, -1) & POLLOUT);
		int err = so_error(fd);
		if (err) {
			CHECK(err == ECONNREFUSED);
			CHECK(send(fd, "x", 1, MSG_NOSIGNAL) < 0 && errno == EPIPE);
			heddle_outcome(1);
			return 0;
		}
	} else if (!strcmp(argv[1], "again")) {
		while (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
			CHECK(errno == EALREADY);
		CHECK(connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0 && errno == EISCONN);
	} else if (!strcmp(argv[1], "blocking")) {
		OK(fcntl(fd, F_SETFL, 0));
		OK(connect(fd, (struct sockaddr *)&a, sizeof(a)));
		CHECK(connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0 && errno == EISCONN);
	} else if (!strcmp(argv[1], "blind")) {
		CHECK(so_error(fd) == 0);
	}
	CHECK(send(fd, "1\n", 2, MSG_NOSIGNAL) == 2);
	OK(fcntl(fd, F_SETFL, 0));
	hear_text(fd, "1\n");
	heddle_outcome(0);
	OK(close(fd));
	return 0;
}
