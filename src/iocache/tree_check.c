/*
 * Is this piece of memory a forest? Trees are loaded from files that others wrote. Whoever walks them trusts
 * every offset and every number, so each one is looked at here, once; the laws are those of tree_priv.h.
 */
#include "tree_priv.h"

#include "base/pages.h"

struct piece {
	u64 at, cap;
};
struct trees_check {
	const struct trees *t;
	u64 size;
	struct pages_vec pieces;
};

/* A vector of whole items inside the memory in use. Its place is noted, for law 2. */
static bool vec_fine(struct trees_check *k, const struct vec *v, u64 item)
{
	if (v->cap == 0)
		return v->at == 0 && v->len == 0;
	if (v->at % 8 || v->len > v->cap || v->len % item || v->at < sizeof(*k->t) || v->at > k->t->used ||
	    v->cap > k->t->used - v->at)
		return false;
	struct piece *p = pages_vec_push(&k->pieces, sizeof(*p));
	if (p)
		*p = (struct piece){v->at, v->cap};
	return p != NULL;
}

static bool header_fine(struct trees_check *k)
{
	const struct trees *t = k->t;
	return t->magic == TREES_MAGIC && t->version == TREES_VERSION && t->mode <= CACHE_NONE &&
	       t->used >= sizeof(*t) && t->used <= k->size && t->used <= t->limit && t->limit <= TREES_SIZE &&
	       vec_fine(k, &t->trees, sizeof(struct tree)) &&
	       vec_fine(k, &t->branches, sizeof(struct branch)) && vec_fine(k, &t->notes, 1) &&
	       vec_fine(k, &t->index, sizeof(u32)) && t->trees.len / sizeof(struct tree) < TREE_NONE &&
	       t->branches.len / sizeof(struct branch) < TREE_NONE;
}

/* ---- notes, trees ---- */

static bool notes_fine(const struct trees *t)
{
	const char *notes = trees_place(t, t->notes.at);
	return t->last_note < HD_MAX(t->notes.len, 1ull) &&
	       (t->notes.len == 0 || notes[t->notes.len - 1] == 0);
}

static bool address_fine(const struct net_address *a)
{
	return a->path_len <= sizeof(a->path);
}

/* Chains of a bucket descend, so they end. */
static bool refusal_fine(const struct tree *tree)
{
	return !tree->refuse_at || NET_IS_ERRNO(-(long)tree->refuse_error);
}

/* The connection before is of an earlier tree, so that such chains end. */
static bool after_fine(const struct trees *t, u32 n)
{
	const struct tree_key *k = &tree_of(t, n)->key;
	if (!k->after)
		return !k->after_ended && !k->after_written;
	if (k->after > branches_count(t))
		return false;
	const struct branch *b = branch_of(t, k->after - 1);
	return b->tree < n && k->after_written >= b->fork && k->after_written <= branch_end(b) &&
	       (!k->after_ended || (b->ended && k->after_written == branch_end(b)));
}

static bool trees_fine(const struct trees *t)
{
	u32 n = trees_count(t);
	for (u32 i = 0; i < TREES_BUCKETS; i++)
		if (t->bucket[i] > n)
			return false;
	for (u32 i = 0; i < n; i++) {
		const struct tree *tree = tree_of(t, i);
		if (tree->next > i || !address_fine(&tree->key.to) || tree->root >= branches_count(t) ||
		    !refusal_fine(tree) || !after_fine(t, i) || tree->key.joint > 1)
			return false;
		const struct branch *root = branch_of(t, tree->root);
		if (root->parent != TREE_NONE || root->tree != i)
			return false;
	}
	return true;
}

/* ---- branches ---- */

static bool link_fine(const struct trees *t, u32 from, u32 to, u32 parent)
{
	return to == TREE_NONE || (to > from && to < branches_count(t) && branch_of(t, to)->parent == parent);
}

static bool links_fine(const struct trees *t, u32 n, const struct branch *b)
{
	if (b->tree >= trees_count(t) || !link_fine(t, n, b->first_child, n) ||
	    !link_fine(t, n, b->last_child, n) ||
	    (b->first_child == TREE_NONE) != (b->last_child == TREE_NONE) ||
	    (b->last_child != TREE_NONE && branch_of(t, b->last_child)->next_sibling != TREE_NONE))
		return false;
	if (b->parent == TREE_NONE)
		return tree_of(t, b->tree)->root == n && b->fork == 0 && b->reply_from == 0 &&
		       b->next_sibling == TREE_NONE;
	if (b->parent >= n || !link_fine(t, n, b->next_sibling, b->parent)) /* law 1 */
		return false;
	const struct branch *parent = branch_of(t, b->parent);
	return b->tree == parent->tree && b->fork >= parent->fork && b->fork <= branch_end(parent) &&
	       (b->fork > parent->fork || parent->parent == TREE_NONE) &&
	       b->reply_from <= parent->reply_from + parent->reply.len && /* law 4 */
	       (b->bytes.len || b->ended);
}

