/*
 * Threads fetch a page at the same time, each on a connection of its own, and look at what they get.
 *
 *     http-client HOST PORT [THREADS [PATH]]
 */
#include "../http.h"
#include "../net.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *host, *path;
static int port;

static void *fetch(void *arg)
{
	struct http_message answer;
	char request[LINE_ROOM];
	int fd = net_connect(host, port);

	snprintf(request, sizeof request, "GET %s HTTP/1.0", path);
	http_send(fd, request, "");
	http_receive(fd, &answer);
	close(fd);
	assert(http_status(&answer) == 200);
	assert(answer.len == answer.head + answer.body);
	if (!strcmp(path, HTTP_PATH))
		assert(!strcmp(http_body(&answer), HTTP_FILE));
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	int n = net_arg(argc, argv, 3, 2, 1, MAX_THREADS);

	host = argc > 1 ? argv[1] : "127.0.0.1";
	port = net_arg(argc, argv, 2, 8080, 1, 65535);
	path = argc > 4 ? argv[4] : HTTP_PATH;
	for (int i = 0; i < n; i++)
		threads[i] = net_start(fetch, i);
	net_join_all(threads, n);
	printf("%d times %s\n", n, path);
	return 0;
}
