/* Physical connections: few, kept as long as there is room, found by where they stand. */
#include "cache_priv.h"

#include <string.h>

static bool in_use(const struct cache *c, const struct physical *p, u32 opens)
{
	for (u32 i = 0; i < opens; i++) {
		struct tree_at at = pos_at(c->open[i]);
		if (c->open[i]->tree == p->tree + 1 && at_equal(&at, &p->at))
			return true;
	}
	return false;
}

void physical_close(struct cache *c, struct physical *p)
{
	c->transport.close(c->transport.self, p->conn);
	*p = (struct physical){0};
}

/* ---- room for one more ---- */

static struct physical *least_recent(struct cache *c, u32 opens, bool spare_used)
{
	struct physical *best = NULL;
	for (u32 i = 0; i < NET_MAX_CONNS; i++) {
		struct physical *p = &c->conn[i];
		if (spare_used && in_use(c, p, opens))
			continue;
		if (!best || p->last_use < best->last_use)
			best = p;
	}
	return best;
}

static struct physical *room(struct cache *c, u32 opens)
{
	for (u32 i = 0; i < NET_MAX_CONNS; i++)
		if (!c->conn[i].conn)
			return &c->conn[i];
	struct physical *p = least_recent(c, opens, true);
	if (!p)
		p = least_recent(c, opens, false);
	physical_close(c, p);
	return p;
}

static u32 list_keep(struct cache *c, u32 opens)
{
	u32 n = 0;
	for (u32 i = 0; i < NET_MAX_CONNS; i++)
		if (c->conn[i].conn && in_use(c, &c->conn[i], opens))
			c->keep[n++] = c->conn[i].conn;
	return n;
}

/* The broker closes connections for lack of room on its side, and may use their numbers again. */
static void forget_number(struct cache *c, u32 conn)
{
	for (u32 i = 0; i < NET_MAX_CONNS; i++)
		if (c->conn[i].conn == conn)
			c->conn[i] = (struct physical){0};
}

/* ---- exchanges ---- */

/* The answer is in c->reply. Unless all is fine, the connection is dropped: where it stands is not known any more. */
static enum cache_problem settle(struct cache *c, struct physical *p, u64 n)
{
	struct cache_stats *s = trees_stats(c->t);
	p->last_use = ++c->clock;
	s->polls++;
	if (c->reply.status == 0) {
		s->bytes_sent += n;
		s->bytes_received += c->reply.len;
		return CACHE_FINE;
	}
	if (c->reply.status == NET_TROUBLE_GONE) {
		*p = (struct physical){0};
		return CACHE_AGAIN;
	}
	enum cache_problem problem = why_trouble(c,
						 p->tree); /* before the close: the text is the transport's */
	physical_close(c, p);
	return problem;
}

static enum cache_problem exchange(struct cache *c, struct physical *p, const void *data, u64 n, bool end)
{
	c->reply = (struct transport_reply){0};
	c->transport.exchange(c->transport.self, p->conn, data, n, end, &c->reply);
	return settle(c, p, n);
}

enum cache_problem physical_hear_more(struct cache *c, struct physical *p, bool patient)
{
	c->reply = (struct transport_reply){0};
	if (patient && c->transport.await)
		c->transport.await(c->transport.self, p->conn, &c->reply);
	else
		c->transport.exchange(c->transport.self, p->conn, "", 0, false, &c->reply);
	enum cache_problem problem = settle(c, p, 0);
	if (problem == CACHE_AGAIN)
		return CACHE_FINE; /* it has gone: nobody to ask */
	if (problem != CACHE_FINE || (!c->reply.len && !(c->reply.flags & NET_CLOSED & ~p->flags)))
		return problem;
	problem = why_spoke_late(c, p->tree, &p->at, patient);
	physical_close(c, p);
	return problem;
}

static enum cache_problem hear(struct cache *c, struct physical *p, const struct tree_at *at)
{
	/* What is closed stays closed, whether the transport says so each time or once. */
	c->reply.flags |= p->flags;
	enum cache_problem problem = record_reply(c, p->tree, at, p->said);
	if (problem != CACHE_FINE) {
		physical_close(c, p);
		return problem;
	}
	p->at = *at;
	p->said += c->reply.len;
	p->flags = c->reply.flags & NET_CLOSED;
	return CACHE_FINE;
}

static enum cache_problem connect(struct cache *c, u32 tree, struct physical *p, u32 opens)
{
	struct cache_stats *s = trees_stats(c->t);
	const struct tree_key *key = tree_key_of(c->t, tree);
	u32 keeps = list_keep(c, opens);
	c->reply = (struct transport_reply){0};
	c->transport.open(c->transport.self, key, c->keep, keeps, &c->reply);
	if (c->reply.status == NET_TROUBLE_GONE)
		return CACHE_AGAIN;
	if (c->reply.status)
		return why_trouble(c, tree);
	forget_number(c, c->reply.conn);
	*p = (struct physical){
		.conn = c->reply.conn, .tree = tree, .at = root_at(c, tree), .epoch = c->epoch};
	s->connections++;
	s->peer_starts += key->client > 0;
	tree_count_open(c->t, tree);
	return CACHE_FINE;
}

