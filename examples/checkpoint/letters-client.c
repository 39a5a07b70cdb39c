/*
 * Asks a letters server (letters-server.c) for letters: one thread writes the requests, another one reads the answers.
 * All of them are in capitals, or all are small: a mix would be two behaviours of the server in one execution.
 *
 *     letters-client HOST PORT [MESSAGES]
 */
#include "../net/net.h"

#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

static int fd, messages;

static void *produce(void *arg)
{
	(void)arg;
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
	char first = 0;
	(void)arg;
	for (int k = 1; k <= messages; k++) {
		char answer[2];
		bool received = net_receive(fd, answer, sizeof answer);
		assert(received);
		assert(tolower(answer[0]) == 'a' + k - 1 && answer[1] == '\n');
		first = first ? first : answer[0];
		assert(!isupper(first) == !isupper(answer[0]));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	messages = net_arg(argc, argv, 3, 3, 1, 26);
	fd = net_connect(argc > 1 ? argv[1] : "127.0.0.1", net_arg(argc, argv, 2, 2626, 1, 65535));
	threads[0] = net_start(produce, 0);
	threads[1] = net_start(consume, 0);
	net_join_all(threads, 2);
	close(fd);
	return 0;
}
