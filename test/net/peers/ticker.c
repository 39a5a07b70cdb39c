/*
 * ticker.c: servers that are one event loop, as people write them. What comes is sent back when the loop's time-out ends, which is
 *
 *	ticker ADDRESS always MS    the same whether there is something to do or not
 *	ticker ADDRESS asked MS     there only when something came
 *
 *	ticker ADDRESS relay PORT   asks the server at that port instead, and hands its answer on: a proxy
 */
#include <poll.h>
#include <signal.h>

#include "endpoint.h"

#define MOST 16

static struct pollfd ready[MOST];
static char held[MOST][1024];
static size_t length[MOST];
static int back[MOST], backs;

static void take(int i, const char *relay)
{
	ssize_t n = read(ready[i].fd, held[i] + length[i], sizeof(held[i]) - length[i]);
	if (n <= 0) {
		close(ready[i].fd);
		if (relay)
			close(back[i]);
		ready[i].fd = -1;
		length[i] = 0;
		return;
	}
	length[i] += (size_t)n;
	if (relay) {
		(void)!write(back[i], held[i], length[i]);
		n = read(back[i], held[i], sizeof(held[i]));
		length[i] = 0;
		if (n > 0)
			(void)!write(ready[i].fd, held[i], (size_t)n);
	}
}

static void answer_all(void)
{
	for (int i = 1; i < backs; i++) {
		if (ready[i].fd >= 0 && length[i])
			(void)!write(ready[i].fd, held[i], length[i]);
		length[i] = 0;
	}
}

static int something_to_do(void)
{
	for (int i = 1; i < backs; i++)
		if (length[i])
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	const char *relay = !strcmp(argv[2], "relay") ? argv[3] : NULL;
	int always = !strcmp(argv[2], "always"), ms = atoi(argv[3]);
	signal(SIGPIPE, SIG_IGN);
	ready[0] = (struct pollfd){.fd = endpoint_listen(argv[1], SOCK_STREAM), .events = POLLIN};
	for (backs = 1;;) {
		int limit = !relay && (always || something_to_do()) ? ms : -1;
		if (poll(ready, (nfds_t)backs, limit) == 0)
			answer_all();
		for (int i = 1; i < backs; i++)
			if (ready[i].revents)
				take(i, relay);
		if (ready[0].revents && backs < MOST) {
			ready[backs] = (struct pollfd){.fd = accept(ready[0].fd, NULL, NULL),
						       .events = POLLIN};
			back[backs++] = relay ? endpoint_connect(relay, SOCK_STREAM) : -1;
		}
	}
}