static bool mark_fine(const struct trees *t, const struct branch *b, const struct mark *m,
		      const struct mark *last)
{
	u64 first = b->parent == TREE_NONE ? 0 : b->fork + 1, end = branch_end(b);
	bool place = m->ended ? b->ended && m->at == end : m->at >= first && m->at <= end;
	bool ascends = !last || m->at > last->at || (m->at == last->at && m->ended > last->ended);
	bool grows = m->reply >= (last ? last->reply : b->reply_from) &&
		     m->reply <= b->reply_from + b->reply.len;
	return place && ascends && grows && m->ended <= 1 && m->note < HD_MAX(t->notes.len, 1ull);
}

/* Laws 3 and 5. The marks of ancestors were looked at before. */
static bool marks_fine(const struct trees *t, const struct branch *b)
{
	const struct mark *m = branch_marks(t, b);
	u32 n = branch_mark_count(b);
	for (u32 i = 0; i < n; i++)
		if (!mark_fine(t, b, &m[i], i ? &m[i - 1] : NULL))
			return false;
	if (n == 0)
		return b->reply.len == 0;
	struct tree_at fork = {.branch = b->parent, .written = b->fork};
	struct mark_view before;
	bool none = b->parent == TREE_NONE || !tree_mark_before(t, &fork, &before);
	return m[n - 1].reply == b->reply_from + b->reply.len && (none || m[0].reply >= before.reply);
}

/* Who uses a branch came through its parent: copies rely on it. */
static bool use_fine(const struct trees *t, const struct branch *b)
{
	if (!b->used)
		return true;
	if (!tree_of(t, b->tree)->used || b->used_to < b->fork || b->used_to > branch_end(b) ||
	    b->used_end > b->ended)
		return false;
	if (b->parent == TREE_NONE)
		return true;
	const struct branch *parent = branch_of(t, b->parent);
	return parent->used && parent->used_to >= b->fork && (b->used_to > b->fork || b->used_end);
}

static bool branches_fine(struct trees_check *k)
{
	const struct trees *t = k->t;
	for (u32 i = 0; i < branches_count(t); i++) {
		const struct branch *b = branch_of(t, i);
		if (!vec_fine(k, &b->bytes, 1) || !vec_fine(k, &b->reply, 1) ||
		    !vec_fine(k, &b->marks, sizeof(struct mark)) || b->ended > 1 || b->fork > k->size << 10 ||
		    b->reply_from > k->size << 10)
			return false;
	}
	for (u32 i = 0; i < branches_count(t); i++)
		if (!links_fine(t, i, branch_of(t, i)) || !marks_fine(t, branch_of(t, i)) ||
		    !use_fine(t, branch_of(t, i)))
			return false;
	return true;
}

/* Each branch is found, and it alone: so no two leave a place with the same symbol. */
static bool index_fine(const struct trees *t)
{
	u64 slots = t->index.len / sizeof(u32);
	const u32 *slot = trees_place(t, t->index.at);
	if (slots & (slots - 1))
		return false;
	for (u64 i = 0; i < slots; i++)
		if (slot[i] > branches_count(t))
			return false;
	for (u32 i = 0; i < branches_count(t); i++) {
		const struct branch *b = branch_of(t, i);
		if (b->parent != TREE_NONE && index_find(t, b->parent, b->fork, branch_symbol(t, b)) != i)
			return false;
	}
	return true;
}

/* ---- law 2 ---- */

static void sift(struct piece *p, size_t root, size_t n)
{
	for (;;) {
		size_t child = 2 * root + 1;
		if (child >= n)
			return;
		if (child + 1 < n && p[child + 1].at > p[child].at)
			child++;
		if (p[root].at >= p[child].at)
			return;
		struct piece swap = p[root];
		p[root] = p[child];
		p[child] = swap;
		root = child;
	}
}

static void sort(struct piece *p, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(p, i, n);
	for (size_t end = n; end-- > 1;) {
		struct piece swap = p[0];
		p[0] = p[end];
		p[end] = swap;
		sift(p, 0, end);
	}
}

static bool disjoint(struct trees_check *k)
{
	struct piece *p = (struct piece *)k->pieces.data;
	size_t n = k->pieces.len / sizeof(*p);
	sort(p, n);
	for (size_t i = 1; i < n; i++)
		if (p[i].at < p[i - 1].at + p[i - 1].cap)
			return false;
	return true;
}

struct trees *trees_attach(void *memory, u64 size)
{
	struct trees_check k = {.t = memory, .size = size};
	bool fine = size >= sizeof(*k.t) && header_fine(&k) && notes_fine(k.t) && branches_fine(&k) &&
		    trees_fine(k.t) && index_fine(k.t) && disjoint(&k);
	pages_vec_free(&k.pieces);
	return fine ? memory : NULL;
}
