/*
 * The web server of libevent (evhttp), one thread. It never ends by itself.
 *
 * library: libevent
 * heddle: verdict=verified options="--timeouts never" clients=2 client="printf 'GET / HTTP/1.0\r\n\r\n' | nc -N 127.0.0.1 {port}"
 * heddle: verdict=verified options="--timeouts never" clients=2 client="curl -s http://127.0.0.1:{port}/a http://127.0.0.1:{port}/b"
 * native: skip
 */
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>

#include "net.h"

static void answer(struct evhttp_request *request, void *unused)
{
	struct evbuffer *page = evbuffer_new();
	(void)unused;
	CHECK(page && evbuffer_add_printf(page, "ok\n") == 3);
	evhttp_send_reply(request, 200, "OK", page);
	evbuffer_free(page);
}

int main(void)
{
	struct event_base *base = event_base_new();
	struct evhttp *server = evhttp_new(base);
	CHECK(base && server);
	OK(evhttp_bind_socket(server, "127.0.0.1", PORT));
	evhttp_set_gencb(server, answer, NULL);
	return event_base_dispatch(base);
}
