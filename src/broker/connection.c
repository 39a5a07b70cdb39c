/*
 * connection.c: the table of physical connections.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "broker/address.h"
#include "broker/broker_priv.h"

struct connection *connection_find(struct broker *b, u32 id)
{
	u32 i;

	for (i = 0; i < NET_MAX_CONNS; i++)
		if (b->conn[i] && b->conn[i]->id == id)
			return b->conn[i];
	return NULL;
}

static struct connection **free_slot(struct broker *b)
{
	u32 i;

	for (i = 0; i < NET_MAX_CONNS; i++)
		if (!b->conn[i])
			return &b->conn[i];
	return NULL;
}

struct connection *connection_add(struct broker *b, int fd, const struct net_address *to)
{
	struct connection **slot = free_slot(b), *c;

	if (!slot && connection_make_room(b, NULL, NULL, 1))
		slot = free_slot(b);
	if (!slot)
		return NULL;
	c = calloc(1, sizeof(*c));
	hd_assert(c != NULL);
	*c = (struct connection){.id = ++b->last_id, .fd = fd, .to = *to, .framed = to->type != NET_STREAM};
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	if (to->family != NET_UNIX && !c->framed)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	return *slot = c;
}

void connection_close(struct broker *b, struct connection *c)
{
	u32 i;

	for (i = 0; i < NET_MAX_CONNS; i++)
		if (b->conn[i] == c)
			b->conn[i] = NULL;
	close(c->fd);
	if (c->pid)
		b->peers.end_client(b->peers.self, c->pid);
	tree_release(b, c->tree);
	free(c->reply.data);
	free(c->unsent.data);
	free(c);
}

static bool is_kept(const struct broker *b, u32 id)
{
	u32 i;

	for (i = 0; i < b->keeps; i++)
		if (b->keep[i] == id)
			return true;
	return false;
}

void connection_keep(struct broker *b, const struct connection *c)
{
	if (!is_kept(b, c->id) && b->keeps < NET_MAX_CONNS)
		b->keep[b->keeps++] = c->id;
}

static struct connection *oldest_unused(struct broker *b, const struct tree *t, const struct connection *but)
{
	struct connection *oldest = NULL;
	u32 i;

	for (i = 0; i < NET_MAX_CONNS; i++) {
		struct connection *c = b->conn[i];

		if (c && c != but && (!t || c->tree == t) && !is_kept(b, c->id) &&
		    (!oldest || c->id < oldest->id))
			oldest = c;
	}
	return oldest;
}

u32 connection_make_room(struct broker *b, const struct tree *t, const struct connection *but, u32 most)
{
	struct connection *c;
	u32 closed;

	for (closed = 0; closed < most && (c = oldest_unused(b, t, but)); closed++)
		connection_close(b, c);
	return closed;
}

const char *connection_text(const struct connection *c, char *out, size_t cap)
{
	char address[ADDRESS_TEXT];

	address_text(&c->to, address);
	if (c->client)
		snprintf(out, cap, "connection %u (client %u at %s)", c->id, c->client, address);
	else
		snprintf(out, cap, "connection %u (to %s)", c->id, address);
	return out;
}
