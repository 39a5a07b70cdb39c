/* A copy without waste, of everything or of what was used. Branches keep their order, not their numbers. */
#include "tree_priv.h"

#include "base/pages.h"

struct copy {
	const struct trees *from;
	struct trees *to;
	bool used_only;
	struct pages_vec numbers; /* u32: branch of `from` -> branch of `to` */
	struct pages_vec trees;   /* likewise */
};

static bool push(struct pages_vec *v, u32 number)
{
	u32 *place = pages_vec_push(v, sizeof(number));
	if (place)
		*place = number;
	return place != NULL;
}

/* Exactly n bytes: a copy does not grow as a rule. */
static bool put(struct trees *to, struct vec *v, const void *data, u64 n)
{
	return vec_insert(to, v, 0, data, n);
}

static u64 count_branches(const struct trees *from, bool used_only)
{
	u64 n = 0;
	for (u32 i = 0; i < branches_count(from); i++)
		n += !used_only || branch_of(from, i)->used;
	return n;
}

static bool reserve(struct copy *k)
{
	u64 branches = count_branches(k->from, k->used_only);
	return vec_reserve(k->to, &k->to->trees, k->from->trees.len) &&
	       vec_reserve(k->to, &k->to->branches, branches * sizeof(struct branch)) &&
	       index_reserve(k->to, branches) &&
	       put(k->to, &k->to->notes, trees_place(k->from, k->from->notes.at), k->from->notes.len);
}

/* The number that a branch will have: roots are made with their trees, the others follow in their order. */
static u32 number_of(const struct copy *k, u32 branch)
{
	u32 n = 0;
	if (branch_of(k->from, branch)->parent == TREE_NONE)
		return ((u32 *)k->trees.data)[branch_of(k->from, branch)->tree];
	for (u32 i = 0; i < trees_count(k->from); i++)
		n += !k->used_only || tree_of(k->from, i)->used;
	for (u32 i = 0; i < branch; i++)
		n += branch_of(k->from, i)->parent != TREE_NONE &&
		     (!k->used_only || branch_of(k->from, i)->used);
	return n;
}

static bool copy_tree(struct copy *k, const struct tree *tree)
{
	if (k->used_only && !tree->used)
		return push(&k->trees, TREE_NONE);
	struct tree_key key = tree->key;
	if (key.after)
		key.after = number_of(k, key.after - 1) + 1;
	u32 n = tree_add(k->to, &key);
	if (n == TREE_NONE)
		return false;
	struct tree *made = tree_of(k->to, n);
	made->opened = tree->opened;
	made->refuse_at = tree->refuse_at;
	made->refuse_error = tree->refuse_error;
	made->used = tree->used;
	return push(&k->trees, n);
}

/* What of b was used, or all of it. */
static void cut(const struct copy *k, const struct branch *b, u64 *bytes, u32 *marks, u64 *reply, bool *ended)
{
	*bytes = b->bytes.len;
	*marks = branch_mark_count(b);
	*ended = b->ended;
	*reply = b->reply.len;
	if (!k->used_only)
		return;
	*bytes = HD_MIN(*bytes, b->used_to - b->fork);
	*ended = b->used_end;
	*marks = branch_marks_to(k->from, b, b->used_to, b->used_end);
	*reply = *marks ? branch_marks(k->from, b)[*marks - 1].reply - b->reply_from : 0;
}

/* Where a branch begins to speak that has lost its marks: law 4 must hold without them. */
static u64 said_at_fork(const struct trees *t, const struct branch *b)
{
	struct tree_at fork = {.branch = b->parent, .written = b->fork};
	struct mark_view m = {0};
	tree_mark_before(t, &fork, &m);
	return m.reply;
}

static bool fill(struct copy *k, u32 n, const struct branch *b)
{
	u64 bytes, reply;
	u32 marks;
	bool ended;
	cut(k, b, &bytes, &marks, &reply, &ended);
	struct branch *made = branch_of(k->to, n);
	made->ended = ended;
	made->reply_from = marks || b->parent == TREE_NONE ? b->reply_from : said_at_fork(k->from, b);
	made->used = b->used;
	made->used_to = b->used_to;
	made->used_end = b->used_end;
	return put(k->to, &made->bytes, branch_bytes(k->from, b), bytes) &&
	       put(k->to, &made->reply, trees_place(k->from, b->reply.at), reply) &&
	       put(k->to, &made->marks, branch_marks(k->from, b), marks * sizeof(struct mark));
}

