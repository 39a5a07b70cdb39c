/*
 * Serves three pages, with a thread for each connection, and one request on each:
 *
 *     /alphabet   always the same; a part of it where the request has a Range
 *     /hits       how often it was fetched
 *     /date       when
 *
 *     http-server [PORT [CLIENTS [TICKS]]]      ends when CLIENTS have been served; 0: never
 *
 * Under heddle time passes only while somebody waits for it. TICKS is how often a thread that does
 * nothing else waits for a second to pass.
 */
#include "../http.h"
#include "../net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static bool asks_for(const struct http_message *m, const char *path)
{
	size_t len = strlen(path);

	return !strncmp(m->text, "GET ", 4) && !strncmp(m->text + 4, path, len) && m->text[4 + len] == ' ';
}

/* "Range: bytes=3-7"; without one, or if it is wrong, all of the file. */
static bool send_file(int fd, const struct http_message *m, const char *file)
{
	const char *range = http_header(m, "Range");
	size_t first, last, size = strlen(file);
	char part[HTTP_ROOM] = "";

	if (!range || sscanf(range, "bytes=%zu-%zu", &first, &last) != 2 || first > last || last >= size)
		return http_send(fd, "HTTP/1.0 200 OK", file);
	memcpy(part, file + first, last - first + 1);
	return http_send(fd, "HTTP/1.0 206 Partial Content", part);
}

static bool send_hits(int fd)
{
	char page[LINE_ROOM];

	pthread_mutex_lock(&lock);
	snprintf(page, sizeof page, "%d\n", ++hits);
	pthread_mutex_unlock(&lock);
	return http_send(fd, "HTTP/1.0 200 OK", page);
}

static bool send_date(int fd)
{
	char page[LINE_ROOM];
	time_t now = time(NULL);
	struct tm tm;

	strftime(page, sizeof page, "%F %T\n", gmtime_r(&now, &tm));
	return http_send(fd, "HTTP/1.0 200 OK", page);
}

static bool answer(int fd, const struct http_message *m)
{
	if (asks_for(m, HTTP_PATH))
		return send_file(fd, m, HTTP_FILE);
	if (asks_for(m, "/hits"))
		return send_hits(fd);
	if (asks_for(m, "/date"))
		return send_date(fd);
	return http_send(fd, "HTTP/1.0 404 Not Found", "");
}

static void *serve(void *arg)
{
	struct http_message request;
	int fd = (int)(long)arg;

	if (http_receive(fd, &request) == HTTP_DONE)
		answer(fd, &request);
	close(fd);
	return NULL;
}

static void *tick(void *arg)
{
	for (long left = (long)arg; left > 0; left--)
		sleep(1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS + 1];
	int listener = net_listen(net_arg(argc, argv, 1, 8080, 0, 65535));
	int clients = net_arg(argc, argv, 2, 0, 0, MAX_THREADS);
	int ticks = net_arg(argc, argv, 3, 0, 0, 1000);

	while (!clients)
		pthread_detach(net_start(serve, net_accept(listener)));
	if (ticks)
		threads[clients] = net_start(tick, ticks);
	for (int i = 0; i < clients; i++)
		threads[i] = net_start(serve, net_accept(listener));
	net_join_all(threads, clients + (ticks > 0));
	return 0;
}
