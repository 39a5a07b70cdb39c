/*
 * connect_progress.c: a non-blocking connect: it is in progress, then done, or refused; SO_ERROR tells. The hasty
 * version writes at once; the blind one does not ask SO_ERROR, and nobody listens.
 *
 * heddle: verdict=verified args=right server="@peer listen {port:7000} line echo"
 * heddle: verdict=violation kind=assert args=hasty server="@peer listen {port:7000} line echo"
 * heddle: verdict=verified args=refused options="--allow-refused"
 * heddle: verdict=violation kind=assert args=blind options="--allow-refused"
 * native: skip
 */
#include "event.h"

int main(int argc, char **argv)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), error = -1;
	struct sockaddr_in a = loopback(PORT);
	socklen_t size = sizeof(error);
	int r = connect(fd, (struct sockaddr *)&a, sizeof(a));
	CHECK(r == 0 || errno == EINPROGRESS || (errno == ECONNREFUSED && story(argc, argv, "refused")));
	if (story(argc, argv, "hasty")) {
		CHECK(write(fd, "hello\n", 6) == 6);
		return 0;
	}
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	CHECK(poll(&p, 1, -1) == 1);
	if (!story(argc, argv, "blind")) {
		OK(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size));
		if (error) {
			CHECK(error == ECONNREFUSED && story(argc, argv, "refused"));
			return 0;
		}
	}
	signal(SIGPIPE, SIG_IGN);
	CHECK(write(fd, "hello\n", 6) == 6);
	struct line l = {.n = 0};
	p.events = POLLIN;
	do
		CHECK(poll(&p, 1, -1) == 1);
	while ((r = line_goes_on(&l, fd)) == 0);
	CHECK(r == 1 && !strcmp(l.text, "hello"));
	return 0;
}
