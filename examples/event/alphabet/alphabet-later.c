/*
 * An alphabet client with one thread and several connections, which waits for nothing but poll: its connects
 * are in progress until poll says otherwise, and SO_ERROR what became of them.
 *
 *     alphabet-later HOST PORT [CONNECTIONS [MESSAGES]]
 *
 * The faulty version sends its first request at once, as if it were connected.
 */
#include "../event.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>

static struct asker {
	int fd, next; /* next: the letter it asks for; 0: not connected yet */
	size_t in;
	char answer[2];
} asker[MAX_CONNECTIONS];

static void ask(struct asker *a)
{
	char request[8];
	int len = snprintf(request, sizeof request, "%d\n", a->next);
	ssize_t n = send(a->fd, request, (size_t)len, MSG_NOSIGNAL);

	assert(n == len);
}

static void dial(struct asker *a, const char *host, int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

	net_must(inet_pton(AF_INET, host, &to.sin_addr) == 1, host);
	a->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	int err = connect(a->fd, (struct sockaddr *)&to, sizeof to);
	net_must(!err || errno == EINPROGRESS, "connect");
	if (FAULT) {
		a->next = 1;
		ask(a);
	}
}

static void connected(struct asker *a)
{
	int err = -1;
	socklen_t len = sizeof err;

	net_must(getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &err, &len) == 0, "getsockopt");
	errno = err;
	net_must(!err, "connect");
	a->next = 1;
	ask(a);
}

/* false: it has all its letters. */
static bool hear(struct asker *a, int messages)
{
	ssize_t n = read(a->fd, a->answer + a->in, sizeof a->answer - a->in);

	if (n < 0 && event_again())
		return true;
	net_must(n > 0, "read");
	a->in += (size_t)n;
	if (a->in < sizeof a->answer)
		return true;
	assert(a->answer[0] == 'a' + a->next - 1 && a->answer[1] == '\n');
	a->in = 0;
	if (++a->next > messages)
		return false;
	ask(a);
	return true;
}

int main(int argc, char **argv)
{
	int port = net_arg(argc, argv, 2, 2626, 1, 65535);
	int count = net_arg(argc, argv, 3, 1, 1, MAX_CONNECTIONS), left = count;
	int messages = net_arg(argc, argv, 4, 1, 1, 26);

	for (int i = 0; i < count; i++)
		dial(&asker[i], argc > 1 ? argv[1] : "127.0.0.1", port);
	while (left > 0) {
		struct pollfd p[MAX_CONNECTIONS] = {0};

		for (int i = 0; i < count; i++)
			p[i] = (struct pollfd){.fd = asker[i].fd, .events = asker[i].next ? POLLIN : POLLOUT};
		net_must(poll(p, (unsigned)count, -1) > 0, "poll");
		for (int i = 0; i < count; i++) {
			if (!p[i].revents)
				continue;
			if (!asker[i].next) {
				connected(&asker[i]);
			} else if (!hear(&asker[i], messages)) {
				close(asker[i].fd);
				asker[i].fd = -1;
				left--;
			}
		}
	}
	return 0;
}
