/*
 * quiesce.c: the wait for the end of a response. Looks come at once at first, then less often, up to every
 * half a millisecond; whatever arrives is taken between them, so that the peer never waits for us.
 *
 * A peer may rest although something is on its way: it does not accept the connection, it does not read. That
 * is decided late (SETTLE_MS without a sign of life), since in the very moment of delivery it looks the same.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "broker/broker_priv.h"

struct quiesce {
	struct broker *b;
	struct connection *c;
	struct wire_net *n;
	u64 start, asleep_since;
	u32 delay;
	bool asked; /* the peer has something new to think about … */
	u64 runs;   /* … and had run so often when those behind it were told */
	u32 count;  /* connections to the same peer; c's come first */
	u32 own;    /* so many: one, or those of a joint client */
	struct connection *conn[NET_MAX_CONNS];
	struct quiet_conn look[NET_MAX_CONNS];
};

static bool is_own(const struct quiesce *r, const struct connection *c)
{
	return c == r->c || c->whole == r->c;
}

static void add(struct quiesce *r, struct connection *c)
{
	r->conn[r->count] = c;
	r->look[r->count++] = (struct quiet_conn){.fd = c->fd,
						  .there = c->from_len ? &c->from : NULL,
						  .sent = c->sent,
						  .closed = c->reset || (c->eof && !is_own(r, c)),
						  .accepted = c->accepted,
						  .excused = c->excused || c->unserved};
}

static void gather(struct quiesce *r)
{
	r->count = 0;
	for (struct connection *c = r->b->connections; c; c = c->next)
		if (is_own(r, c) && !c->joint)
			add(r, c);
	r->own = r->count;
	for (struct connection *c = r->b->connections; c; c = c->next)
		if (!is_own(r, c) && c->procs == r->c->procs)
			add(r, c);
}

static enum quiet look(struct quiesce *r)
{
	for (u32 i = 0; i < r->own; i++)
		r->look[i].closed = r->conn[i]->reset;
	for (u32 i = 0; i < r->count; i++)
		r->look[i].queue = QUEUE_EMPTY;
	enum quiet q = quiet_look(r->c->procs->q, r->look, r->count);
	for (u32 i = 0; i < r->count; i++) {
		struct connection *c = r->conn[i];
		c->accepted = r->look[i].accepted;
		if (c->unserved && c->accepted)
			c->unserved = r->look[i].excused = false;
	}
	return q;
}

static bool is_readable(const struct connection *c)
{
	struct pollfd p = {.fd = c->fd, .events = POLLIN | POLLRDHUP};
	return poll(&p, 1, 0) > 0;
}

/* Something came on a connection that nobody asked: a tree for each connection cannot hold that. */
static int crosstalk(struct quiesce *r)
{
	char here[200], there[200];
	for (u32 i = r->own; i < r->count; i++) {
		const struct connection *c = r->conn[i];
		if (!c->polled || c->eof || c->reset || !is_readable(c))
			continue;
		int ended = server_check_alive(r->b, r->c, r->n); /* all its connections ended at once */
		if (ended)
			return ended;
		return reply_error(
			r->n, NET_ERROR_CROSSTALK,
			"the peer answered on another connection than it was asked: after an exchange "
			"on %s something "
			"came on %s",
			connection_text(r->c, here, sizeof(here)), connection_text(c, there, sizeof(there)));
	}
	return 0;
}

static int in_words(struct quiesce *r, int status, const char *what)
{
	char waits[1024], name[200];
	quiet_describe(r->c->procs->q, r->look, r->count, waits, sizeof(waits));
	return reply_error(r->n, status, "%s: %s (%s)", connection_text(r->c, name, sizeof(name)), what,
			   waits);
}

static int excuse_others(struct quiesce *r)
{
	int status = crosstalk(r);
	for (u32 i = r->own; i < r->count; i++)
		if (r->look[i].queue)
			r->look[i].excused = r->conn[i]->excused = true;
	return status;
}

/* Of one of its own. Status: 0 to look again. */
static int settled_at(struct quiesce *r, u32 i)
{
	struct connection *c = r->conn[i];
	switch (r->look[i].queue) {
	case QUEUE_UNACCEPTED:
		if (c->whole && c->whole->set) { /* it is served when others have ended, perhaps */
			r->look[i].excused = c->unserved = true;
			return 0;
		}
		return in_words(r, NET_ERROR_UNSERVED,
				"the peer is at rest and has not accepted this connection");
	case QUEUE_UNREAD:
		if (!c->framed) { /* it waits for something else, and what was sent waits for it */
			r->look[i].excused = c->unread = true;
			r->c->answer |= NET_UNREAD;
			return 0;
		}
		return in_words(r, NET_ERROR_STUCK,
				"the peer is at rest and has not read all that was sent to it");
	case QUEUE_END_UNREAD:
		r->look[i].excused = true; /* it may never want to know that we have finished */
		return 0;
	default:
		return excuse_others(r);
	}
}

