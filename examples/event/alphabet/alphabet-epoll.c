/*
 * The alphabet server with one thread, non-blocking sockets and epoll, level-triggered.
 *
 *     alphabet-epoll [PORT [CLIENTS]]        ends when CLIENTS have come and gone; 0: never
 *
 * The faulty version takes the readiness of the wrong descriptor: it reads from a connection because the
 * listener was ready, and takes for granted that there is something.
 */
#include "../event.h"

#include <sys/epoll.h>

static struct alphabet connection[MAX_CONNECTIONS];
static int set, listener;

static void watch(int op, int fd, unsigned events, int index)
{
	struct epoll_event e = {.events = events, .data.u32 = (unsigned)index};

	net_must(epoll_ctl(set, op, fd, &e) == 0, "epoll_ctl");
}

/* Only for who knows that there is something. */
static void read_now(struct alphabet *a)
{
	char peek;
	ssize_t n = recv(a->fd, &peek, 1, MSG_PEEK);

	assert(n >= 0);
}

static void take_client(void)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK), i = 0;

	if (fd < 0) {
		net_must(event_again(), "accept");
		return;
	}
	while (connection[i].fd)
		i++;
	connection[i].fd = fd;
	watch(EPOLL_CTL_ADD, fd, EPOLLIN, i);
	if (FAULT)
		read_now(&connection[i]);
}

/* false: the client has left. */
static bool serve(struct alphabet *a, unsigned events)
{
	bool stays = true;

	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		stays = alphabet_read(a);
	if (stays)
		stays = alphabet_write(a);
	if (stays) {
		watch(EPOLL_CTL_MOD, a->fd, a->out ? EPOLLIN | EPOLLOUT : EPOLLIN, (int)(a - connection));
		return true;
	}
	close(a->fd);
	memset(a, 0, sizeof *a);
	return false;
}

int main(int argc, char **argv)
{
	int clients = net_arg(argc, argv, 2, 0, 0, MAX_CONNECTIONS), left = clients;

	listener = net_listen(net_arg(argc, argv, 1, 2626, 0, 65535));
	event_nonblocking(listener);
	set = epoll_create1(0);
	watch(EPOLL_CTL_ADD, listener, EPOLLIN, -1);
	while (!clients || left) {
		struct epoll_event events[8] = {
			0}; /* what an earlier round has left there is no state of ours */
		int n = epoll_wait(set, events, 8, -1);

		net_must(n > 0, "epoll_wait");
		for (int i = 0; i < n; i++) {
			int index = (int)events[i].data.u32;

			if (index < 0)
				take_client();
			else if (!serve(&connection[index], events[i].events))
				left--;
		}
	}
	close(set);
	close(listener);
	return 0;
}
