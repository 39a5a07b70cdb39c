/*
 * How trees grow: at the end of a branch, or by a new branch; and by marks, which may come late and anywhere.
 */
#include "tree_priv.h"

static void note_length(struct trees *t, u64 bytes)
{
	t->stats.longest = HD_MAX(t->stats.longest, bytes);
}

static u64 said_before(const struct trees *t, const struct tree_at *at)
{
	struct mark_view m;
	return tree_mark_before(t, at, &m) ? m.reply : 0;
}

/*
 * Does a node end at this position of b? Only asked when the tree grows, which costs an exchange with a peer
 * anyway.
 */
static bool is_cut(const struct trees *t, const struct branch *b, u64 at)
{
	u32 marks = branch_marks_to(t, b, at, 0);
	if (at == b->fork || (marks && branch_marks(t, b)[marks - 1].at == at))
		return true;
	for (u32 i = b->first_child; i != TREE_NONE; i = branch_of(t, i)->next_sibling)
		if (branch_of(t, i)->fork == at)
			return true;
	return false;
}

static void count_cut(struct trees *t, const struct branch *b, u64 at)
{
	if (at < branch_end(b) && !is_cut(t, b, at))
		t->stats.nodes++;
}

/*
 * Branches without marks say nothing yet; what they will say begins where the last mark on the way stands.
 * That mark may be younger than the branch.
 */
static void begin_reply(struct trees *t, u32 branch, u64 from)
{
	for (; branch != TREE_NONE; branch = branch_of(t, branch)->parent) {
		struct branch *b = branch_of(t, branch);
		if (b->marks.len)
			return;
		b->reply_from = from;
	}
}

/* A branch that leaves *at with data, or with nothing but the end. *at becomes its end. */
static bool fork_at(struct trees *t, struct tree_at *at, const void *data, size_t n, bool ended)
{
	u32 number = branches_count(t);
	struct branch child = {.tree = branch_of(t, at->branch)->tree,
			       .parent = at->branch,
			       .first_child = TREE_NONE,
			       .last_child = TREE_NONE,
			       .next_sibling = TREE_NONE,
			       .ended = ended,
			       .fork = at->written,
			       .reply_from = said_before(t, at)};
	if (number == TREE_NONE || !vec_reserve(t, &t->branches, sizeof(child)) ||
	    !index_reserve(t, (u64)number + 1) || !vec_insert(t, &child.bytes, 0, data, n))
		return false;
	begin_reply(t, at->branch, child.reply_from);
	count_cut(t, branch_of(t, at->branch), at->written);
	vec_insert(t, &t->branches, t->branches.len, &child, sizeof(child));
	struct branch *parent = branch_of(t, at->branch);
	if (parent->last_child == TREE_NONE)
		parent->first_child = number;
	else
		branch_of(t, parent->last_child)->next_sibling = number;
	parent->last_child = number;
	index_add(t, number);
	t->stats.branches++;
	t->stats.nodes += n > 0;
	*at = (struct tree_at){number, ended, at->written + n};
	return true;
}

bool tree_append(struct trees *t, struct tree_at *at, const void *data, size_t n)
{
	if (n == 0)
		return true;
	if (at->ended)
		return false;
	if (tree_is_leaf(t, at)) {
		struct branch *b = branch_of(t, at->branch);
		bool fresh = is_cut(t, b, at->written);
		if (!vec_insert(t, &b->bytes, b->bytes.len, data, n))
			return false;
		t->stats.nodes += fresh;
		at->written += n;
	} else if (!fork_at(t, at, data, n, false)) {
		return false;
	}
	note_length(t, at->written + said_before(t, at));
	return true;
}

bool tree_append_end(struct trees *t, struct tree_at *at)
{
	if (!tree_is_leaf(t, at))
		return fork_at(t, at, NULL, 0, true);
	branch_of(t, at->branch)->ended = 1;
	at->ended = 1;
	return true;
}

/* Store what is not stored yet of the bytes [from, from + n) of the reply. */
static bool add_reply(struct trees *t, struct branch *b, u64 from, const u8 *reply, u64 n)
{
	u64 stored = b->reply_from + b->reply.len;
	u64 known = stored > from ? HD_MIN(stored - from, n) : 0;
	hd_assert(stored >= from); /* law 4 */
	return vec_insert(t, &b->reply, b->reply.len, reply + known, n - known);
}

bool tree_mark_add(struct trees *t, const struct tree_at *at, const void *reply, size_t n, u32 flags,
		   const char *note)
{
	u64 from = said_before(t, at);
	struct mark m = {.at = at->written,
			 .reply = from + n,
			 .ended = at->ended,
			 .flags = flags,
			 .note = trees_note(t, note)};
	begin_reply(t, at->branch, from);
	struct branch *b = branch_of(t, at->branch);
	count_cut(t, b, at->written);
	if (!vec_reserve(t, &b->marks, sizeof(m)) || !add_reply(t, b, from, reply, n))
		return false;
	u64 where = branch_marks_to(t, b, m.at, m.ended) * sizeof(m);
	vec_insert(t, &b->marks, where, &m, sizeof(m));
	note_length(t, m.at + m.reply);
	return true;
}

/*
 * The first mark of b behind `at`, which lies in b or before it, if the way there from `at` has no other
 * mark.
 */
static bool next_mark(const struct trees *t, const struct tree_at *at, u32 branch, struct tree_at *out)
{
	const struct branch *b = branch_of(t, branch);
	struct tree_at end = {branch, b->ended, branch_end(b)};
	struct mark_view m;
	return branch_mark_count(b) && tree_passes(t, at, &end) && tree_mark_after(t, at, &end, out, &m) &&
	       out->branch == branch;
}

bool tree_mark_fits(const struct trees *t, const struct tree_at *at, const void *reply, size_t n, u32 flags,
		    struct tree_at *against)
{
	u32 tree = branch_of(t, at->branch)->tree, sticky = NET_EOF | NET_RESET;
	if (at->ended || tree_is_leaf(t, at))
		return true; /* nothing is behind it */
	u64 from = said_before(t, at);
	for (u32 i = at->branch; i < branches_count(t); i++) {
		struct mark_view m;
		if (branch_of(t, i)->tree != tree || !next_mark(t, at, i, against))
			continue;
		hd_assert(tree_mark_at(t, against, &m));
		if (m.reply < from + n || tree_reply_same(t, against, from, reply, n) < n ||
		    (flags & sticky & ~m.flags))
			return false;
	}
	return true;
}

void tree_use(struct trees *t, const struct tree_at *at)
{
	struct tree_at i = *at;
	tree_of(t, branch_of(t, i.branch)->tree)->used = 1;
	while (i.branch != TREE_NONE) {
		struct branch *b = branch_of(t, i.branch);
		b->used = 1;
		b->used_to = HD_MAX(b->used_to, i.written);
		b->used_end |= i.ended;
		i = (struct tree_at){.branch = b->parent, .written = b->fork};
	}
}

void trees_use_nothing(struct trees *t)
{
	for (u32 i = 0; i < trees_count(t); i++)
		tree_of(t, i)->used = 0;
	for (u32 i = 0; i < branches_count(t); i++) {
		struct branch *b = branch_of(t, i);
		b->used = b->used_end = 0;
		b->used_to = 0;
	}
}