/* A child is hung on its parent's copy; the parent's number is lower, so it is there. */
static u32 hang(struct copy *k, const struct branch *b)
{
	u32 n = branches_count(k->to), parent = ((u32 *)k->numbers.data)[b->parent];
	struct branch made = {.tree = branch_of(k->to, parent)->tree,
			      .parent = parent,
			      .first_child = TREE_NONE,
			      .last_child = TREE_NONE,
			      .next_sibling = TREE_NONE,
			      .fork = b->fork};
	vec_insert(k->to, &k->to->branches, k->to->branches.len, &made, sizeof(made));
	struct branch *p = branch_of(k->to, parent);
	if (p->last_child == TREE_NONE)
		p->first_child = n;
	else
		branch_of(k->to, p->last_child)->next_sibling = n;
	p->last_child = n;
	return n;
}

static bool copy_branch(struct copy *k, const struct branch *b)
{
	if (k->used_only && !b->used)
		return push(&k->numbers, TREE_NONE);
	bool root = b->parent == TREE_NONE;
	hd_assert(k->trees.data); /* a branch belongs to a tree, and trees were copied first */
	u32 n = root ? tree_root(k->to, ((u32 *)k->trees.data)[b->tree]) : hang(k, b);
	return push(&k->numbers, n) && fill(k, n, b) && (root || index_add(k->to, n));
}

static bool copy_all(struct copy *k)
{
	if (!reserve(k))
		return false;
	for (u32 i = 0; i < trees_count(k->from); i++)
		if (!copy_tree(k, tree_of(k->from, i)))
			return false;
	for (u32 i = 0; i < branches_count(k->from); i++)
		if (!copy_branch(k, branch_of(k->from, i)))
			return false;
	return true;
}

/* ---- figures of a part ---- */

static bool first_fork_there(const struct trees *t, const struct branch *b, u32 child)
{
	u64 fork = branch_of(t, child)->fork;
	struct tree_at at = {.branch = branch_of(t, child)->parent, .written = fork};
	struct mark_view m;
	for (u32 i = b->first_child; i != child; i = branch_of(t, i)->next_sibling)
		if (branch_of(t, i)->fork == fork)
			return false;
	return fork > b->fork && fork < branch_end(b) && !tree_mark_at(t, &at, &m);
}

static u64 count_nodes(const struct trees *t, const struct branch *b)
{
	u64 n = b->bytes.len > 0;
	const struct mark *m = branch_marks(t, b);
	for (u32 i = 0; i < branch_mark_count(b); i++)
		n += m[i].at > b->fork && m[i].at < branch_end(b);
	for (u32 i = b->first_child; i != TREE_NONE; i = branch_of(t, i)->next_sibling)
		n += first_fork_there(t, b, i);
	return n;
}

static void recount(struct trees *t)
{
	struct cache_stats *s = &t->stats;
	s->trees = trees_count(t);
	s->branches = branches_count(t);
	s->nodes = s->longest = 0;
	for (u32 i = 0; i < branches_count(t); i++) {
		const struct branch *b = branch_of(t, i);
		struct tree_at end = {i, b->ended, branch_end(b)};
		struct mark_view m = {0};
		tree_mark_before(t, &end, &m);
		s->nodes += count_nodes(t, b);
		s->longest = HD_MAX(s->longest, end.written + m.reply);
	}
}

u64 trees_copy(const struct trees *from, void *to, u64 size, bool used_only)
{
	if (size < sizeof(struct trees))
		return 0;
	struct copy k = {.from = from, .to = trees_create(to, trees_mode(from)), .used_only = used_only};
	if (!k.to)
		return 0;
	k.to->limit = HD_MIN(size, TREES_SIZE);
	bool fine = k.to->used <= k.to->limit && copy_all(&k);
	pages_vec_free(&k.numbers);
	pages_vec_free(&k.trees);
	if (!fine)
		return 0;
	k.to->stats = from->stats;
	if (used_only)
		recount(k.to);
	return trees_bytes(k.to);
}