static enum cache_problem open_one(struct cache *c, u32 tree, u32 opens, struct physical **out)
{
	struct physical *p = room(c, opens);
	struct tree_at root = root_at(c, tree);
	enum cache_problem problem = connect(c, tree, p, opens);
	if (problem == CACHE_FINE)
		problem = exchange(c, p, NULL, 0, false);
	if (problem == CACHE_FINE)
		problem = hear(c, p, &root);
	if (problem == CACHE_FINE)
		*out = p;
	return problem;
}

static u32 close_unused(struct cache *c, u32 tree, u32 opens)
{
	u32 closed = 0;
	for (u32 i = 0; i < NET_MAX_CONNS; i++) {
		struct physical *p = &c->conn[i];
		if (!p->conn || p->tree != tree || in_use(c, p, opens))
			continue;
		physical_close(c, p);
		closed++;
	}
	return closed;
}

/*
 * A peer that serves one connection at a time, or a few, may wait for the end of those that are open because we keep them, not
 * because the SUT does. So before its refusal or silence counts, these are closed.
 */
enum cache_problem physical_open(struct cache *c, u32 tree, struct physical **out)
{
	u32 opens = cache_list_open(c);
	enum cache_problem problem = open_one(c, tree, opens, out);
	bool crowded = problem == CACHE_REFUSED ||
		       (problem == CACHE_INCOMPLETE && c->reply.status == NET_TROUBLE_UNSERVED);
	if (crowded && close_unused(c, tree, opens))
		problem = open_one(c, tree, opens, out);
	return problem;
}

struct physical *physical_of_tree(struct cache *c, u32 tree)
{
	for (u32 i = 0; i < NET_MAX_CONNS; i++)
		if (c->conn[i].conn && c->conn[i].tree == tree)
			return &c->conn[i];
	return NULL;
}

enum cache_problem physical_take(struct cache *c, u32 tree, const struct tree_at *to, struct physical **out)
{
	struct physical *best = NULL;
	for (u32 i = 0; i < NET_MAX_CONNS; i++) {
		struct physical *p = &c->conn[i];
		if (p->conn && p->tree == tree && tree_passes(c->t, &p->at, to) &&
		    (!best || p->at.written > best->at.written || (p->at.ended && !best->at.ended)))
			best = p;
	}
	if (best) {
		*out = best;
		return CACHE_FINE;
	}
	enum cache_problem problem = physical_open(c, tree, out);
	return problem == CACHE_REFUSED ? why_refused_again(c, tree) : problem;
}

/* ---- on the way ---- */

/* Written bytes [p->at, to), then data, in one piece. NULL: memory is out. */
static const void *gather(struct cache *c, const struct physical *p, const struct tree_at *to,
			  const void *data, size_t n)
{
	size_t rest = (size_t)(to->written - p->at.written);
	if (rest == 0)
		return n ? data : "";
	c->scratch.len = 0;
	char *place = pages_vec_push(&c->scratch, rest + n);
	if (!place)
		return NULL;
	tree_bytes_copy(c->t, to, p->at.written, place, rest);
	if (n)
		memcpy(place + rest, data, n);
	return place;
}

static enum cache_problem forward(struct cache *c, struct physical *p, const struct tree_at *to,
				  const void *data, size_t n, bool end)
{
	u64 rest = to->written - p->at.written;
	const void *piece = gather(c, p, to, data, n);
	if (!piece)
		return why_out_of_memory(c);
	enum cache_problem problem = exchange(c, p, piece, rest + n, end || to->ended > p->at.ended);
	if (problem == CACHE_FINE)
		trees_stats(c->t)->bytes_replayed += rest;
	return problem;
}

enum cache_problem physical_bring(struct cache *c, struct physical *p, const struct tree_at *to)
{
	struct tree_at next;
	struct mark_view m;
	while (tree_mark_after(c->t, &p->at, to, &next, &m)) {
		enum cache_problem problem = forward(c, p, &next, NULL, 0, false);
		if (problem == CACHE_FINE)
			problem = hear(c, p, &next);
		if (problem != CACHE_FINE)
			return problem;
	}
	return CACHE_FINE;
}

enum cache_problem physical_send(struct cache *c, struct physical *p, struct tree_at *at, const void *data,
				 size_t n, bool end)
{
	enum cache_problem problem = physical_bring(c, p, at);
	if (problem == CACHE_FINE)
		problem = forward(c, p, at, data, n, end);
	if (problem != CACHE_FINE)
		return problem;
	struct tree_at behind = *at;
	problem = record_written(c, &behind, data, n, end);
	if (problem == CACHE_FINE)
		problem = hear(c, p, &behind);
	if (problem == CACHE_FINE)
		*at = behind;
	return problem;
}
