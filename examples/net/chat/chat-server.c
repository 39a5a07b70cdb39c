/*
 * A chat server: waits until all clients are there, then sends each line of any client to
 * everybody who is still there, the sender included. A thread for each client; a lock keeps the list of
 * clients together, and the lines in the same order for all.
 *
 * The fault: whoever leaves takes itself off the list without the lock. Another thread may just be about
 * to send to it, and uses a descriptor that is closed.
 *
 *     chat-server [PORT [CLIENTS]]        ends when all have left
 */
#include "../net.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int client[MAX_THREADS]; /* descriptors; -1: has left */
static int clients;

static void tell(int fd, const char *line, size_t len)
{
	/* A client may go without a word; its own thread will notice. */
	if (send(fd, line, len, MSG_NOSIGNAL) < 0)
		assert(errno == EPIPE || errno == ECONNRESET);
}

static void tell_all(const char *line, size_t len)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < clients; i++)
		if (client[i] >= 0)
			tell(client[i], line, len);
	pthread_mutex_unlock(&lock);
}

static void leave(int me)
{
	if (!FAULT)
		pthread_mutex_lock(&lock);
	close(client[me]);
	client[me] = -1;
	if (!FAULT)
		pthread_mutex_unlock(&lock);
}

static void *serve(void *arg)
{
	int me = (int)(long)arg;
	struct net_lines in = {.fd = client[me]};
	char line[LINE_ROOM] = "";
	size_t len;

	while ((len = net_line(&in, line)))
		tell_all(line, len);
	leave(me);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	int listener = net_listen(net_arg(argc, argv, 1, 4444, 0, 65535));

	clients = net_arg(argc, argv, 2, 2, 1, MAX_THREADS);
	for (int i = 0; i < clients; i++)
		client[i] = net_accept(listener);
	for (int i = 0; i < clients; i++)
		threads[i] = net_start(serve, i);
	net_join_all(threads, clients);
	return 0;
}
