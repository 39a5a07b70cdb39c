/*
 * None: no answer comes from a tree. A connection is good until the SUT is rolled back; then it is opened
 * again and brought to where the SUT stands. The trees hold what was said only to compare with, to copy from,
 * and to replay.
 */
#include "cache_priv.h"

static bool none_open_again(struct cache *c, u32 tree, u32 nth)
{
	(void)c, (void)tree, (void)nth;
	return true;
}

/*
 * The connection of this tree, on the way to `to` in this epoch: as it is if it stands there, else a fresh
 * one.
 */
static int none_take(struct cache *c, u32 tree, const struct tree_at *to, struct physical **out)
{
	struct physical *p = physical_of_tree(c, tree);
	*out = p;
	if (p && p->epoch == c->epoch && at_equal(&p->at, to))
		return 0;
	if (p)
		physical_close(c, p);
	return physical_take(c, tree, to, out);
}

static int none_send(struct cache *c, u32 tree, struct tree_at *at, const void *data, size_t n, bool end)
{
	struct physical *p;
	int err = none_take(c, tree, at, &p);
	return err ? err : physical_send(c, p, at, data, n, end);
}

/* A marked position needs a connection that stands there and no more; any other needs to be asked. */
static int none_look(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct mark_view m;
	struct tree_at same = *at;
	if (!tree_mark_at(c->t, at, &m))
		return none_send(c, tree, &same, NULL, 0, false);
	struct physical *p;
	int err = none_take(c, tree, at, &p);
	return err ? err : physical_bring(c, p, at);
}

static int none_close(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct physical *p = physical_of_tree(c, tree);
	if (p && p->epoch == c->epoch && at_equal(&p->at, at))
		physical_close(c, p);
	return 0;
}

const struct cache_mode_ops none_ops = {
	.open_again = none_open_again,
	.send = none_send,
	.look = none_look,
	.close = none_close,
	.forks = true,
	.instances = true,
};
