/*
 * connection.c: the list of physical connections. Who opens and closes them is the cache, in the runtime:
 * here is only said whether there is room.
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
	struct connection *c = b->connections;
	while (c && c->id != id)
		c = c->next;
	return c;
}

void connection_prepare(struct connection *c)
{
	fcntl(c->fd, F_SETFL, fcntl(c->fd, F_GETFL) | O_NONBLOCK);
	if (c->to.family != NET_UNIX && !c->framed)
		setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
}

struct connection *connection_add(struct broker *b, int fd, const struct net_address *to)
{
	if (b->connection_count >= NET_MAX_CONNS)
		return NULL;
	struct connection *c = calloc(1, sizeof(*c));
	hd_assert(c != NULL);
	*c = (struct connection){.next = b->connections,
				 .id = ++b->last_id,
				 .fd = fd,
				 .next_fd = -1,
				 .to = *to,
				 .framed = to->type != NET_STREAM};
	connection_prepare(c);
	b->connections = c;
	b->connection_count++;
	return c;
}

void connection_close(struct broker *b, struct connection *c)
{
	if (c->joint)
		joint_close(b, c);
	if (!c->whole)
		saved_talk_forget(b, c);
	struct connection **at = &b->connections;
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	b->connection_count--;
	if (c->fd >= 0)
		close(c->fd);
	if (c->next_fd >= 0)
		close(c->next_fd);
	bool client = c->pid != 0;
	u32 set = c->set;
	if (client)
		b->peers.end_client(b->peers.self, c->pid);
	peer_procs_release(b, c->procs);
	free(c->reply.data);
	free(c->unsent.data);
	free(c->early.data);
	free(c);
	if (set)
		joint_server_end(b, set);
	if (client)
		client_drop_stale(b);
}

const char *connection_text(const struct connection *c, char *out, size_t cap)
{
	char address[ADDRESS_TEXT];
	address_text(&c->to, address);
	if (c->joint && !c->client)
		snprintf(out, cap, "the connections to the servers");
	else if (c->joint)
		snprintf(out, cap, "the connections of client %u at %s", c->client, address);
	else if (c->client)
		snprintf(out, cap, "connection %u (client %u at %s)", c->id, c->client, address);
	else
		snprintf(out, cap, "connection %u (to %s)", c->id, address);
	return out;
}
