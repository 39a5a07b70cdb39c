/*
 * Recorded conversations are had once more at the end of a search, and compared.
 *
 * The cache takes for granted that the same bytes on a connection get the same answer. While a search runs,
 * that is only tested where a conversation has to be replayed because another one diverges from it. A server
 * that remembers (a database, a counter) may never be caught: each question was asked once. Here traces go
 * over fresh connections, after all that was said before: all of them, or as many as are wanted. An answer
 * that differs shows that it depends on more than its own connection.
 */
#include "cache_priv.h"

static void close_all(struct cache *c)
{
	for (u32 i = 0; i < NET_MAX_CONNS; i++)
		if (c->common->conn[i].conn)
			physical_close(c, &c->common->conn[i]);
}

static bool ever_opened(const struct cache *c, u32 tree)
{
	struct tree_at root = root_at(c, tree);
	struct mark_view m;
	return tree_mark_at(c->t, &root, &m) && !tree_is_superseded(c->t, tree);
}

static int ask_trace(struct cache *c, u32 tree, const struct tree_at *end)
{
	struct physical *p = NULL;
	int err = physical_open(c, tree, &p);
	if (NET_IS_ERRNO(err))
		return error_refused_again(c, tree);
	if (!err)
		err = physical_bring(c, p, end);
	if (!err)
		physical_close(c, p);
	return err;
}

/* The trace that ends with branch b; false: its connection was never opened. */
static bool trace_at(const struct cache *c, u32 b, u32 *tree, struct tree_at *end)
{
	struct branch_view v;
	branch_get(c->t, b, &v);
	*tree = v.tree;
	*end = (struct tree_at){.branch = b, .ended = v.ended, .written = v.fork + v.len};
	return ever_opened(c, v.tree);
}

static u64 count_traces(const struct cache *c)
{
	struct tree_at end;
	u32 tree;
	u64 n = 0;
	for (u32 b = 0; b < branches_count(c->t); b++)
		n += trace_at(c, b, &tree, &end);
	return n;
}

int cache_recheck(struct cache *c, u64 most)
{
	struct cache_stats *s = trees_stats(c->t), before = *s;
	u64 all = count_traces(c), n = HD_MIN(all, most), seen = 0, asked = 0;
	int err = 0;
	if (!c->live || !n)
		return 0;
	close_all(c);
	for (u32 b = 0; b < branches_count(c->t) && !err; b++) {
		struct tree_at end;
		u32 tree;
		if (!trace_at(c, b, &tree, &end))
			continue;
		seen++;
		if (seen * n < (asked + 1) * all) /* evenly spread */
			continue;
		err = ask_trace(c, tree, &end);
		asked++;
	}
	*s = before; /* costs of the search are one thing, of this another */
	s->rechecked = asked;
	return err;
}
