/*
 * A WebDAV server with one property: the colour of a resource. PROPPATCH sets it, PROPFIND
 * tells it. A thread for each connection, any number of requests on each.
 *
 *     webdav-server [PORT [CLIENTS]]        ends when CLIENTS have come and gone; 0: never
 */
#include "../http.h"
#include "../net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RESOURCES 16
#define OPENING "<colour>"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char colour[RESOURCES][LINE_ROOM]; /* "": none */

/* The resource's colour out of a PROPPATCH; false: it names none. */
static bool patch(char *to, const struct http_message *m)
{
	const char *from = strstr(http_body(m), OPENING);

	if (!from)
		return false;
	from += strlen(OPENING);
	pthread_mutex_lock(&lock);
	snprintf(to, LINE_ROOM, "%.*s", (int)strcspn(from, "<"), from);
	pthread_mutex_unlock(&lock);
	return true;
}

static bool send_colour(int fd, const char *from)
{
	char body[2 * LINE_ROOM];

	pthread_mutex_lock(&lock);
	snprintf(body, sizeof body, OPENING "%s</colour>", from);
	pthread_mutex_unlock(&lock);
	return http_send(fd, "HTTP/1.1 207 Multi-Status", body);
}

static bool answer(int fd, const struct http_message *m)
{
	char method[LINE_ROOM] = "";
	unsigned resource = RESOURCES;

	if (sscanf(m->text, "%63s /%u ", method, &resource) != 2 || resource >= RESOURCES)
		return http_send(fd, "HTTP/1.1 404 Not Found", "");
	if (!strcmp(method, "PROPFIND"))
		return send_colour(fd, colour[resource]);
	if (strcmp(method, "PROPPATCH") || !patch(colour[resource], m))
		return http_send(fd, "HTTP/1.1 400 Bad Request", "");
	return http_send(fd, "HTTP/1.1 207 Multi-Status", "");
}

static void *serve(void *arg)
{
	struct http_message request;
	int fd = (int)(long)arg;

	while (http_receive(fd, &request) == HTTP_DONE && answer(fd, &request))
		;
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	int listener = net_listen(net_arg(argc, argv, 1, 8081, 0, 65535));
	int clients = net_arg(argc, argv, 2, 0, 0, MAX_THREADS);

	while (!clients)
		pthread_detach(net_start(serve, net_accept(listener)));
	for (int i = 0; i < clients; i++)
		threads[i] = net_start(serve, net_accept(listener));
	net_join_all(threads, clients);
	return 0;
}
