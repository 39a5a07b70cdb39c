/*
 * server.c: NET_OPEN to a server peer, started by us or found on this machine, or somewhere else.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "broker/address.h"
#include "broker/broker_priv.h"

/*
 * A peer that sleeps so long, and yet a connection to it does not come about: its backlog is full. Between
 * TCP sockets the kernel asks again after a second, and drops that, too.
 */
#define FULL_BACKLOG_MS 1500

struct dial {
	struct broker *b;
	struct wire_net *n;
	struct net_address to; /* physical */
	pid_t pid;             /* the server peer's; 0: not ours */
	struct peer_procs *procs;
	bool joint; /* what becomes of it is part of the conversation */
	char name[ADDRESS_TEXT];
};

static int server_ended(struct dial *d, int status)
{
	reply_error(d->n, NET_ERROR_NO_PEER, "the server peer for %s has ended", d->name);
	reply_add_exit(d->b, d->n, d->pid, status);
	return NET_ERROR_NO_PEER;
}

static int nobody_listens(struct dial *d, int err)
{
	char place[16];
	if (d->n->to.family == NET_UNIX)
		snprintf(place, sizeof(place), "{path:NAME}");
	else
		snprintf(place, sizeof(place), "{port:%u}", d->n->to.port);
	return reply_error(
		d->n, err,
		"the program connects to %s, and nothing listens there: start the server before, or "
		"with --server 'COMMAND %s'; --allow-refused lets the program see the refusal",
		d->name, place);
}

static int refused(struct dial *d, int err)
{
	bool absent = err == -ECONNREFUSED || err == -ENOENT;
	int status = 0;
	if (d->procs && !d->joint && d->b->peers.ended(d->b->peers.self, d->pid, &status) &&
	    !quiet_alive(d->procs->q))
		return server_ended(d, status);
	if (d->procs && absent) {
		char waits[1024];
		quiet_describe(d->procs->q, NULL, 0, waits, sizeof(waits));
		return reply_error(d->n, err, "the server peer does not listen at %s (%s)", d->name, waits);
	}
	if (absent)
		return nobody_listens(d, err);
	return reply_error(d->n, err, "no connection to %s: %s", d->name, strerror(-err));
}

/*
 * 0 or -errno. For UDP nothing is asked at connect; the kernel knows whether somebody would get what is sent.
 */
static int dial_once(struct dial *d, int fd)
{
	struct sockaddr_storage s;
	socklen_t len = address_to_kernel(&d->to, &s);
	if (!len)
		return -EAFNOSUPPORT;
	if (d->to.family == NET_UNIX &&
	    d->to.type == NET_DGRAM) /* a name of our own, so that it can answer */
		(void)bind(fd, (struct sockaddr *)&(struct sockaddr){.sa_family = AF_UNIX},
			   sizeof(sa_family_t));
	if (connect(fd, (struct sockaddr *)&s, len))
		return -errno;
	return d->to.family != NET_UNIX && d->to.type == NET_DGRAM && !quiet_bound(fd) ? -ECONNREFUSED : 0;
}

static bool is_under_way(int err)
{
	return err == -EINPROGRESS || err == -EAGAIN || err == -EINTR || err == -EALREADY;
}

/* Waits for a connection under way; a UNIX socket with a full backlog is asked again. 0 or -errno. */
static int dial_wait(struct dial *d, int fd, int err)
{
	u64 start = monotonic_ms(), asleep_since = start;
	bool periodic = d->procs && quiet_has_periodic(d->procs->q);
	u64 patience = periodic ? SETTLE_PERIODIC_MS : FULL_BACKLOG_MS;
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	while (is_under_way(err)) {
		u64 now = monotonic_ms();
		if (broker_interrupted(d->b))
			return -EINTR;
		if (!d->procs || !quiet_asleep(d->procs->q))
			asleep_since = now;
		if (now - asleep_since >= patience || now - start >= d->b->options.peer_timeout_ms)
			return -ETIMEDOUT;
		if (err == -EAGAIN) {
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
			err = dial_once(d, fd);
		} else if (poll(&p, 1, 10) > 0) {
			int error = 0;
			socklen_t len = sizeof(error);
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
			err = -error;
		}
	}
	return err == -EISCONN ? 0 : err;
}