static int settled(struct quiesce *r)
{
	for (u32 i = 0; i < r->own; i++)
		if (r->look[i].queue && !r->look[i].excused)
			return settled_at(r, i);
	return excuse_others(r);
}

static bool something_on_its_way(const struct quiesce *r)
{
	for (u32 i = 0; i < r->count; i++)
		if (r->look[i].queue && !r->look[i].excused)
			return true;
	return false;
}

/* Who did not read the last time, and has not run since, is soon believed. */
static u64 settle_ms(const struct quiesce *r)
{
	if (quiet_has_periodic(r->c->procs->q))
		return SETTLE_PERIODIC_MS;
	return r->c->unread ? SETTLE_AGAIN_MS : SETTLE_MS;
}

static int busy(struct quiesce *r)
{
	u64 now = monotonic_ms();
	struct quiet_peer *q = r->c->procs->q;
	if (broker_interrupted(r->b))
		return reply_error(r->n, NET_ERROR_TOOL, "interrupted while waiting for a peer");
	if (now - r->start >= r->b->options.peer_timeout_ms || r->c->reply.len >= REPLY_MAX)
		return in_words(r, NET_ERROR_SLOW,
				"the peer did not come to rest in time; --peer-timeout gives it more");
	if (!something_on_its_way(r) || !quiet_asleep(q))
		r->asleep_since = now;
	else if (now - r->asleep_since >= settle_ms(r))
		return settled(r);
	return 0;
}

/* A daemon that left its parent before we could see it, or a helper that took the connection over. */
static bool found_another_process(struct connection *c)
{
	if (c->owner_known || !c->accepted || c->framed)
		return false;
	c->owner_known = true;
	if (c->client || c->eof || c->reset || quiet_serves(c->procs->q, c->fd))
		return false;
	pid_t owner = quiet_owner(c->fd);
	if (owner > 0)
		quiet_add(c->procs->q, owner);
	return owner > 0;
}

/* Of joint servers all are looked at as one. */
static bool asks_others(const struct quiesce *r)
{
	return r->c->procs->server && !r->c->joint;
}

/*
 * A server may have asked another one of ours (a proxy and its back end): it answers when that has. Clients
 * belong to nobody.
 */
static enum quiet look_at_servers(struct quiesce *r)
{
	enum quiet all = QUIET_YES;
	for (struct peer_procs *t = r->b->peers_known; t && all; t = t->next) {
		if (t == r->c->procs || !t->server)
			continue;
		enum quiet q = quiet_look(t->q, NULL, 0);
		all = !q || q == QUIET_TIMED ? q : all;
	}
	return all;
}

/*
 * The peer has run, and rests: it may have asked those behind it by now, whose time-outs begin to count then.
 * What they did between our question and theirs was no answer.
 */
static void pass_question_on(struct quiesce *r)
{
	u64 runs = quiet_runs(r->c->procs->q);
	if (!r->asked || runs == r->runs)
		return;
	r->runs = runs;
	for (struct peer_procs *t = r->b->peers_known; t; t = t->next)
		if (t != r->c->procs && t->server)
			quiet_asked(t->q, true);
}

/* Something came. Whose time-out has ended meanwhile, here or behind a proxy, may be the one who spoke. */
static void note_spoken(struct quiesce *r)
{
	for (struct peer_procs *t = r->b->peers_known; t; t = t->next)
		if (t == r->c->procs || (t->server && asks_others(r)))
			quiet_spoke(t->q);
}

/* Others may have woken it up meanwhile: it is looked at once more behind them. */
static enum quiet look_at_all(struct quiesce *r)
{
	enum quiet q = look(r), others;
	if (!q || r->b->server_count < 2 || !asks_others(r))
		return q;
	pass_question_on(r);
	others = look_at_servers(r);
	q = others ? look(r) : QUIET_BUSY;
	return q && others == QUIET_TIMED ? QUIET_TIMED : q;
}

/* The peer has something new to think about, and so have those whom it may ask. */
static void note_question(struct quiesce *r)
{
	struct connection *c = r->c;
	bool something = c->sent != c->asked;
	if (!something && c->polled)
		return;
	c->asked = c->sent;
	r->asked = something;
	quiet_asked(c->procs->q, something);
	for (struct peer_procs *t = r->b->peers_known; t && asks_others(r); t = t->next)
		if (t != c->procs && t->server)
			quiet_asked(t->q, something);
}

