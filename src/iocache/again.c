/*
 * Ask the peers everything once more, and compare.
 *
 * The cache takes for granted that the same bytes on a connection get the same answer. While a search runs, that is only
 * tested where a conversation has to be replayed because another one diverges from it. A server that remembers (a
 * database, a counter) may never be caught: each question was asked once. Here each is asked twice: every trace of every tree
 * goes over a fresh connection, after all that was said before. An answer that differs shows that it depends on
 * more than its own connection.
 */
#include "cache_priv.h"

static void close_all(struct cache *c)
{
	for (u32 i = 0; i < NET_MAX_CONNS; i++)
		if (c->conn[i].conn)
			physical_close(c, &c->conn[i]);
}

static bool ever_opened(const struct cache *c, u32 tree)
{
	struct tree_at root = root_at(c, tree);
	struct mark_view m;
	return tree_mark_at(c->t, &root, &m);
}

static enum cache_problem ask_trace(struct cache *c, u32 tree, const struct tree_at *end)
{
	enum cache_problem problem = CACHE_AGAIN;
	for (u32 i = 0; i < CACHE_ATTEMPTS && problem == CACHE_AGAIN; i++) {
		struct physical *p = NULL;
		problem = physical_open(c, tree, &p);
		if (problem == CACHE_FINE)
			problem = physical_bring(c, p, end);
		if (problem == CACHE_FINE)
			physical_close(c, p);
	}
	if (problem == CACHE_REFUSED)
		return why_refused_again(c, tree);
	return problem == CACHE_AGAIN ? why_trouble(c, tree) : problem;
}

enum cache_problem cache_ask_again(struct cache *c)
{
	struct cache_stats *s = trees_stats(c->t), before = *s;
	enum cache_problem problem = CACHE_FINE;
	u64 asked = 0;
	if (!c->live)
		return CACHE_FINE;
	close_all(c);
	for (u32 b = 0; b < branches_count(c->t) && problem == CACHE_FINE; b++) {
		struct branch_view v;
		branch_get(c->t, b, &v);
		struct tree_at end = {.branch = b, .ended = v.ended, .written = v.fork + v.len};
		if (!ever_opened(c, v.tree))
			continue;
		problem = ask_trace(c, v.tree, &end);
		asked++;
	}
	*s = before; /* costs of the search are one thing, of this another */
	s->asked_again = asked;
	return problem;
}
