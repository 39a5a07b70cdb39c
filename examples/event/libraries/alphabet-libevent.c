/*
 * The alphabet server with libevent: a listener and a bufferevent for each connection. It ends when CLIENTS have come and
 * gone; 0: never.
 *
 *     alphabet-libevent [PORT [CLIENTS]]
 *
 * The faulty version takes for granted that what it reads is one whole request, and asserts it: what a client sends may arrive in
 * parts.
 */
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>

#include "../event.h"

static struct event_base *base;
static int clients, left;

static void answer(struct bufferevent *b, const char *request)
{
	char text[2] = {alphabet_letter(atoi(request)), '\n'};

	bufferevent_write(b, text, sizeof text);
}

static void read_lines(struct bufferevent *b, void *arg)
{
	struct evbuffer *in = bufferevent_get_input(b);
	char *line, text[16] = {0};

	(void)arg;
	if (FAULT) {
		int n = evbuffer_remove(in, text, sizeof text - 1);

		assert(n > 0 && text[n - 1] == '\n');
		answer(b, text);
		return;
	}
	while ((line = evbuffer_readln(in, NULL, EVBUFFER_EOL_LF))) {
		answer(b, line);
		free(line);
	}
}

static void ended(struct bufferevent *b, short what, void *arg)
{
	(void)arg;
	if (!(what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)))
		return;
	bufferevent_free(b);
	if (clients && --left == 0)
		event_base_loopbreak(base);
}

static void take_client(struct evconnlistener *l, evutil_socket_t fd, struct sockaddr *from, int len,
			void *arg)
{
	struct bufferevent *b = bufferevent_socket_new(base, fd, BEV_OPT_CLOSE_ON_FREE);

	(void)l;
	(void)from;
	(void)len;
	(void)arg;
	net_must(b, "bufferevent_socket_new");
	bufferevent_setcb(b, read_lines, NULL, ended, NULL);
	bufferevent_enable(b, EV_READ | EV_WRITE);
}

int main(int argc, char **argv)
{
	int listener = net_listen(net_arg(argc, argv, 1, 2626, 0, 65535));
	struct evconnlistener *l;

	left = clients = net_arg(argc, argv, 2, 0, 0, MAX_CONNECTIONS);
	event_nonblocking(listener);
	base = event_base_new();
	net_must(base, "event_base_new");
	l = evconnlistener_new(base, take_client, NULL, LEV_OPT_CLOSE_ON_FREE, 0, listener);
	net_must(l, "evconnlistener_new");
	event_base_dispatch(base);
	evconnlistener_free(l);
	event_base_free(base);
	return 0;
}
