/*
 * Branching: what is not known is sent on the nearest physical connection; a tree for each destination or
 * client.
 */
#include "cache_priv.h"

/*
 * Simultaneous connections of the SUT really exist: the k-th is opened physically once, and its greeting
 * compared. It then waits at the root for the next divergence.
 */
static bool branching_open_again(struct cache *c, u32 tree, u32 nth)
{
	return nth > tree_opened(c->t, tree);
}

int branching_send(struct cache *c, u32 tree, struct tree_at *at, const void *data, size_t n, bool end)
{
	struct physical *p;
	int err = physical_take(c, tree, at, &p);
	return err ? err : physical_send(c, p, at, data, n, end);
}

/* A position where the peer was never asked: bring a connection there and ask. */
int branching_look(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct tree_at same = *at;
	return branching_send(c, tree, &same, NULL, 0, false);
}

/* Others may need the connection after backtracking. */
int branching_close(struct cache *c, u32 tree, const struct tree_at *at)
{
	(void)c, (void)tree, (void)at;
	return 0;
}

const struct cache_mode_ops branching_ops = {
	.open_again = branching_open_again,
	.send = branching_send,
	.look = branching_look,
	.close = branching_close,
	.forks = true,
	.answers = true,
};
