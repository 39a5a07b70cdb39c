/* The memory of the trees: arena, trees by key, views. */
#include "tree_priv.h"

#include <string.h>

#include "base/text.h"

static u64 round8(u64 n)
{
	return (n + 7) & ~7ull;
}

struct trees *trees_create(void *memory, enum cache_mode mode)
{
	struct trees *t = memory;
	if (t->magic)
		return NULL;
	t->version = TREES_VERSION;
	t->mode = mode;
	t->used = round8(sizeof(*t));
	t->limit = TREES_SIZE;
	t->magic = TREES_MAGIC;
	return t;
}

struct cache_stats *trees_stats(struct trees *t)
{
	return &t->stats;
}

void trees_set_limit(struct trees *t, u64 size)
{
	hd_assert(t->used <= size && size <= TREES_SIZE);
	t->limit = size;
}

enum cache_mode trees_mode(const struct trees *t)
{
	return (enum cache_mode)t->mode;
}

u64 trees_bytes(const struct trees *t)
{
	return t->used;
}

/* ---- vectors ---- */

static bool vec_move(struct trees *t, struct vec *v, u64 cap)
{
	bool last = v->at && v->at + v->cap == t->used;
	u64 at = last ? v->at : t->used;
	if (cap > t->limit || at > t->limit - cap)
		return false;
	if (!last && v->len)
		memcpy(trees_place(t, at), trees_place(t, v->at), v->len);
	v->at = at;
	v->cap = cap;
	t->used = at + cap;
	return true;
}

bool vec_reserve(struct trees *t, struct vec *v, u64 n)
{
	if (n <= v->cap - v->len)
		return true;
	if (n > t->limit)
		return false;
	u64 exact = round8(v->len + n);
	u64 twice = HD_MAX(exact, v->cap * 2);
	return vec_move(t, v, twice) || vec_move(t, v, exact);
}

bool vec_insert(struct trees *t, struct vec *v, u64 where, const void *data, u64 n)
{
	if (!vec_reserve(t, v, n))
		return false;
	char *place = (char *)trees_place(t, v->at) + where;
	if (v->len > where)
		memmove(place + n, place, v->len - where);
	if (n)
		memcpy(place, data, n);
	v->len += n;
	return true;
}

/* Peers mostly wait in the same place as the last time: the same words are stored once. */
u32 trees_note(struct trees *t, const char *note)
{
	u64 n = note ? str_len(note) : 0;
	if (n == 0 || n > HD_PAGE)
		return 0;
	const char *notes = trees_place(t, t->notes.at);
	if (t->last_note && str_equal(notes + t->last_note, note))
		return t->last_note;
	if (t->notes.len == 0 && !vec_insert(t, &t->notes, 0, "", 1))
		return 0;
	if (t->notes.len + n + 1 > UINT32_MAX || !vec_insert(t, &t->notes, t->notes.len, note, n + 1))
		return 0;
	t->last_note = (u32)(t->notes.len - n - 1);
	return t->last_note;
}

/* ---- trees ---- */

u32 trees_count(const struct trees *t)
{
	return (u32)(t->trees.len / sizeof(struct tree));
}

const struct tree_key *tree_key_of(const struct trees *t, u32 tree)
{
	return &tree_of(t, tree)->key;
}

u32 tree_root(const struct trees *t, u32 tree)
{
	return tree_of(t, tree)->root;
}

u32 tree_find(const struct trees *t, const struct tree_key *k)
{
	u32 n = t->bucket[tree_bucket(k)];
	while (n && memcmp(&tree_of(t, n - 1)->key, k, sizeof(*k)) != 0)
		n = tree_of(t, n - 1)->next;
	return n - 1; /* TREE_NONE is -1 */
}

bool tree_is_superseded(const struct trees *t, u32 tree)
{
	const struct tree_key *k = tree_key_of(t, tree);
	struct tree_key joint = {.client = k->client, .joint = 1};
	if (k->client)
		joint.to = k->to;
	return !k->joint && tree_find(t, &joint) != TREE_NONE;
}

u32 tree_add(struct trees *t, const struct tree_key *k)
{
	u32 *bucket = &t->bucket[tree_bucket(k)];
	u32 n = trees_count(t), root = branches_count(t);
	struct tree tree = {.key = *k, .root = root, .next = *bucket};
	struct branch b = {.tree = n,
			   .parent = TREE_NONE,
			   .first_child = TREE_NONE,
			   .last_child = TREE_NONE,
			   .next_sibling = TREE_NONE};
	if (!vec_reserve(t, &t->trees, sizeof(tree)) || !vec_reserve(t, &t->branches, sizeof(b)))
		return TREE_NONE;
	vec_insert(t, &t->trees, t->trees.len, &tree, sizeof(tree));
	vec_insert(t, &t->branches, t->branches.len, &b, sizeof(b));
	*bucket = n + 1;
	t->stats.trees++;
	t->stats.branches++;
	return n;
}

u32 tree_opened(const struct trees *t, u32 tree)
{
	return tree_of(t, tree)->opened;
}

void tree_count_open(struct trees *t, u32 tree)
{
	tree_of(t, tree)->opened++;
}

u32 tree_refusal(const struct trees *t, u32 tree, u32 *error)
{
	*error = tree_of(t, tree)->refuse_error;
	return tree_of(t, tree)->refuse_at;
}

void tree_refuse(struct trees *t, u32 tree, u32 at, u32 error)
{
	tree_of(t, tree)->refuse_at = at;
	tree_of(t, tree)->refuse_error = error;
}

/* ---- views ---- */

u32 branches_count(const struct trees *t)
{
	return (u32)(t->branches.len / sizeof(struct branch));
}

void branch_get(const struct trees *t, u32 branch, struct branch_view *out)
{
	const struct branch *b = branch_of(t, branch);
	*out = (struct branch_view){
		.tree = b->tree,
		.parent = b->parent,
		.fork = b->fork,
		.bytes = branch_bytes(t, b),
		.len = b->bytes.len,
		.ended = b->ended,
		.reply = trees_place(t, b->reply.at),
		.reply_from = b->reply_from,
		.reply_len = b->reply.len,
		.marks = branch_mark_count(b),
		.used = b->used,
	};
}

void mark_show(const struct trees *t, const struct mark *m, struct mark_view *out)
{
	*out = (struct mark_view){
		.at = m->at,
		.reply = m->reply,
		.ended = m->ended,
		.flags = m->flags,
		.note = m->note ? (const char *)trees_place(t, t->notes.at) + m->note : "",
	};
}

void mark_get(const struct trees *t, u32 branch, u32 n, struct mark_view *out)
{
	const struct branch *b = branch_of(t, branch);
	hd_assert(n < branch_mark_count(b));
	mark_show(t, branch_marks(t, b) + n, out);
}

u32 branch_first_child(const struct trees *t, u32 branch)
{
	return branch_of(t, branch)->first_child;
}

u32 branch_next_sibling(const struct trees *t, u32 branch)
{
	return branch_of(t, branch)->next_sibling;
}
