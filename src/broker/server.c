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

#include "broker/address.h"
#include "broker/broker_priv.h"

#define ROOM_MS 200 /* a full backlog: then connections nobody needs are closed */

struct dial {
	struct broker *b;
	struct wire_net *n;
	struct net_address to; /* physical */
	pid_t pid;             /* the server peer's; 0: not ours */
	struct tree *tree;
	char name[ADDRESS_TEXT];
};

static int server_ended(struct dial *d, int status)
{
	trouble(d->n, NET_TROUBLE_NO_PEER, "the server peer for %s has ended", d->name);
	trouble_add_end(d->b, d->n, d->pid, status);
	return NET_TROUBLE_NO_PEER;
}

static int nobody_listens(struct dial *d, int error)
{
	char place[16];

	if (d->n->to.family == NET_UNIX)
		snprintf(place, sizeof(place), "{path:NAME}");
	else
		snprintf(place, sizeof(place), "{port:%u}", d->n->to.port);
	return trouble(d->n, -error,
		       "the program connects to %s, and nothing listens there: start the server before, or "
		       "with --server 'COMMAND %s'; --allow-refused lets the program see the refusal",
		       d->name, place);
}

static int refused(struct dial *d, int error)
{
	int status = 0;
	char waits[1024];

	if (d->tree && d->b->peers.ended(d->b->peers.self, d->pid, &status) && !quiet_alive(d->tree->q))
		return server_ended(d, status);
	if (d->tree && (error == ECONNREFUSED || error == ENOENT)) {
		quiet_describe(d->tree->q, NULL, 0, waits, sizeof(waits));
		return trouble(d->n, -error, "the server peer does not listen at %s (%s)", d->name, waits);
	}
	if (error == ECONNREFUSED || error == ENOENT)
		return nobody_listens(d, error);
	return trouble(d->n, -error, "no connection to %s: %s", d->name, strerror(error));
}

/* For UDP nothing is asked at connect; the kernel knows whether somebody would get what is sent. */
static int dial_once(struct dial *d, int fd)
{
	struct sockaddr_storage s;
	socklen_t len = address_to_kernel(&d->to, &s);

	if (d->to.family == NET_UNIX &&
	    d->to.type == NET_DGRAM) /* a name of our own, so that it can answer */
		(void)bind(fd, (struct sockaddr *)&(struct sockaddr){.sa_family = AF_UNIX},
			   sizeof(sa_family_t));
	if (!len)
		return EAFNOSUPPORT;
	if (connect(fd, (struct sockaddr *)&s, len))
		return errno;
	return d->to.family != NET_UNIX && d->to.type == NET_DGRAM && !quiet_bound(fd) ? ECONNREFUSED : 0;
}

/* Waits for a connection under way; a UNIX socket with a full backlog is asked again. */
static int dial_wait(struct dial *d, int fd, int error)
{
	u64 start = broker_now_ms();
	bool made_room = false;
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	socklen_t len = sizeof(error);

	while (error == EINPROGRESS || error == EAGAIN || error == EINTR || error == EALREADY) {
		if (broker_interrupted(d->b))
			return EINTR;
		if (broker_now_ms() - start >= d->b->options.peer_timeout_ms)
			return ETIMEDOUT;
		if (!made_room && d->tree && broker_now_ms() - start >= ROOM_MS)
			made_room = connection_make_room(d->b, d->tree, NULL, NET_MAX_CONNS) > 0;
		if (error == EAGAIN) {
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
			error = dial_once(d, fd);
		} else if (poll(&p, 1, 10) > 0) {
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
		}
	}
	return error == EISCONN ? 0 : error;
}

/* Out of descriptors, those go that nobody needs. */
static int new_socket(struct dial *d)
{
	int type = d->to.type | SOCK_CLOEXEC | SOCK_NONBLOCK, fd = socket(d->to.family, type, 0);

	if (fd < 0 && errno == EMFILE && connection_make_room(d->b, NULL, NULL, NET_MAX_CONNS))
		fd = socket(d->to.family, type, 0);
	return fd;
}

static int dial(struct dial *d, int *out)
{
	int fd = new_socket(d), error;

	if (fd < 0)
		return trouble(d->n, NET_TROUBLE_TOOL, "no socket for %s: %s", d->name, strerror(errno));
	error = dial_wait(d, fd, dial_once(d, fd));
	if (!error) {
		*out = fd;
		return 0;
	}
	close(fd);
	if (error == EINTR)
		return trouble(d->n, NET_TROUBLE_TOOL, "interrupted while connecting to %s", d->name);
	if (error == ETIMEDOUT && d->tree)
		return trouble(d->n, NET_TROUBLE_UNSERVED,
			       "the server at %s does not take any further connection: its backlog is full",
			       d->name);
	return refused(d, error);
}

/* Not started by us: whoever has the other end, if it is on this machine and we may look. */
static struct tree *tree_of_stranger(struct broker *b, int fd)
{
	pid_t owner = quiet_owner(fd);
	struct tree *t;

	if (owner <= 0 || !quiet_allowed(owner))
		return NULL;
	t = tree_of(b, owner);
	if (t->uses == 1) {
		t->uses++; /* what is learnt about it is kept */
		tree_idle(b, t);
	}
	return t;
}

static int add_connection(struct dial *d, int fd)
{
	struct connection *c = connection_add(d->b, fd, &d->n->to);

	if (!c) {
		close(fd);
		return trouble(d->n, NET_TROUBLE_TOOL, "more than %d connections are in use at once",
			       NET_MAX_CONNS);
	}
	c->tree = d->tree;
	d->tree = NULL;
	if (c->tree && quiet_alive(c->tree->q) && !quiet_allowed(d->pid)) {
		tree_release(d->b, c->tree);
		c->tree = NULL;
	} else if (!c->tree) {
		c->tree = tree_of_stranger(d->b, fd);
	}
	d->n->conn = c->id;
	connection_keep(d->b, c);
	return 0;
}

int server_open(struct broker *b, struct wire_net *n)
{
	struct dial d = {.b = b, .n = n, .to = n->to};
	int fd = -1, ended = 0, status = 0;

	address_text(&n->to, d.name);
	d.pid = b->peers.server_of ? b->peers.server_of(b->peers.self, &n->to, &d.to) : 0;
	d.tree = d.pid > 0 ? tree_of(b, d.pid) : NULL;
	if (d.tree && b->peers.ended(b->peers.self, d.pid, &ended) && !quiet_alive(d.tree->q))
		status = server_ended(&d, ended);
	if (!status)
		status = dial(&d, &fd);
	if (!status)
		status = add_connection(&d, fd);
	tree_release(b, d.tree);
	return status;
}
