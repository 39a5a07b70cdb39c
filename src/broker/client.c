/*
 * client.c: NET_OPEN for a client peer: start it, and accept exactly its connection. One that sends datagrams
 * has a socket of ours to itself, and is there when the first one is; where that came from is the client's
 * address.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "broker/address.h"
#include "broker/broker_priv.h"

struct arrival {
	struct broker *b;
	struct wire_net *n;
	struct client_listener *l;   /* NULL: datagrams */
	int fd;                      /* where they come */
	struct net_address physical; /* where the client is sent to */
	struct sockaddr_storage from;
	socklen_t from_len;
	pid_t pid;
	struct peer_procs *procs;
	bool joint;
	u64 start, asleep_since;
	int status; /* why it does not matter any more whether it comes */
};

/*
 * The client whose process has the other end of this connection; NULL: none that is known. Of a joint client:
 * the whole.
 */
static struct connection *client_of(struct broker *b, int fd, const struct peer_procs *but)
{
	for (struct connection *c = b->connections; c; c = c->next)
		if (c->client && !c->whole && c->procs && c->procs != but && quiet_holds(c->procs->q, fd))
			return c;
	return NULL;
}

static int another(struct wire_net *n, const struct connection *c)
{
	char name[200];
	n->client = 0;
	if (!c)
		return reply_error(n, NET_ERROR_ANOTHER, "a client peer opened a further connection");
	n->client = c->framed || c->joint || c->another || !c->procs ? 0 : c->client;
	return reply_error(n, NET_ERROR_ANOTHER, "client %u opened a further connection besides %s%s",
			   c->client, connection_text(c, name, sizeof(name)),
			   c->joint ? ", by itself: nothing was sent to it" : "");
}

/*
 * A connection that nobody waits for. Of a client that was told something on its last one, and has closed its
 * side of that, it is the next, and kept until the SUT has closed the other side, too. Else the client has
 * several at once, or might have had: which comes first is then not known. fd is closed or kept.
 */
static int further(struct wire_net *n, struct connection *c, int fd)
{
	if (c)
		transfer_drain(c);
	if (c && c->sent && (c->eof || c->reset) && c->next_fd < 0) {
		c->next_fd = fd;
		return 0;
	}
	int status = another(n, c);
	close(fd);
	return status;
}

/* Who has connected may have ended before we look: then it is of the client that was just told something. */
int client_another(struct broker *b, struct connection *asked, struct wire_net *n, bool *adopted)
{
	for (const struct connection *c = b->connections; c; c = c->next)
		if (c->another)
			return another(n, c);
	for (const struct client_listener *l = b->listeners; l; l = l->next) {
		int fd, status = 0;
		while (!status && (fd = client_listener_accept(l)) >= 0) {
			struct connection *c = client_of(b, fd, NULL);
			c = c || !asked->client ? c : asked;
			if (c && c == asked && c->joint)
				*adopted = joint_adopt(b, c, fd);
			else
				status = further(n, c, fd);
		}
		if (status)
			return status;
	}
	return 0;
}

/* All others are at rest, and were heard: one of them that connects now does so by itself. */
void client_drop_stale(struct broker *b)
{
	for (const struct client_listener *l = b->listeners; l; l = l->next)
		for (int fd; (fd = client_listener_accept(l)) >= 0; close(fd)) {
			struct connection *c = client_of(b, fd, NULL);
			if (c)
				c->another = true;
		}
}

static int not_coming(struct arrival *k, int status, const char *what)
{
	char waits[1024], name[ADDRESS_TEXT];
	quiet_describe(k->procs->q, NULL, 0, waits, sizeof(waits));
	return reply_error(k->n, status, "client %u %s %s (%s)", k->n->client, what,
			   address_text(&k->n->to, name), waits);
}

static int ended(struct arrival *k, int how)
{
	char name[ADDRESS_TEXT], there[ADDRESS_TEXT];
	address_text(&k->n->to, name);
	if (k->l)
		reply_error(k->n, NET_ERROR_NO_PEER,
			    "client %u has ended without connecting to %s, which stands for %s", k->n->client,
			    address_text(&k->l->physical, there), name);
	else
		reply_error(k->n, NET_ERROR_NO_PEER, "client %u has ended without sending anything to %s",
			    k->n->client, name);
	reply_add_exit(k->b, k->n, k->pid, how);
	return NET_ERROR_NO_PEER;
}

/* It has not come yet. Status: 0 as long as it may. */
static int still_waiting(struct arrival *k)
{
	u64 now = monotonic_ms();
	int how = 0;
	if (broker_interrupted(k->b))
		return reply_error(k->n, NET_ERROR_TOOL, "interrupted while waiting for a client peer");
	if (k->b->peers.ended(k->b->peers.self, k->pid, &how) && !quiet_alive(k->procs->q))
		return ended(k, how);
	if (!quiet_asleep(k->procs->q) || quiet_look(k->procs->q, NULL, 0) != QUIET_YES)
		k->asleep_since = now;
	if (now - k->asleep_since >= SETTLE_MS)
		return not_coming(k, NET_ERROR_NO_PEER,
				  k->l ? "is at rest without having connected to"
				       : "is at rest without having sent anything to");
	if (now - k->start >= k->b->options.peer_timeout_ms)
		return not_coming(k, NET_ERROR_SLOW,
				  k->l ? "did not connect within --peer-timeout to"
				       : "sent nothing within --peer-timeout to");
	return 0;
}