static int dial(struct dial *d, int *out)
{
	int fd = socket(d->to.family, d->to.type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		return reply_full(d->n);
	if (fd < 0)
		return reply_error(d->n, NET_ERROR_TOOL, "no socket for %s: %s", d->name, strerror(errno));
	int err = dial_wait(d, fd, dial_once(d, fd));
	if (!err) {
		*out = fd;
		return 0;
	}
	close(fd);
	if (err == -EINTR)
		return reply_error(d->n, NET_ERROR_TOOL, "interrupted while connecting to %s", d->name);
	if (err == -ETIMEDOUT && d->procs)
		return reply_error(
			d->n, NET_ERROR_UNSERVED,
			"the server at %s does not take any further connection: its backlog is full",
			d->name);
	return refused(d, err);
}

/* Its last thread has ended: the warden is about to tell how. */
static bool wait_status(struct broker *b, pid_t pid, int *how)
{
	for (u32 i = 0; i < 200 && !broker_interrupted(b); i++) {
		if (b->peers.ended(b->peers.self, pid, how))
			return true;
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	return false;
}

/* A server that serves one connection and ends in good order is like any other that closes it. */
int server_check_alive(struct broker *b, const struct connection *c, struct wire_net *n)
{
	char name[ADDRESS_TEXT];
	int how = 0;
	if (c->client || !c->procs || !c->procs->server || quiet_alive(c->procs->q) ||
	    !wait_status(b, c->procs->root, &how) || (!how && c->procs->opened == 1))
		return 0;
	reply_error(n, NET_ERROR_NO_PEER,
		    "the server peer for %s has ended in the middle of the search, on connection %u",
		    address_text(&c->to, name), c->id);
	reply_add_exit(b, n, c->procs->root, how);
	return NET_ERROR_NO_PEER;
}

/* Not started by us: whoever has the other end, if it is on this machine and we may look. */
static struct peer_procs *procs_of_stranger(struct broker *b, int fd)
{
	pid_t owner = quiet_owner(fd);
	if (owner <= 0 || !quiet_allowed(owner))
		return NULL;
	struct peer_procs *t = peer_procs_of(b, owner);
	if (t->uses == 1) {
		t->uses++; /* what is learnt about it is kept */
		peer_procs_wait_idle(b, t);
	}
	return t;
}

static void add_connection(struct dial *d, int fd)
{
	struct connection *c = connection_add(d->b, fd, &d->n->to);
	hd_assert(c != NULL); /* server_open has seen that there is room */
	c->procs = d->procs;
	d->procs = NULL;
	if (c->procs)
		c->procs->opened++;
	if (c->procs && quiet_alive(c->procs->q) && !quiet_allowed(d->pid)) {
		peer_procs_release(d->b, c->procs);
		c->procs = NULL;
	} else if (!c->procs) {
		c->procs = procs_of_stranger(d->b, fd);
		d->n->group = c->procs ? c->procs->group : 0;
	}
	d->n->conn = c->id;
}

int server_dial(struct broker *b, const struct connection *whole, const struct net_address *to,
		struct wire_net *n, int *fd)
{
	struct net_address sut = n->to;
	struct dial d = {.b = b, .n = n, .procs = whole->procs, .joint = true};
	if (b->connection_count >= NET_MAX_CONNS)
		return reply_full(n);
	n->to = *to; /* for messages */
	b->peers.server_place(b->peers.self, whole->set, to, &d.to);
	address_text(to, d.name);
	int status = dial(&d, fd);
	n->to = sut;
	return status;
}

int server_open(struct broker *b, struct wire_net *n)
{
	if (b->connection_count >= NET_MAX_CONNS)
		return reply_full(n);
	struct dial d = {.b = b, .n = n, .to = n->to};
	int fd = -1, how = 0, status = 0;
	address_text(&n->to, d.name);
	d.pid = b->peers.server_of ? b->peers.server_of(b->peers.self, &n->to, &d.to) : 0;
	d.procs = d.pid > 0 ? peer_procs_of(b, d.pid) : NULL;
	n->group = d.procs ? d.procs->group : 0;
	if (d.procs && b->peers.ended(b->peers.self, d.pid, &how) && !quiet_alive(d.procs->q))
		status = server_ended(&d, how);
	if (!status)
		status = dial(&d, &fd);
	if (!status)
		add_connection(&d, fd);
	peer_procs_release(b, d.procs);
	return status;
}
