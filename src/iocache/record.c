/* What was said goes into the tree, or is compared with what is there. */
#include "cache_priv.h"

int record_written(struct cache *c, struct tree_at *at, const void *data, size_t n, bool end)
{
	size_t known = tree_follow(c->t, at, data, n);
	if (known < n && !tree_append(c->t, at, (const u8 *)data + known, n - known))
		return error_out_of_memory(c);
	if (end && !tree_follow_end(c->t, at) && !tree_append_end(c->t, at))
		return error_out_of_memory(c);
	return 0;
}

/*
 * A client that leaves with something unread resets the connection, else it ends it: that is a matter of
 * speed. In a search a difference is told. An execution that is played again was explored with what is
 * recorded, and that is what is to be confirmed.
 */
static bool same_end(const struct cache *c, u32 recorded, u32 flags)
{
	if (c->confirm)
		return !(recorded & NET_CLOSED) == !(flags & NET_CLOSED);
	return ((recorded ^ flags) & NET_CLOSED) == 0;
}

static bool as_recorded(const struct cache *c, const struct tree_at *at, const struct mark_view *m, u64 said)
{
	const struct transport_reply *r = &c->reply;
	return m->reply == said + r->len && tree_reply_same(c->t, at, said, r->data, r->len) == r->len &&
	       same_end(c, m->flags, r->flags);
}

/* Where the last mark at or before `at` is. */
static struct tree_at last_mark(const struct cache *c, u32 tree, const struct tree_at *at)
{
	struct tree_at i = root_at(c, tree);
	struct mark_view m;
	while (tree_mark_after(c->t, &i, at, &i, &m))
		;
	return i;
}

/*
 * A new mark. The connection may have passed marks without being asked there (mode none sends in the SUT's
 * own pieces): what they say is compared first, and what is recorded behind the new mark, too.
 */
static int add_mark(struct cache *c, u32 tree, const struct tree_at *at, u64 said)
{
	const struct transport_reply *r = &c->reply;
	struct mark_view before = {.reply = said};
	tree_mark_before(c->t, at, &before);
	hd_assert(before.reply >= said);
	u64 known = before.reply - said;
	clock_readings_adopt(c, at, said, known);
	struct tree_at against;
	if (r->len < known || tree_reply_same(c->t, at, said, r->data, known) < known ||
	    (before.flags & NET_CLOSED & ~r->flags)) {
		against = last_mark(c, tree, at);
		return error_nondeterministic(c, tree, at, said, &against);
	}
	const u8 *fresh = (const u8 *)r->data + known;
	if (!tree_mark_fits(c->t, at, fresh, r->len - known, r->flags, &against))
		return error_nondeterministic(c, tree, at, said, &against);
	if (!tree_mark_add(c->t, at, fresh, r->len - known, r->flags, r->text))
		return error_out_of_memory(c);
	return 0;
}

int record_reply(struct cache *c, u32 tree, const struct tree_at *at, u64 said)
{
	struct mark_view m;
	c->reply.flags &= NET_CLOSED | NET_TIMED | NET_GUESSED | NET_AGAIN | NET_GONE | NET_UNREAD |
			  NET_CHOSE;
	if (!tree_mark_at(c->t, at, &m))
		return add_mark(c, tree, at, said);
	clock_readings_adopt(c, at, said, m.reply > said ? m.reply - said : 0);
	return as_recorded(c, at, &m, said) ? 0 : error_nondeterministic(c, tree, at, said, at);
}

bool record_after_reset(struct cache *c, struct tree_at *at, const void *data, size_t n, bool end, int *err)
{
	struct mark_view m;
	if (!tree_mark_before(c->t, at, &m) || !(m.flags & NET_RESET))
		return false;
	*err = record_written(c, at, data, n, end);
	if (!*err && !tree_mark_at(c->t, at, &m) && !tree_mark_add(c->t, at, "", 0, m.flags, m.note))
		*err = error_out_of_memory(c);
	return true;
}
