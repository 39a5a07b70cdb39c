/*
 * The alphabet server with libuv. It ends when CLIENTS have come and gone; 0: never.
 *
 *     alphabet-uv [PORT [CLIENTS]]
 *
 * The faulty version takes for granted that what it reads is one whole request, as alphabet-libevent does.
 */
#include <uv.h>

#include "../event.h"

struct connection {
	uv_tcp_t tcp;
	uv_write_t write;
	char in[16], out[2];
	size_t have;
};

static uv_loop_t loop;
static uv_tcp_t listener;
static int clients, left;

static void forget(uv_handle_t *h)
{
	free(h->data);
	if (clients && --left == 0)
		uv_close((uv_handle_t *)&listener, NULL);
}

static void written(uv_write_t *w, int status)
{
	(void)w;
	(void)status; /* who has left gets no answer */
}

static void answer(struct connection *c)
{
	uv_buf_t b = {.base = c->out, .len = sizeof c->out};

	c->out[0] = alphabet_letter(atoi(c->in));
	c->out[1] = '\n';
	memset(c->in, 0, sizeof c->in);
	c->have = 0;
	uv_write(&c->write, (uv_stream_t *)&c->tcp, &b, 1, written);
}

static void room(uv_handle_t *h, size_t wish, uv_buf_t *out)
{
	struct connection *c = h->data;

	(void)wish;
	*out = uv_buf_init(c->in + c->have, (unsigned)(sizeof c->in - 1 - c->have));
}

static void read_some(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct connection *c = s->data;

	(void)b;
	if (n < 0) {
		uv_close((uv_handle_t *)s, forget);
		return;
	}
	c->have += (size_t)n;
	if (FAULT && n)
		assert(c->in[c->have - 1] == '\n');
	if (n && c->in[c->have - 1] == '\n')
		answer(c);
}

static void take_client(uv_stream_t *l, int status)
{
	struct connection *c = calloc(1, sizeof *c);

	net_must(c && status == 0, "listen");
	uv_tcp_init(&loop, &c->tcp);
	c->tcp.data = c;
	net_must(uv_accept(l, (uv_stream_t *)&c->tcp) == 0, "uv_accept");
	uv_read_start((uv_stream_t *)&c->tcp, room, read_some);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at;

	left = clients = net_arg(argc, argv, 2, 0, 0, MAX_CONNECTIONS);
	uv_loop_init(&loop);
	uv_tcp_init(&loop, &listener);
	uv_ip4_addr("127.0.0.1", net_arg(argc, argv, 1, 2626, 0, 65535), &at);
	net_must(uv_tcp_bind(&listener, (struct sockaddr *)&at, 0) == 0, "bind");
	net_must(uv_listen((uv_stream_t *)&listener, 8, take_client) == 0, "listen");
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_loop_close(&loop);
	return 0;
}
