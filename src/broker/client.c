/*
 * client.c: NET_OPEN for a client peer: start it, and accept exactly its connection. One that sends datagrams has a socket of
 * ours to itself, and is there when the first one is; where that came from is the client's address.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "broker/address.h"
#include "broker/broker_priv.h"

struct knock {
	struct broker *b;
	struct wire_net *n;
	struct listener *l;          /* NULL: datagrams */
	int fd;                      /* where they come */
	struct net_address physical; /* where the client is sent to */
	struct sockaddr_storage from;
	socklen_t from_len;
	pid_t pid;
	struct tree *tree;
	u64 start, asleep_since;
};

/* The client whose process has the other end of this connection; NULL: none that is known. */
static const struct connection *client_of(struct broker *b, int fd, const struct tree *but)
{
	u32 i;

	for (i = 0; i < NET_MAX_CONNS; i++) {
		const struct connection *c = b->conn[i];

		if (c && c->client && c->tree && c->tree != but && quiet_holds(c->tree->q, fd))
			return c;
	}
	return NULL;
}

static int another(struct wire_net *n, const struct connection *c)
{
	char name[200];

	if (!c)
		return trouble(n, NET_TROUBLE_ANOTHER, "a client peer opened a further connection");
	return trouble(n, NET_TROUBLE_ANOTHER,
		       "client %u opened a further connection besides %s: a client peer may open only one",
		       c->client, connection_text(c, name, sizeof(name)));
}

int client_another(struct broker *b, struct wire_net *n)
{
	struct listener *l;
	int fd, status;
	u32 i;

	for (i = 0; i < NET_MAX_CONNS; i++)
		if (b->conn[i] && b->conn[i]->another)
			return another(n, b->conn[i]);
	for (l = b->listeners; l; l = l->next) {
		fd = listener_accept(l);
		if (fd < 0)
			continue;
		status = another(n, client_of(b, fd, NULL));
		close(fd);
		return status;
	}
	return 0;
}

static int not_coming(struct knock *k, int status, const char *what)
{
	char waits[1024], name[ADDRESS_TEXT];

	quiet_describe(k->tree->q, NULL, 0, waits, sizeof(waits));
	return trouble(k->n, status, "client %u %s %s (%s)", k->n->client, what,
		       address_text(&k->n->to, name), waits);
}

static int ended(struct knock *k, int how)
{
	char name[ADDRESS_TEXT], there[ADDRESS_TEXT];

	address_text(&k->n->to, name);
	if (k->l)
		trouble(k->n, NET_TROUBLE_NO_PEER,
			"client %u has ended without connecting to %s, which stands for %s", k->n->client,
			address_text(&k->l->physical, there), name);
	else
		trouble(k->n, NET_TROUBLE_NO_PEER, "client %u has ended without sending anything to %s",
			k->n->client, name);
	trouble_add_end(k->b, k->n, k->pid, how);
	return NET_TROUBLE_NO_PEER;
}

/* It has not come yet. Status: 0 as long as it may. */
static int still_waiting(struct knock *k)
{
	u64 now = broker_now_ms();
	int how = 0;

	if (broker_interrupted(k->b))
		return trouble(k->n, NET_TROUBLE_TOOL, "interrupted while waiting for a client peer");
	if (k->b->peers.ended(k->b->peers.self, k->pid, &how) && !quiet_alive(k->tree->q))
		return ended(k, how);
	if (!quiet_asleep(k->tree->q) || quiet_look(k->tree->q, NULL, 0) != QUIET_YES)
		k->asleep_since = now;
	if (now - k->asleep_since >= SETTLE_MS)
		return not_coming(k, NET_TROUBLE_NO_PEER,
				  k->l ? "is at rest without having connected to"
				       : "is at rest without having sent anything to");
	if (now - k->start >= k->b->options.peer_timeout_ms)
		return not_coming(k, NET_TROUBLE_SLOW,
				  k->l ? "did not connect within --peer-timeout to"
				       : "sent nothing within --peer-timeout to");
	return 0;
}

/* The fd of the connection; negative: not yet. */
static int knocked(struct knock *k)
{
	if (k->l)
		return listener_accept(k->l);
	k->from_len = sizeof(k->from);
	if (recvfrom(k->fd, NULL, 0, MSG_PEEK | MSG_DONTWAIT, (struct sockaddr *)&k->from, &k->from_len) < 0)
		return -1;
	return k->fd;
}

/* What it did before it ended or came to rest counts: hence one more try after the verdict. */
static int wait_for_it(struct knock *k, int *fd)
{
	u32 delay = 0;
	int status = 0;
	struct pollfd p = {.fd = k->l ? k->l->fd : k->fd, .events = POLLIN};

	while ((*fd = knocked(k)) < 0 && !status) {
		status = still_waiting(k);
		if (!status && poll(&p, 1, 0) <= 0)
			transfer_pause(NULL, 0, &delay);
	}
	return *fd >= 0 ? 0 : status;
}

static int take(struct knock *k, int fd)
{
	const struct connection *other = k->l ? client_of(k->b, fd, k->tree) : NULL;
	struct connection *c = other ? NULL : connection_add(k->b, fd, &k->n->to);

	if (!c && k->l)
		close(fd);
	if (other)
		return another(k->n, other);
	if (!c)
		return trouble(k->n, NET_TROUBLE_TOOL, "more than %d connections are in use at once",
			       NET_MAX_CONNS);
	c->client = k->n->client;
	c->pid = k->pid;
	c->tree = k->tree;
	c->from = k->from;
	c->from_len = k->l ? 0 : k->from_len;
	if (quiet_alive(c->tree->q) && !quiet_allowed(k->pid)) {
		tree_release(k->b, c->tree);
		c->tree = NULL;
	}
	k->n->conn = c->id;
	connection_keep(k->b, c);
	return 0;
}

static bool prepare(struct knock *k, struct problem *p)
{
	if (k->n->to.type == NET_DGRAM) {
		k->fd = listener_datagrams(k->b, &k->n->to, &k->physical, p);
		return k->fd >= 0;
	}
	k->l = listener_for(k->b, &k->n->to, p);
	if (k->l)
		k->physical = k->l->physical;
	return k->l != NULL;
}

static int start(struct knock *k, struct problem *p)
{
	int fd = -1, status;

	k->pid = k->b->peers.start_client(k->b->peers.self, k->n->client, &k->physical, p);
	if (k->pid <= 0)
		return trouble(k->n, NET_TROUBLE_TOOL, "%s", p->text);
	k->tree = tree_of(k->b, k->pid);
	k->start = k->asleep_since = broker_now_ms();
	status = wait_for_it(k, &fd);
	if (!status)
		status = take(k, fd);
	if (status) {
		k->b->peers.end_client(k->b->peers.self, k->pid);
		tree_release(k->b, k->tree);
	}
	return status;
}

int client_open(struct broker *b, struct wire_net *n)
{
	struct problem p;
	struct knock k = {.b = b, .n = n, .fd = -1};
	int status;

	if (!prepare(&k, &p))
		return trouble(n, NET_TROUBLE_TOOL, "%s", p.text);
	status = start(&k, &p);
	if (status && k.fd >= 0)
		close(k.fd);
	return status;
}
