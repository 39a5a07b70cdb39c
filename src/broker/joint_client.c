/*
 * joint_client.c: a peer with several connections at a time, as one conversation of symbols (wire_net.h,
 * NET_JOINT). To the cache it is one connection, which has no descriptor of its own but parts: the
 * connections that the client has opened, or that were opened to servers (joint_server.c).
 *
 * A part gets its number when it is first told of. Those that came since the client was last asked are
 * sorted by what was said on them, since which came first may be luck (threads of the client), and what
 * they say is not.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "broker/broker_priv.h"
#include "wire/net_joint.h"

#define AWAIT_MS 50

struct connection *joint_next(struct connection *c, const struct connection *whole)
{
	while (c && c->whole != whole)
		c = c->next;
	return c;
}

struct connection *joint_part(struct broker *b, const struct connection *whole, u32 number)
{
	struct connection *c = joint_next(b->connections, whole);
	while (c && c->number != number)
		c = joint_next(c->next, whole);
	return c;
}

bool joint_adopt(struct broker *b, struct connection *whole, int fd)
{
	struct connection *c = connection_add(b, fd, &whole->to);
	if (!c) {
		close(fd);
		return false;
	}
	c->client = whole->client;
	c->whole = whole;
	c->procs = whole->procs;
	c->procs->uses++;
	return true;
}

/* ---- to the client ---- */

static int send_run(struct broker *b, struct connection *whole, struct connection *c, struct wire_net *n,
		    u64 from, u64 end)
{
	u64 len = (end - from) / NET_JOINT_SYMBOL;
	if (!c || !len)
		return 0;
	u8 *data = malloc(len);
	hd_assert(data != NULL);
	for (u64 i = 0; i < len; i++)
		data[i] = n->data[from + NET_JOINT_SYMBOL * i + 1];
	int status = transfer_send_bytes(b, c, data, len, n);
	free(data);
	whole->sent += len;
	return status;
}

static void act(struct connection *whole, struct connection *c, u8 what)
{
	if (!c)
		return;
	if (what == NET_JOINT_END || what == NET_JOINT_CLOSE)
		transfer_end(c);
	c->closing |= what == NET_JOINT_CLOSE;
	whole->asked = ~0ull;
}

/*
 * Bytes in a row to the same connection are sent at once. What goes to one that has ended is lost, as it
 * would be.
 */
int joint_send(struct broker *b, struct connection *whole, struct wire_net *n)
{
	int status = 0;
	for (u64 i = 0; i + 1 < n->len && !status;) {
		u8 to = n->data[i];
		struct connection *c = joint_part(b, whole, to % NET_JOINT_EVENT);
		u64 end = i + NET_JOINT_SYMBOL;
		if (to == NET_JOINT_EVENT && n->data[i + 1] == NET_JOINT_CLOCK) {
			status = standing_pass(b, whole, net_joint_clock(n->data + end, n->len - end), n);
			end += HD_MIN(n->len - end, (u64)NET_JOINT_SYMBOL * NET_JOINT_CLOCK_BYTES);
			whole->asked = ~0ull;
		} else if (to == NET_JOINT_EVENT) {
			joint_await(b, whole);
			whole->asked = ~0ull;
		} else if (to > NET_JOINT_EVENT && n->data[i + 1] == NET_JOINT_CONNECT) {
			status = joint_server_connect(b, whole, to - NET_JOINT_EVENT, n->data + end,
						      n->len - end, n);
			end += NET_JOINT_SYMBOL * (u64)(end + 1 < n->len ? n->data[end + 1] : 0);
		} else if (to > NET_JOINT_EVENT) {
			act(whole, c, n->data[i + 1]);
		} else {
			while (end + 1 < n->len && n->data[end] == to)
				end += NET_JOINT_SYMBOL;
			status = send_run(b, whole, c, n, i, end);
		}
		i = end;
	}
	return status;
}

/* ---- from the client ---- */

bool joint_drain(struct broker *b, const struct connection *whole)
{
	bool any = false;
	for (struct connection *c = b->connections; (c = joint_next(c, whole)); c = c->next)
		any |= transfer_drain(c);
	return any;
}

