/*
 * Takes down what threads of a program have to say: lines "thread-N done". When a client has said all,
 * it is told how many lines came, and how many of them are none such. A thread for each connection.
 *
 *     log-server [PORT]        until it is killed
 */
#include "../net.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_record(const char *line)
{
	int thread, end = 0;

	return sscanf(line, "thread-%d done%n", &thread, &end) == 1 && end && !strcmp(line + end, "\n");
}

static void *serve(void *arg)
{
	struct net_lines in = {.fd = (int)(long)arg};
	char line[LINE_ROOM + 1] = "", answer[LINE_ROOM];
	int lines = 0, torn = 0;
	size_t len;

	while ((len = net_line(&in, line))) {
		line[len] = 0;
		lines++;
		torn += !is_record(line);
	}
	len = (size_t)snprintf(answer, sizeof answer, "%d lines, %d torn\n", lines, torn);
	net_send(in.fd, answer, len);
	close(in.fd);
	return NULL;
}

int main(int argc, char **argv)
{
	int listener = net_listen(net_arg(argc, argv, 1, 5514, 0, 65535));

	for (;;)
		pthread_detach(net_start(serve, net_accept(listener)));
}
