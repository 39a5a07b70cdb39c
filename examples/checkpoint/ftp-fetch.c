/*
 * ftp-fetch.c: fetches a file from an FTP server, as the anonymous user, in passive mode: what is asked for on the control
 * connection comes on the data connection, which has a thread of its own.
 *
 *     ftp-fetch HOST PORT FILE BYTES        BYTES: how long it has to be
 */
#include "../net/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int control, data, got;

/* Replies may be long; only the first line of each matters, which begins with its code. */
static int reply(char *line, size_t room)
{
	size_t n = 0;
	char c;
	while (read(control, &c, 1) == 1 && c != '\n')
		if (n + 1 < room)
			line[n++] = c;
	line[n] = 0;
	return atoi(line);
}

static int command(const char *text, char *line, size_t room)
{
	net_must(net_send(control, text, strlen(text)), "send");
	return reply(line, room);
}

/* 227 Entering Passive Mode (127,0,0,1,high,low). */
static int passive_port(const char *line)
{
	unsigned a, b, c, d, high = 0, low = 0;
	const char *at = strchr(line, '(');
	net_must(at && sscanf(at, "(%u,%u,%u,%u,%u,%u)", &a, &b, &c, &d, &high, &low) == 6, "passive mode");
	return (int)(high * 256 + low);
}

static void *receive(void *arg)
{
	char bytes[64];
	ssize_t n;
	(void)arg;
	while ((n = read(data, bytes, sizeof(bytes))) > 0)
		got += (int)n;
	close(data);
	return NULL;
}

int main(int argc, char **argv)
{
	char line[128], text[128];
	const char *host = argc > 1 ? argv[1] : "127.0.0.1", *file = argc > 3 ? argv[3] : "a";
	control = net_connect(host, net_arg(argc, argv, 2, 21, 1, 65535));
	assert(reply(line, sizeof line) == 220);
	assert(command("USER ftp\r\n", line, sizeof line) == 331);
	assert(command("PASS x\r\n", line, sizeof line) == 230);
	assert(command("TYPE I\r\n", line, sizeof line) == 200);
	assert(command("PASV\r\n", line, sizeof line) == 227);
	data = net_connect(host, passive_port(line));
	pthread_t thread = net_start(receive, 0);
	snprintf(text, sizeof text, "RETR %s\r\n", file);
	assert(command(text, line, sizeof line) == 150);
	assert(reply(line, sizeof line) == 226);
	net_join_all(&thread, 1);
	assert(got == net_arg(argc, argv, 4, 0, 0, 1 << 20));
	assert(command("QUIT\r\n", line, sizeof line) == 221);
	close(control);
	return 0;
}
