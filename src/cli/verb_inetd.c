/*
 * verb_inetd.c: for server peers that have a process for each connection (dropbear -i, vsftpd, in.ftpd):
 * waits for one connection, and becomes the command, with the connection as its input and output. Such a
 * peer is one process, which can be saved.
 *
 *   heddle inetd PORT COMMAND [ARG]…
 */
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/cli.h"

static int listen_at(unsigned port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	return bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1) ? -1 : fd;
}

int verb_inetd(int argc, char **argv)
{
	struct problem p;
	char *end = NULL;
	unsigned long port = argc > 2 ? strtoul(argv[1], &end, 10) : 0;
	if (argc < 3 || !*argv[1] || *end || !port || port > 65535)
		return complain_usage("inetd",
				      "inetd takes a port and a command: heddle inetd PORT COMMAND [ARG]…");
	int listener = listen_at((unsigned)port);
	if (listener < 0) {
		problem_set(&p, "nobody can connect to port %lu of 127.0.0.1: %s", port, strerror(errno));
		return complain(&p);
	}
	int fd = accept(listener, NULL, NULL);
	if (fd < 0 || dup2(fd, 0) < 0 || dup2(fd, 1) < 0) {
		problem_set(&p, "no connection at port %lu: %s", port, strerror(errno));
		return complain(&p);
	}
	close(fd);
	execvp(argv[2], argv + 2);
	problem_set(&p, "%s cannot be executed: %s", argv[2], strerror(errno));
	return complain(&p);
}
