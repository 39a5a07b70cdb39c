/*
 * standing.c: what checkpoints need to know of connections, and do to them: a peer that was brought back
 * is another process, at the other end of other connections, and the conversation goes on where it stood.
 */
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "broker/broker_priv.h"

#define SERVERS 64u
#define SLEPT_MAX_MS 60000u
#define STEP_MS 50u

/* Several servers may be looked at as one: then only one of them has given it its name. */
void broker_watch_all(struct broker *b, pid_t peer, const pid_t *was, const pid_t *now, u32 n)
{
	for (struct peer_procs *t = b->peers_known; t; t = t->next)
		quiet_replace(t->q, was, now, n, t->root == peer && was[0] != peer);
}

void broker_watch(struct broker *b, pid_t peer, pid_t was, pid_t now)
{
	if (!was)
		was = peer;
	broker_watch_all(b, peer, &was, &now, 1);
}

void broker_set_hold(struct broker *b, void (*hold)(void *self, pid_t peer, bool held),
		     bool (*pass)(void *self, pid_t peer, u64 ns), void *self)
{
	b->hold = hold;
	b->pass = pass;
	b->hold_self = self;
}

/* Those whose clock can't be moved on have to live through it. */
static int live_through(struct broker *b, u64 ns, struct wire_net *n)
{
	u64 ms = (ns + 999999) / 1000000;
	if (b->slept_ms + ms > SLEPT_MAX_MS)
		return reply_error(
			n, NET_ERROR_SLOW,
			"the program sleeps between requests, and a server that runs without heddle's "
			"library would have to wait for it: for more than %u s in all",
			SLEPT_MAX_MS / 1000);
	b->slept_ms += ms;
	for (u64 end = monotonic_ms() + ms, now; !broker_interrupted(b) && (now = monotonic_ms()) < end;)
		poll(NULL, 0, (int)HD_MIN(end - now, (u64)STEP_MS));
	return 0;
}

int standing_pass(struct broker *b, const struct connection *whole, u64 ns, struct wire_net *n)
{
	pid_t pid[SERVERS];
	u32 count = b->peers.server_pids && whole->set
			    ? b->peers.server_pids(b->peers.self, whole->set, pid, SERVERS)
			    : 0;
	bool all = true;
	for (u32 i = 0; i < count; i++) {
		if (b->saver)
			b->saver->adopt(b->saver->self, pid[i]);
		all &= b->pass && b->pass(b->hold_self, pid[i], ns);
	}
	return all ? 0 : live_through(b, ns, n);
}

void standing_hold(struct broker *b, const struct connection *c, bool held)
{
	if (!b->hold || !c->procs)
		return;
	pid_t pid[SERVERS];
	u32 count = c->set && b->peers.server_pids ? b->peers.server_pids(b->peers.self, c->set, pid, SERVERS)
						   : 0;
	for (u32 i = 0; i < count; i++)
		b->hold(b->hold_self, pid[i], held);
	if (!count)
		b->hold(b->hold_self, c->procs->root, held);
	for (const struct peer_procs *t = b->peers_known; t && c->procs->server; t = t->next)
		if (t->server && t != c->procs)
			b->hold(b->hold_self, t->root, held);
}

/* New ones stand at the front of the list. */
u32 broker_connections(struct broker *b, pid_t peer, u32 *conn, u32 cap)
{
	u32 n = 0;
	for (const struct connection *c = b->connections; c; c = c->next)
		if (c->procs && c->procs->root == peer && c->fd >= 0 && !c->framed && c->accepted && n < cap)
			conn[n++] = c->id;
	for (u32 i = 0; i < n / 2; i++) {
		u32 other = conn[i];
		conn[i] = conn[n - 1 - i];
		conn[n - 1 - i] = other;
	}
	return n;
}

int broker_fd(struct broker *b, u32 conn)
{
	const struct connection *c = connection_find(b, conn);
	return c ? c->fd : -1;
}

/*
 * Bytes are counted from the start of the new one; what was unread is in its queue, and not to be waited
 * for.
 */
void broker_replace(struct broker *b, u32 conn, int fd)
{
	struct connection *c = connection_find(b, conn);
	hd_assert(c != NULL);
	if (c->fd >= 0)
		close(c->fd);
	c->fd = fd;
	connection_prepare(c);
	c->sent = c->asked = 0;
	c->eof = c->reset = false; /* if it was shut down, the fresh one is, too, and that is seen again */
	c->accepted = true;
	c->owner_known = true;
	c->reply.len = c->given = 0;
	c->unsent.len = c->out = 0;
}
