/*
 * Two requests come in one piece, or one after the other. The faulty server answers one request for each time it has read
 * something: the second one stays in its buffer, while both wait. It has answered since the client last spoke, so the
 * client looks idle; that it is not is known from the executions in which it is sent the second answer and leaves.
 *
 * heddle: verdict=verified args="all read" client="@peer connect {port} send:one~two~ want:one want:two"
 * heddle: verdict=violation kind=comm-deadlock message~="waits for more" args="one read" client="@peer connect {port} send:one~two~ want:one want:two"
 * heddle: verdict=violation kind=comm-deadlock message~="waits for more" args="one epoll" client="@peer connect {port} send:one~two~ want:one want:two"
 * heddle: verdict=violation kind=comm-deadlock args="one epoll" cache=linear client="@peer connect {port} send:one~two~ want:one want:two"
 * heddle: verdict=violation kind=comm-deadlock args="one epoll" options="--strategy bfs" client="@peer connect {port} send:one~two~ want:one want:two"
 * A client that stays, whatever it is sent and answers, is idle; so is one of whose second answer no execution knows.
 * heddle: verdict=verified args="one epoll" client="@peer connect {port} send:one~two~ idle"
 * heddle: verdict=verified args="one epoll" client="@peer connect {port} send:one~two~ want:one want:two send:three~ want:three idle"
 * heddle: verdict=verified args="one epoll" client="@peer connect {port} send:one~ want:one eof"
 * native: args="all read"
 */
#include "event.h"

static char text[64];
static size_t have;

/* 1: there was one. */
static int answer(int fd)
{
	char *end = memchr(text, '\n', have);
	if (!end)
		return 0;
	size_t n = (size_t)(end - text) + 1;
	CHECK(write(fd, text, n) == (ssize_t)n);
	memmove(text, text + n, have -= n);
	return 1;
}

int main(int argc, char **argv)
{
	int listener = listen_on(PORT), set = epoll_create1(0), fd = -1;
	CHECK(argc == 3);
	have = 0;
	if (!strcmp(argv[2], "read"))
		fd = take_client(listener);
	else
		epoll_set(set, EPOLL_CTL_ADD, listener, EPOLLIN);
	for (;;) {
		struct epoll_event e = {.data.fd = fd};
		if (strcmp(argv[2], "read"))
			CHECK(epoll_wait(set, &e, 1, -1) == 1);
		if (e.data.fd == listener) {
			fd = take_client(listener);
			epoll_set(set, EPOLL_CTL_ADD, fd, EPOLLIN);
			have = 0;
			continue;
		}
		ssize_t n = read(e.data.fd, text + have, sizeof(text) - have);
		CHECK(n >= 0);
		if (n == 0) {
			OK(close(e.data.fd));
			if (e.data.fd == fd && !strcmp(argv[2], "read"))
				return 0;
			continue;
		}
		have += (size_t)n;
		while (answer(e.data.fd) && !strcmp(argv[1], "all"))
			;
	}
}
