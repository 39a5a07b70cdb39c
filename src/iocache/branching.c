/* Branching: what is not known is sent on the nearest physical connection; a tree for each destination or client. */
#include "cache_priv.h"

/*
 * Simultaneous connections of the SUT really exist: the k-th is opened physically once, and its greeting compared. It
 * then waits at the root for the next divergence.
 */
static bool branching_open_again(struct cache *c, u32 tree, u32 nth)
{
	return nth > tree_opened(c->t, tree);
}

static enum cache_problem branching_send(struct cache *c, u32 tree, struct tree_at *at, const void *data,
					 size_t n, bool end)
{
	enum cache_problem problem = CACHE_AGAIN;
	for (u32 i = 0; i < CACHE_ATTEMPTS && problem == CACHE_AGAIN; i++) {
		struct physical *p;
		problem = physical_take(c, tree, at, &p);
		if (problem == CACHE_FINE)
			problem = physical_send(c, p, at, data, n, end);
	}
	return problem;
}

/* A position where the peer was never asked: bring a connection there and ask. */
static enum cache_problem branching_look(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct tree_at same = *at;
	return branching_send(c, tree, &same, NULL, 0, false);
}

/* Others may need the connection after backtracking. */
static enum cache_problem branching_close(struct cache *c, u32 tree, const struct tree_at *at)
{
	(void)c, (void)tree, (void)at;
	return CACHE_FINE;
}

const struct cache_mode_ops branching_ops = {
	.open_again = branching_open_again,
	.send = branching_send,
	.look = branching_look,
	.close = branching_close,
	.forks = true,
	.answers = true,
};
