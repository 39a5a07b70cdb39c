/*
 * Asks an alphabet server for its letters: request K is answered by the K-th letter. Each connection
 * has two threads: a producer that writes the requests, each in two steps, and a consumer that reads
 * the answers. So an answer may be there before or after the next request is written.
 *
 *     alphabet-client HOST PORT [CONNECTIONS [MESSAGES]]
 */
#include "../net.h"

#include <stdio.h>
#include <unistd.h>

#define MAX_CONNECTIONS (MAX_THREADS / 2)

static int connection[MAX_CONNECTIONS];
static int messages;

static void *produce(void *arg)
{
	int fd = connection[(long)arg];

	for (int k = 1; k <= messages; k++) {
		char number[8];
		size_t len = (size_t)snprintf(number, sizeof number, "%d", k);
		bool sent = net_send(fd, number, len) && net_send(fd, "\n", 1);

		assert(sent);
	}
	return NULL;
}

static void *consume(void *arg)
{
	int fd = connection[(long)arg];

	for (int k = 1; k <= messages; k++) {
		char answer[2];
		bool received = net_receive(fd, answer, sizeof answer);

		assert(received);
		assert(answer[0] == 'a' + k - 1 && answer[1] == '\n');
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	const char *host = argc > 1 ? argv[1] : "127.0.0.1";
	int port = net_arg(argc, argv, 2, 2626, 1, 65535);
	int n = net_arg(argc, argv, 3, 2, 1, MAX_CONNECTIONS);

	messages = net_arg(argc, argv, 4, 1, 1, 26);
	for (int i = 0; i < n; i++)
		connection[i] = net_connect(host, port);
	for (int i = 0; i < n; i++) {
		threads[2 * i] = net_start(produce, i);
		threads[2 * i + 1] = net_start(consume, i);
	}
	net_join_all(threads, 2 * n);
	for (int i = 0; i < n; i++)
		close(connection[i]);
	printf("%d letters on each of %d connections\n", messages, n);
	return 0;
}
