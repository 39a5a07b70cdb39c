/*
 * Before a wait for a peer is called a deadlock. The trees say that it is silent at this position. But it may
 * speak because its time-out ends, or because the SUT has closed another connection, which nobody told it: we
 * keep closed connections for later. So those that the SUT does not have are closed, and the peer is heard
 * once more, with patience where it waits with a time-out. What it says then has no place in a tree.
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
	for (size_t i = 0; i < c->heard_out.len / sizeof(*h); i++)
		if (h[i].tree == tree && at_equal(&h[i].at, at))
			return true;
	return false;
}

static void remember(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct heard_out *h = pages_vec_push(&c->heard_out, sizeof(*h));
	if (h)
		*h = (struct heard_out){.tree = tree, .at = *at};
}

static bool is_to_server(const struct cache *c, const struct physical *p, const void *arg)
{
	(void)arg;
	return !tree_key_of(c->t, p->tree)->client;
}

/* NULL without an error: there is none, and there must not be a second one (linear). */
static int bring_one(struct cache *c, u32 tree, const struct tree_at *at, struct physical **out)
{
	*out = physical_find(c, tree, at);
	if (*out || !c->ops->forks)
		return 0;
	int err = physical_take(c, tree, at, out);
	return err ? err : physical_bring(c, *out, at);
}

int cache_check_silence(struct cache *c, const struct cache_pos *pos, bool closed_others)
{
	u32 tree = pos->tree - 1;
	struct tree_at at = pos_at(pos);
	struct mark_view m;
	struct physical *p;
	const struct tree_key *key = tree_key_of(c->t, tree);
	struct tree_at late = at;
	if (!c->live || !tree_mark_at(c->t, &at, &m) || (key->joint && tree_follow_time(c->t, &late)))
		return 0;
	bool patient = (m.flags & NET_TIMED) && !was_heard_out(c, tree, &at);
	if (!patient && !closed_others)
		return 0;
	if (must_be_sole(c))
		return CACHE_SOLE;
	int err = bring_one(c, tree, &at, &p);
	if (err || !p)
		return err;
	if (closed_others)
		physical_close_spare(c, is_to_server, NULL);
	err = physical_hear_more(c, p, patient);
	if (patient)
		remember(c, tree, &at);
	bool may_join = key->client && !key->joint && key->to.type == NET_STREAM && !c->confirm;
	if (err != CACHE_INCOMPLETE || !patient || !may_join)
		return err;
	c->error.code = CACHE_JOINT; /* then what it says by itself is part of its conversation */
	c->error.client = key->client;
	return CACHE_JOINT;
}
