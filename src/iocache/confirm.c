/*
 * Before a wait for a peer is called a deadlock. The trees say that it is silent at this position. But it may speak
 * because its time-out ends, or because the SUT has closed another connection, which nobody told it: we keep closed connections for
 * later. So those that the SUT does not have are closed, and the peer is heard once more, with patience where it waits with
 * a time-out. What it says then has no place in a tree.
 */
#include "cache_priv.h"

struct heard_out {
	u32 tree, pad;
	struct tree_at at;
};

/* Positions whose peer was given its time before. */
static bool was_heard_out(const struct cache *c, u32 tree, const struct tree_at *at)
{
	const struct heard_out *h = (const struct heard_out *)c->heard_out.data;
	for (size_t i = 0; i < c->heard_out.len / sizeof *h; i++)
		if (h[i].tree == tree && at_equal(&h[i].at, at))
			return true;
	return false;
}

static void remember(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct heard_out *h = pages_vec_push(&c->heard_out, sizeof *h);
	if (h)
		*h = (struct heard_out){.tree = tree, .at = *at};
}

static bool stands_at(const struct physical *p, u32 tree, const struct tree_at *at)
{
	return p->conn && p->tree == tree && at_equal(&p->at, at);
}

/* Of several at one position, as many are the SUT's as it has connections there. */
static bool is_surplus(const struct cache *c, const struct physical *p, u32 opens)
{
	u32 there = 0;
	for (const struct physical *q = c->conn; q <= p; q++)
		there += stands_at(q, p->tree, &p->at);
	for (u32 i = 0; i < opens; i++) {
		struct tree_at at = pos_at(c->open[i]);
		there -= there && stands_at(p, c->open[i]->tree - 1, &at);
	}
	return there;
}

static void close_surplus(struct cache *c)
{
	u32 opens = cache_list_open(c);
	for (u32 i = NET_MAX_CONNS; i-- > 0;)
		if (c->conn[i].conn && !tree_key_of(c->t, c->conn[i].tree)->client &&
		    is_surplus(c, &c->conn[i], opens))
			physical_close(c, &c->conn[i]);
}

/* NULL without a problem: there is none, and there must not be a second one (linear). */
static enum cache_problem bring_one(struct cache *c, u32 tree, const struct tree_at *at,
				    struct physical **out)
{
	*out = NULL;
	for (u32 i = 0; i < NET_MAX_CONNS && !*out; i++)
		if (stands_at(&c->conn[i], tree, at))
			*out = &c->conn[i];
	if (*out || !c->ops->forks)
		return CACHE_FINE;
	enum cache_problem problem = CACHE_AGAIN;
	for (u32 i = 0; i < CACHE_ATTEMPTS && problem == CACHE_AGAIN; i++) {
		problem = physical_take(c, tree, at, out);
		if (problem == CACHE_FINE)
			problem = physical_bring(c, *out, at);
	}
	return problem == CACHE_AGAIN ? why_trouble(c, tree) : problem;
}

enum cache_problem cache_confirm(struct cache *c, const struct cache_pos *pos, bool closed_others)
{
	u32 tree = pos->tree - 1;
	struct tree_at at = pos_at(pos);
	struct mark_view m;
	struct physical *p;
	if (!c->live || !tree_mark_at(c->t, &at, &m))
		return CACHE_FINE;
	bool patient = (m.flags & NET_TIMED) && !was_heard_out(c, tree, &at);
	if (!patient && !closed_others)
		return CACHE_FINE;
	enum cache_problem problem = bring_one(c, tree, &at, &p);
	if (problem != CACHE_FINE || !p)
		return problem;
	if (closed_others)
		close_surplus(c);
	problem = physical_hear_more(c, p, patient);
	if (patient)
		remember(c, tree, &at);
	return problem;
}
