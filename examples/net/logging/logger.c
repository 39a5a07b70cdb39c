/*
 * Threads append records to one log, which is a connection that all of them share. A record goes out
 *
 *     whole     in one write, under a lock: records come in any order
 *     pieces    in two writes, without a lock: records are torn
 *
 * At the end the log server tells how many lines it got, and how many of them are no records.
 *
 *     logger HOST PORT [THREADS [whole|pieces [strict]]]       strict: none may be torn
 */
#include "../net.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd;
static bool pieces;

static void append_whole(const char *record, size_t len)
{
	pthread_mutex_lock(&lock);
	net_send(log_fd, record, len);
	pthread_mutex_unlock(&lock);
}

static void append_pieces(const char *record, size_t len)
{
	size_t half = strcspn(record, " ");

	net_send(log_fd, record, half);
	net_send(log_fd, record + half, len - half);
}

static void *work(void *arg)
{
	char record[LINE_ROOM];
	size_t len = (size_t)snprintf(record, sizeof record, "thread-%ld done\n", (long)arg);

	if (pieces)
		append_pieces(record, len);
	else
		append_whole(record, len);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	int lines = 0, torn = 0, n = net_arg(argc, argv, 3, 2, 1, MAX_THREADS);
	bool strict = argc > 5 && !strcmp(argv[5], "strict");
	char answer[LINE_ROOM] = "";
	struct net_lines in = {0};

	pieces = argc > 4 && !strcmp(argv[4], "pieces");
	log_fd = net_connect(argc > 1 ? argv[1] : "127.0.0.1", net_arg(argc, argv, 2, 5514, 1, 65535));
	for (int i = 0; i < n; i++)
		threads[i] = net_start(work, i + 1);
	net_join_all(threads, n);
	shutdown(log_fd, SHUT_WR);
	in.fd = log_fd;
	net_line(&in, answer);
	close(log_fd);
	assert(sscanf(answer, "%d lines, %d torn", &lines, &torn) == 2);
	assert(lines == n);
	assert(!torn || (pieces && !strict));
	printf("%s", answer);
	return 0;
}