void joint_await(struct broker *b, const struct connection *whole)
{
	u64 start = monotonic_ms();
	bool any = false;
	standing_hold(b, whole, false); /* time is to pass */
	while (!any && monotonic_ms() - start < b->options.peer_timeout_ms && !broker_interrupted(b)) {
		any = !quiet_alive(whole->procs->q) || client_listener_pending(b);
		for (struct connection *c = b->connections; (c = joint_next(c, whole)); c = c->next) {
			struct pollfd p = {.fd = c->eof || c->reset ? -1 : c->fd,
					   .events = POLLIN | POLLRDHUP};
			any |= poll(&p, 1, 0) > 0;
		}
		if (!any)
			poll(NULL, 0, AWAIT_MS);
	}
}

void joint_put_symbol(struct bytes *to, u8 first, u8 second)
{
	u8 *at = transfer_room(to, NET_JOINT_SYMBOL);
	at[0] = first;
	at[1] = second;
	to->len += NET_JOINT_SYMBOL;
}

static bool says_less(const struct connection *a, const struct connection *b)
{
	size_t common = HD_MIN(a->reply.len, b->reply.len);
	int order = common ? memcmp(a->reply.data, b->reply.data, common) : 0;
	if (order || a->reply.len != b->reply.len)
		return order ? order < 0 : a->reply.len < b->reply.len;
	if (a->eof + 2 * a->reset != b->eof + 2 * b->reset)
		return a->eof + 2 * a->reset < b->eof + 2 * b->reset;
	return a->id < b->id;
}

/* NULL: all have their number. */
static struct connection *first_unnumbered(struct broker *b, const struct connection *whole)
{
	struct connection *first = NULL;
	for (struct connection *c = b->connections; (c = joint_next(c, whole)); c = c->next)
		if (!c->number && (!first || says_less(c, first)))
			first = c;
	return first;
}

void joint_tell(struct connection *whole, struct connection *c)
{
	struct bytes *to = &whole->reply;
	for (size_t i = 0; i < c->reply.len; i++)
		joint_put_symbol(to, (u8)c->number, c->reply.data[i]);
	c->reply.len = 0;
	if (c->eof && !c->eof_told)
		joint_put_symbol(to, (u8)(NET_JOINT_EVENT + c->number), NET_JOINT_EOF);
	if (c->reset && !c->reset_told)
		joint_put_symbol(to, (u8)(NET_JOINT_EVENT + c->number), NET_JOINT_RESET);
	c->eof_told = c->eof;
	c->reset_told = c->reset;
}

u64 joint_heard(struct broker *b, const struct connection *whole)
{
	u64 n = 0;
	for (u32 i = 1; whole->set && i <= NET_JOINT_MAX; i++)
		n += whole->refused[i] ? 2 : 0;
	for (struct connection *c = b->connections; (c = joint_next(c, whole)); c = c->next)
		n += c->reply.len + (c->eof && !c->eof_told) + (c->reset && !c->reset_told) +
		     (whole->set && !c->told);
	return NET_JOINT_SYMBOL * n;
}

static void close_left(struct broker *b, const struct connection *whole)
{
	for (struct connection *c = joint_next(b->connections, whole), *next; c; c = next) {
		next = joint_next(c->next, whole);
		if (c->closing)
			connection_close(b, c);
	}
}

int joint_collect(struct broker *b, struct connection *whole, struct wire_net *n)
{
	char name[200];
	close_left(b, whole);
	if (whole->set)
		return joint_server_collect(b, whole, n);
	u32 known = whole->number;
	for (struct connection *c; (c = first_unnumbered(b, whole));) {
		if (whole->number == NET_JOINT_MAX)
			return reply_error(n, NET_ERROR_STUCK,
					   "%s: more than %u connections of one client are not followed",
					   connection_text(whole, name, sizeof(name)), NET_JOINT_MAX);
		c->number = ++whole->number;
	}
	for (u32 number = 1; number <= whole->number; number++) {
		struct connection *c = joint_part(b, whole, number);
		if (number > known)
			joint_put_symbol(&whole->reply, (u8)(NET_JOINT_EVENT + number), NET_JOINT_OPENED);
		if (c)
			joint_tell(whole, c);
	}
	return 0;
}

void joint_close(struct broker *b, const struct connection *whole)
{
	for (struct connection *c; (c = joint_next(b->connections, whole));)
		connection_close(b, c);
}
