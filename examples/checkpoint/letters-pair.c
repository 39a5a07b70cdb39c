/*
 * Two threads ask a letters server (letters-server.c) on one connection, one at a time, each for letters of its own. In
 * which order they ask is the schedule's choice, so that the server is told many different things, and has to be brought
 * back to where they part. All letters are capitals, or all are small.
 *
 *     letters-pair HOST PORT [MESSAGES]        of each thread
 */
#include "../net/net.h"

#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fd, messages;
static char first;

static void *ask(void *arg)
{
	int from = (int)(long)arg;
	for (int k = from; k < from + messages; k++) {
		char number[8], answer[2];
		size_t len = (size_t)snprintf(number, sizeof number, "%d\n", k);
		pthread_mutex_lock(&lock);
		bool fine = net_send(fd, number, len) && net_receive(fd, answer, sizeof answer);
		assert(fine);
		assert(tolower(answer[0]) == 'a' + k - 1 && answer[1] == '\n');
		first = first ? first : answer[0];
		assert(!isupper(first) == !isupper(answer[0]));
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	messages = net_arg(argc, argv, 3, 2, 1, 13);
	fd = net_connect(argc > 1 ? argv[1] : "127.0.0.1", net_arg(argc, argv, 2, 2626, 1, 65535));
	threads[0] = net_start(ask, 1);
	threads[1] = net_start(ask, 1 + messages);
	net_join_all(threads, 2);
	close(fd);
	return 0;
}