/* The descriptor of the connection; -EAGAIN: not yet; -EMFILE: no room for it. */
static int arrived(struct arrival *k)
{
	if (k->l) {
		int fd = client_listener_accept(k->l);
		struct connection *other = fd >= 0 ? client_of(k->b, fd, k->procs) : NULL;
		if (other && (k->status = further(k->n, other, fd)))
			return -ECANCELED;
		if (other)
			return -EAGAIN;
		return fd >= 0 || fd == -EMFILE || fd == -ENFILE ? fd : -EAGAIN;
	}
	k->from_len = sizeof(k->from);
	if (recvfrom(k->fd, NULL, 0, MSG_PEEK | MSG_DONTWAIT, (struct sockaddr *)&k->from, &k->from_len) < 0)
		return -EAGAIN;
	return k->fd;
}

/* What it did before it ended or came to rest counts: hence one more try after the verdict. */
static int wait_for_it(struct arrival *k, int *fd)
{
	u32 delay = 0;
	int status = 0;
	struct pollfd p = {.fd = k->l ? k->l->fd : k->fd, .events = POLLIN};
	while ((*fd = arrived(k)) == -EAGAIN && !status) {
		status = still_waiting(k);
		if (!status && poll(&p, 1, 0) <= 0)
			transfer_pause(NULL, 0, &delay);
	}
	if (*fd >= 0)
		return 0;
	if (*fd == -ECANCELED)
		return k->status;
	return *fd == -EAGAIN ? status : reply_full(k->n);
}

static int take(struct arrival *k, int fd)
{
	struct connection *c = connection_add(k->b, k->joint ? -1 : fd, &k->n->to);
	hd_assert(c != NULL); /* client_open has seen that there is room */
	c->client = k->n->client;
	c->pid = k->pid;
	c->procs = k->procs;
	c->from = k->from;
	c->from_len = k->l ? 0 : k->from_len;
	k->n->conn = c->id;
	k->n->group = c->procs->group;
	c->joint = k->joint;
	if (k->joint)
		joint_adopt(k->b, c, fd);
	if (quiet_alive(c->procs->q) && !quiet_allowed(k->pid)) {
		hd_assert(!k->joint); /* before, it could be looked into */
		peer_procs_release(k->b, c->procs);
		c->procs = NULL;
	}
	return 0;
}

/* The descriptor of the next connection, or -1; n->text is undefined. */
static int await_next(struct arrival *k, int *fd)
{
	k->start = k->asleep_since = monotonic_ms();
	int status = wait_for_it(k, fd);
	return status == NET_ERROR_NO_PEER ? 0 : status;
}

int client_next(struct broker *b, struct connection *c, struct wire_net *n)
{
	struct problem p;
	struct arrival k = {.b = b, .n = n, .fd = -1, .pid = c->pid, .procs = c->procs};
	int fd = c->next_fd, status = 0;
	n->client = c->client;
	n->to = c->to;
	close(c->fd);
	c->fd = c->next_fd = -1;
	if (!c->procs && fd < 0)
		return reply_error(
			n, NET_ERROR_ANOTHER,
			"client %u can't be looked into: whether it opens a further connection is not "
			"known",
			c->client);
	if (fd < 0 && client_listener_for(b, &c->to, &k.l, &p))
		return reply_error(n, NET_ERROR_TOOL, "%s", p.text);
	if (fd < 0)
		status = await_next(&k, &fd);
	n->text[0] = 0;
	if (status || fd < 0)
		return status;
	*c = (struct connection){.next = c->next,
				 .id = ++b->last_id,
				 .fd = fd,
				 .next_fd = -1,
				 .client = c->client,
				 .pid = c->pid,
				 .to = c->to,
				 .procs = c->procs,
				 .reply = {.data = c->reply.data, .cap = c->reply.cap},
				 .unsent = {.data = c->unsent.data, .cap = c->unsent.cap}};
	connection_prepare(c);
	n->conn = c->id;
	return 0;
}

static int prepare(struct arrival *k, struct problem *p)
{
	if (k->n->to.type == NET_DGRAM) {
		k->fd = client_listener_datagrams(k->b, &k->n->to, &k->physical, p);
		return HD_MIN(k->fd, 0);
	}
	int err = client_listener_for(k->b, &k->n->to, &k->l, p);
	if (!err)
		k->physical = k->l->physical;
	return err;
}

static int start(struct arrival *k, struct problem *p)
{
	k->pid = k->b->peers.start_client(k->b->peers.self, k->n->client, &k->physical, p);
	if (k->pid <= 0)
		return reply_error(k->n, NET_ERROR_TOOL, "%s", p->text);
	k->procs = peer_procs_of(k->b, k->pid);
	if (k->n->client <= NET_MAX_CLIENTS && k->b->long_alarms[k->n->client])
		quiet_set_long_alarms(k->procs->q);
	k->start = k->asleep_since = monotonic_ms();
	int fd = -1, status = wait_for_it(k, &fd);
	if (!status)
		status = take(k, fd);
	if (status) {
		k->b->peers.end_client(k->b->peers.self, k->pid);
		peer_procs_release(k->b, k->procs);
	}
	return status;
}

int client_open(struct broker *b, struct wire_net *n, bool joint)
{
	if (b->connection_count + joint >= NET_MAX_CONNS)
		return reply_full(n);
	struct problem p;
	struct arrival k = {.b = b, .n = n, .fd = -1, .joint = joint};
	int err = prepare(&k, &p);
	if (err == -EMFILE || err == -ENFILE)
		return reply_full(n);
	if (err)
		return reply_error(n, NET_ERROR_TOOL, "%s", p.text);
	int status = start(&k, &p);
	if (status && k.fd >= 0)
		close(k.fd);
	return status;
}
