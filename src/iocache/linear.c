/*
 * Linear: one trace per connection, in the order in which it was first seen. Whatever differs ends the
 * search.
 */
#include "cache_priv.h"

static bool linear_open_again(struct cache *c, u32 tree, u32 nth)
{
	(void)c, (void)tree, (void)nth;
	return false;
}

/*
 * The tree has one branch and one connection. Should that have been closed for lack of room, it is opened
 * again.
 */
static int linear_send(struct cache *c, u32 tree, struct tree_at *at, const void *data, size_t n, bool end)
{
	if (!tree_is_leaf(c->t, at))
		return error_diverged_write(c, tree, at, data, n, end);
	u64 from = at->written;
	int err = branching_send(c, tree, at, data, n, end);
	if (!err)
		error_note_schedule(c, tree, from);
	return err;
}

/* Asking the peer here would need a second connection. */
static int linear_look(struct cache *c, u32 tree, const struct tree_at *at)
{
	return error_diverged_cut(c, tree, at);
}

static int linear_close(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct branch_view b;
	branch_get(c->t, at->branch, &b);
	return at->written == b.fork + b.len ? 0 : error_diverged_close(c, tree, at);
}

/* A known execution goes over fresh connections, one for each tree, and every answer is compared. */
const struct cache_mode_ops linear_confirm_ops = {
	.open_again = linear_open_again,
	.send = branching_send,
	.look = branching_look,
	.close = branching_close,
	.answers = true,
	.forks = true,
	.instances = true,
};

const struct cache_mode_ops linear_ops = {
	.open_again = linear_open_again,
	.send = linear_send,
	.look = linear_look,
	.close = linear_close,
	.answers = true,
	.instances = true,
};
