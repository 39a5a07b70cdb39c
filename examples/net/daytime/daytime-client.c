/*
 * Threads ask a daytime server (RFC 867) at the same time: whoever connects is told the
 * date, nothing need be asked. The server of this folder always gives the same one.
 *
 *     daytime-client HOST PORT [THREADS]
 */
#include "../net.h"
#include "daytime.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *host;
static int port;

static void *ask(void *arg)
{
	char line[LINE_ROOM] = "";
	struct net_lines server = {.fd = net_connect(host, port)};

	net_line(&server, line);
	assert(!strcmp(line, DAYTIME));
	close(server.fd);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	int n = net_arg(argc, argv, 3, 2, 1, MAX_THREADS);

	host = argc > 1 ? argv[1] : "127.0.0.1";
	port = net_arg(argc, argv, 2, 1313, 1, 65535);
	for (int i = 0; i < n; i++)
		threads[i] = net_start(ask, i);
	net_join_all(threads, n);
	printf("%d times %s", n, DAYTIME);
	return 0;
}
