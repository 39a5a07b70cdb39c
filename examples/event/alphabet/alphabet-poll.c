/*
 * The alphabet server with one thread, non-blocking sockets and poll.
 *
 *     alphabet-poll [PORT [CLIENTS]]        ends when CLIENTS have come and gone; 0: never
 *
 * The faulty version looks at the wrong entry, the one before: it reads from a connection because
 * another one, or the listener, is ready, and takes for granted that there is something.
 */
#include "../event.h"

#include <poll.h>

static struct pollfd watched[MAX_CONNECTIONS + 1]; /* the listener, then connection[i - 1] */
static struct alphabet connection[MAX_CONNECTIONS];
static int count;

static void take_client(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);

	if (fd < 0) {
		net_must(event_again(), "accept");
		return;
	}
	connection[count++].fd = fd;
}

/* Closes up the gap that connection i leaves. */
static void drop(int i)
{
	close(connection[i].fd);
	count--;
	memmove(&connection[i], &connection[i + 1], (size_t)(count - i) * sizeof connection[0]);
	memset(&connection[count], 0, sizeof connection[0]);
}

/*
 * How many have left. Not inlined: what main has on its stack from an earlier round would tell states apart,
 * three times as many.
 */
static __attribute__((noinline)) int serve_all(int n)
{
	int left = 0;

	for (int i = 0, k = 0; i < n; i++) {
		struct alphabet *a = &connection[k];
		bool ready = watched[FAULT ? i : i + 1].revents;

		if (FAULT && ready) {
			char peek;
			ssize_t got = recv(a->fd, &peek, 1, MSG_PEEK);

			assert(got >= 0); /* poll said that there is something */
		}
		if (!ready || (alphabet_read(a) && alphabet_write(a))) {
			k++;
			continue;
		}
		drop(k);
		left++;
	}
	return left;
}

int main(int argc, char **argv)
{
	int listener = net_listen(net_arg(argc, argv, 1, 2626, 0, 65535));
	int clients = net_arg(argc, argv, 2, 0, 0, MAX_CONNECTIONS), left = clients;

	event_nonblocking(listener);
	while (!clients || left) {
		int n = count;

		watched[0] = (struct pollfd){.fd = listener, .events = POLLIN};
		for (int i = 0; i < n; i++)
			watched[i + 1] = (struct pollfd){.fd = connection[i].fd,
							 .events = connection[i].out ? POLLIN | POLLOUT
										     : POLLIN};
		net_must(poll(watched, (nfds_t)n + 1, -1) > 0, "poll");
		if (watched[0].revents)
			take_client(listener);
		left -= serve_all(FAULT ? count : n);
		memset(&watched[1], 0, (size_t)n * sizeof watched[0]);
	}
	close(listener);
	return 0;
}
