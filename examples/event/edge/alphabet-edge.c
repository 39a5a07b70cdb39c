/*
 * The alphabet server with edge-triggered epoll: an event tells that something has come, not that something
 * is there. So it accepts and reads until there is nothing left.
 *
 *     alphabet-edge [PORT [CLIENTS]]        ends when CLIENTS have come and gone; 0: never
 *
 * The faulty version forgets to drain the listener: it accepts one connection for each event, and of two
 * clients that come together the second is never served.
 */
#include "../event.h"

#include <sys/epoll.h>

static struct alphabet connection[MAX_CONNECTIONS];
static int set, listener;

static void watch(int fd, unsigned events, int index)
{
	struct epoll_event e = {.events = events, .data.u32 = (unsigned)index};

	net_must(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0, "epoll_ctl");
}

static void take_clients(void)
{
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		int i = 0;

		while (connection[i].fd)
			i++;
		connection[i].fd = fd;
		watch(fd, EPOLLIN | EPOLLOUT | EPOLLET, i);
		if (FAULT)
			return;
	}
	net_must(event_again(), "accept");
}

/* false: the client has left. */
static bool drain(struct alphabet *a)
{
	errno = 0;
	while (alphabet_read(a)) {
		if (!alphabet_write(a))
			return false;
		if (event_again())
			return true;
		errno = 0;
	}
	return false;
}

int main(int argc, char **argv)
{
	int clients = net_arg(argc, argv, 2, 0, 0, MAX_CONNECTIONS), left = clients;

	listener = net_listen(net_arg(argc, argv, 1, 2626, 0, 65535));
	event_nonblocking(listener);
	set = epoll_create1(0);
	watch(listener, EPOLLIN | EPOLLET, -1);
	while (!clients || left) {
		struct epoll_event events[8] = {0};
		int n = epoll_wait(set, events, 8, -1);

		net_must(n > 0, "epoll_wait");
		for (int i = 0; i < n; i++) {
			int index = (int)events[i].data.u32;

			if (index < 0) {
				take_clients();
			} else if (!drain(&connection[index])) {
				close(connection[index].fd);
				memset(&connection[index], 0, sizeof connection[index]);
				left--;
			}
		}
	}
	return 0;
}
