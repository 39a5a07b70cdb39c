/*
 * Answers "K\n" by the K-th letter of the alphabet, "?" where there is none. A thread for each connection.
 *
 *     alphabet-server [PORT [CLIENTS]]        ends when CLIENTS have come and gone; 0: never
 */
#include "../net.h"

#include <stdlib.h>
#include <unistd.h>

static void *serve(void *arg)
{
	struct net_lines in = {.fd = (int)(long)arg};
	char line[LINE_ROOM] = "";

	while (net_line(&in, line)) {
		int k = atoi(line);
		char answer[2] = {k >= 1 && k <= 26 ? (char)('a' + k - 1) : '?', '\n'};

		if (!net_send(in.fd, answer, sizeof answer))
			break;
	}
	close(in.fd);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	int listener = net_listen(net_arg(argc, argv, 1, 2626, 0, 65535));
	int clients = net_arg(argc, argv, 2, 0, 0, MAX_THREADS);

	while (!clients)
		pthread_detach(net_start(serve, net_accept(listener)));
	for (int i = 0; i < clients; i++)
		threads[i] = net_start(serve, net_accept(listener));
	net_join_all(threads, clients);
	return 0;
}
