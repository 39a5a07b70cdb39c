/*
 * broker.c: requests of the cache, and the life of a broker.
 */
#include "broker/broker.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "broker/broker_priv.h"

#define RESPONSE_TIMEOUT_MS 100
#define PEER_TIMEOUT_MS 10000

struct broker *broker_create(const struct broker_options *o, const struct broker_peers *peers,
			     struct problem *p)
{
	struct broker *b = calloc(1, sizeof(*b));
	if (!b) {
		problem_set(p, "no memory for the connections to peers");
		return NULL;
	}
	b->options = *o;
	b->peers = *peers;
	if (!b->options.response_timeout_ms)
		b->options.response_timeout_ms = RESPONSE_TIMEOUT_MS;
	if (!b->options.peer_timeout_ms)
		b->options.peer_timeout_ms = PEER_TIMEOUT_MS;
	return b;
}

static int open_one(struct broker *b, struct wire_net *n)
{
	bool joint = n->flags & NET_JOINT;
	n->len = 0;
	n->flags = 0;
	n->group = 0;
	if (n->client)
		return client_open(b, n, joint);
	return joint ? joint_server_open(b, n) : server_open(b, n);
}

static int no_such(struct wire_net *n)
{
	return reply_error(n, NET_ERROR_TOOL, "connection %u is not open", n->conn);
}

static int answer(struct broker *b, struct connection *c, struct wire_net *n)
{
	int status = quiesce(b, c, n);
	if (!status && c->joint)
		status = joint_collect(b, c, n);
	if (!status)
		transfer_deliver(c, n);
	return status;
}

static int exchange(struct broker *b, struct wire_net *n)
{
	struct connection *c = connection_find(b, n->conn);
	u32 flags = n->flags;
	u64 len = n->len;
	n->flags = 0;
	if (!c)
		return no_such(n);
	if (len > NET_DATA)
		return reply_error(n, NET_ERROR_TOOL, "a request of %llu bytes does not fit",
				   (unsigned long long)len);
	if (!len && !flags && c->given) { /* the rest of a long reply */
		transfer_deliver(c, n);
		return 0;
	}
	int status = c->joint ? joint_send(b, c, n) : transfer_send(b, c, n);
	n->len = 0;
	if (!status && (flags & NET_END))
		transfer_end(c);
	if (!status && (flags & NET_PATIENT)) {
		if (c->joint)
			joint_await(b, c);
		else
			transfer_await(b, c);
	}
	if (!status && !(flags & NET_MORE))
		status = answer(b, c, n);
	return status;
}

static int close_one(struct broker *b, struct wire_net *n)
{
	struct connection *c = connection_find(b, n->conn);
	n->len = 0;
	n->flags = 0;
	if (!c)
		return no_such(n);
	connection_close(b, c);
	return 0;
}

static int next_one(struct broker *b, struct wire_net *n)
{
	struct connection *c = connection_find(b, n->conn);
	n->len = 0;
	n->flags = 0;
	n->conn = 0;
	if (!c || !c->client || c->framed || c->joint)
		return no_such(n);
	int status = client_next(b, c, n);
	if (status || !n->conn)
		connection_close(b, c);
	return status;
}

static int save_one(struct broker *b, struct wire_net *n)
{
	struct connection *c = connection_find(b, n->conn);
	n->len = n->flags = n->client = 0;
	n->saved = 0;
	return c ? saved_talk_save(b, c, n) : no_such(n);
}

void broker_serve(struct broker *b, struct wire_net *n)
{
	n->text[0] = 0;
	n->text[sizeof(n->text) - 1] = 0;
	switch (n->op) {
	case NET_OPEN:
		n->status = open_one(b, n);
		break;
	case NET_EXCHANGE:
		n->status = exchange(b, n);
		break;
	case NET_CLOSE:
		n->status = close_one(b, n);
		break;
	case NET_NEXT:
		n->status = next_one(b, n);
		break;
	case NET_SAVE:
		n->status = save_one(b, n);
		break;
	case NET_RESTORE:
		n->len = n->flags = 0;
		n->status = saved_talk_restore(b, n);
		break;
	case NET_DROP:
		n->len = n->flags = 0;
		saved_talk_drop(b, n->saved);
		n->status = 0;
		break;
	default:
		n->status = reply_error(n, NET_ERROR_TOOL, "request %u of the program under test is unknown",
					n->op);
	}
	if (n->status)
		n->len = 0;
}

static int not_ready(struct broker *b, struct peer_procs *t, pid_t pid, const char *name, struct problem *p)
{
	struct wire_net *n = calloc(1, sizeof(*n));
	char waits[1024];
	int how = 0;
	hd_assert(n != NULL);
	if (!quiet_alive(t->q) && b->peers.ended(b->peers.self, pid, &how)) {
		reply_error(n, NET_ERROR_NO_PEER, "%s ended before it was ready", name);
		reply_add_exit(b, n, pid, how);
		problem_set(p, "%s%s", n->text,
			    how ? ""
				: "; a server must stay in the foreground: does it put itself in the "
				  "background?");
	} else if (broker_interrupted(b)) {
		problem_set(p, "interrupted before %s was ready", name);
	} else {
		quiet_describe(t->q, NULL, 0, waits, sizeof(waits));
		problem_set(p,
			    "%s did not get ready: it must listen somewhere and come to rest (%s); "
			    "--peer-timeout gives it more time",
			    name, waits);
	}
	free(n);
	return -1;
}

/* One look at a server that is starting. 1: ready, 0: not yet, -1: it will never be. */
static int readiness(struct broker *b, struct peer_procs *t, u64 *asleep_since)
{
	if (peer_procs_wait_idle(b, t) ||
	    (!quiet_alive(t->q) && b->peers.ended(b->peers.self, t->root, NULL)))
		return -1;
	enum quiet rests = quiet_look(t->q, NULL, 0);
	if (rests && quiet_listens(t->q, 0))
		return 1;
	if (rests != QUIET_YES || quiet_has_periodic(t->q) || !quiet_asleep(t->q))
		*asleep_since = monotonic_ms();
	return monotonic_ms() - *asleep_since >= SETTLE_PERIODIC_MS ? -1 : 0;
}

/*
 * Listening is not enough: who looks at it between bind and the accept loop would find a backlog that nobody
 * serves.
 */
int broker_wait_ready(struct broker *b, pid_t pid, const char *name, struct problem *p)
{
	u64 start = monotonic_ms(), asleep_since = start;
	struct peer_procs *t = peer_procs_of(b, pid); /* never released: what is learnt about it is kept */
	int ready = 0;
	t->server = true;
	b->server_count++;
	while (!ready && monotonic_ms() - start < b->options.peer_timeout_ms && !broker_interrupted(b)) {
		ready = readiness(b, t, &asleep_since);
		if (!ready)
			nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
	}
	return ready > 0 ? 0 : not_ready(b, t, pid, name, p);
}

void broker_forget(struct broker *b, pid_t pid)
{
	for (struct peer_procs *t = b->peers_known, *next; t; t = next) {
		next = t->next;
		if (t->root != pid || !t->server)
			continue;
		t->server = false;
		b->server_count--;
		peer_procs_release(b, t); /* broker_wait_ready's use */
	}
}

void broker_free(struct broker *b)
{
	if (!b)
		return;
	while (b->connections)
		connection_close(b, b->connections);
	while (b->peers_known) {
		b->peers_known->uses = 1;
		peer_procs_release(b, b->peers_known);
	}
	client_listener_free_all(b);
	saved_talk_free_all(b);
	free(b);
}