/* The answer is as long as it was before: neither the peer nor those whom it may ask
   are given their time again. */
static void note_satisfied(struct quiesce *r, bool satisfied)
{
	for (struct peer_procs *t = r->b->peers_known; t; t = t->next)
		if (t == r->c->procs || (t->server && asks_others(r)))
			quiet_satisfied(t->q, satisfied);
}

static u64 heard(const struct quiesce *r)
{
	return r->c->joint ? joint_heard(r->b, r->c) : r->c->reply.len;
}

static bool drain(struct quiesce *r)
{
	return r->c->joint ? joint_drain(r->b, r->c) : transfer_drain(r->c);
}

static int wait_quiet(struct quiesce *r)
{
	enum quiet q;
	int status = 0;
	note_question(r);
	gather(r);
	while (!status) {
		if (drain(r)) {
			note_spoken(r);
			r->c->unread = false;
			r->delay = 0;
			r->asleep_since = monotonic_ms();
		}
		note_satisfied(r, r->n->expected && heard(r) + 1 >= r->n->expected);
		q = look_at_all(r);
		if (q && !found_another_process(r->c)) {
			drain(r);
			r->c->answer |= q == QUIET_TIMED ? NET_TIMED : 0;
			break;
		}
		transfer_pause(r->c, POLLIN, &r->delay);
		status = busy(r);
	}
	note_satisfied(r, false);
	return status;
}

/* A joint client may have opened further connections, and spoken there. */
static int wait_quiet_everywhere(struct quiesce *r)
{
	bool adopted;
	int status;
	do {
		adopted = false;
		status = wait_quiet(r);
		if (!status)
			status = client_another(r->b, r->c, r->n, &adopted);
	} while (!status && adopted);
	return status;
}

/* Nobody to look at: silence must do. */
static int wait_silence(struct quiesce *r)
{
	u64 heard = r->start, now = r->start;
	while (now - heard < r->b->options.response_timeout_ms && !r->c->eof && !r->c->reset) {
		if (broker_interrupted(r->b))
			return reply_error(r->n, NET_ERROR_TOOL, "interrupted while waiting for a peer");
		transfer_pause(r->c, POLLIN, &r->delay);
		now = monotonic_ms();
		if (transfer_drain(r->c))
			heard = now;
		if (now - r->start >= r->b->options.peer_timeout_ms + r->b->options.response_timeout_ms)
			return reply_error(r->n, NET_ERROR_SLOW, "the peer did not stop talking");
	}
	if (!r->c->eof && !r->c->reset)
		r->c->answer |= NET_GUESSED;
	return 0;
}

/* What the kernel has thrown away, the program would wait for in vain. */
static int lost(struct quiesce *r)
{
	char name[200];
	if (!transfer_lost(r->c))
		return 0;
	return reply_error(
		r->n, NET_ERROR_STUCK,
		"%s: the peer sent more datagrams at once than the system keeps, and some are lost",
		connection_text(r->c, name, sizeof(name)));
}

int quiesce(struct broker *b, struct connection *c, struct wire_net *n)
{
	struct quiesce r = {.b = b, .c = c, .n = n};
	r.start = r.asleep_since = monotonic_ms();
	c->answer = 0;
	c->excused = false;
	bool adopted = false;
	standing_hold(b, c, false);
	int status = c->joint ? wait_quiet_everywhere(&r) : c->procs ? wait_quiet(&r) : wait_silence(&r);
	standing_hold(b, c, true);
	if (!status)
		c->polled = true;
	if (!status && c->procs)
		status = crosstalk(&r);
	if (!status)
		status = lost(&r);
	if (!status)
		status = client_another(b, c, n, &adopted);
	if (!status && (c->eof || c->reset))
		status = server_check_alive(b, c, n);
	if (status)
		return status;
	if (c->procs)
		quiet_tell(c->procs->q, r.look, r.count, n->text, sizeof(n->text));
	if (c->client && c->procs && !quiet_alive(c->procs->q))
		c->answer |= NET_GONE;
	if (c->client && c->client <= NET_MAX_CLIENTS && c->procs)
		b->long_alarms[c->client] |= quiet_long_alarms(c->procs->q);
	if (c->next_fd >= 0)
		c->answer = (c->answer | NET_AGAIN) & ~NET_GONE;
	c->answer |= saved_talk_acted(b, c);
	c->answer |= (c->reset ? NET_RESET : 0) | (c->eof ? NET_EOF : 0);
	return 0;
}
