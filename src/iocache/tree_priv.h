/*
 * tree_priv.h: how trees lie in memory. For the files of this folder that begin with tree_.
 *
 *   header | arena: vectors of trees, branches, the index of forks, notes; and each branch's bytes, reply and
 *   marks
 *
 * The arena only grows at its end. A vector that outgrows its place moves there, twice as large; what it
 * leaves behind is not used again, so a vector's waste is at most what it holds. Everything refers to
 * everything by offset or number, and every number is checked by trees_attach (tree_check.c) before anybody
 * follows it.
 *
 * The law of this memory, cited by number:
 *   1. A branch's number is greater than its parent's; siblings ascend.
 *   2. Pieces of the arena do not overlap.
 *   3. Marks of a branch ascend by (position, end); a position where a branch leaves its parent is the
 *      parent's.
 *   4. What a mark says was said is stored on the way to it: below a branch's reply_from in an ancestor,
 *      above in itself.
 *   5. What was said never shrinks on the way down.
 */
#ifndef HEDDLE_IOCACHE_TREE_PRIV_H
#define HEDDLE_IOCACHE_TREE_PRIV_H

#include "iocache/tree.h"

#define TREES_BUCKETS 256u
#define SYMBOL_END 256u /* what leads to a branch that is nothing but the end of writing; bytes are 0 … 255 */

struct vec {
	u64 at, len, cap; /* bytes; at 0: nothing yet */
};

struct trees {
	u64 magic;
	u32 version, mode;
	u64 used, limit; /* of the memory, header included */
	struct cache_stats stats;
	struct vec trees, branches, notes;
	struct vec index;          /* of u32: branch + 1; open addressing, a power of two long */
	u32 bucket[TREES_BUCKETS]; /* of trees by key: number + 1 */
	u32 last_note, pad;
};

struct tree {
	struct tree_key key;
	u32 root, next;              /* in its bucket: number + 1 */
	u32 opened;                  /* physical connections ever opened for it */
	u32 refuse_at, refuse_error; /* the simultaneous connection with this number is refused; 0: none */
	u32 used;
};

struct branch {
	u32 tree, parent;
	u32 first_child, last_child, next_sibling;
	u32 ended;
	u64 fork, reply_from;
	struct vec bytes, reply, marks;
	u64 used_to; /* the farthest position that was used */
	u32 used, used_end;
};

struct mark {
	u64 at, reply;
	u32 ended, flags;
	u32 note, pad; /* in notes; 0: none */
};

static inline void *trees_place(const struct trees *t, u64 at)
{
	return (char *)t + at;
}
static inline struct tree *tree_of(const struct trees *t, u32 n)
{
	hd_assert(n < t->trees.len / sizeof(struct tree));
	return (struct tree *)trees_place(t, t->trees.at) + n;
}
static inline struct branch *branch_of(const struct trees *t, u32 n)
{
	hd_assert(n < t->branches.len / sizeof(struct branch));
	return (struct branch *)trees_place(t, t->branches.at) + n;
}
static inline u64 branch_end(const struct branch *b)
{
	return b->fork + b->bytes.len;
}
static inline const u8 *branch_bytes(const struct trees *t, const struct branch *b)
{
	return trees_place(t, b->bytes.at);
}
static inline const struct mark *branch_marks(const struct trees *t, const struct branch *b)
{
	return trees_place(t, b->marks.at);
}
static inline u32 branch_mark_count(const struct branch *b)
{
	return (u32)(b->marks.len / sizeof(struct mark));
}
static inline u32 tree_bucket(const struct tree_key *k)
{
	_Static_assert(sizeof(*k) % sizeof(u32) == 0, "hashed by words");
	u32 words[sizeof(*k) / sizeof(u32)], h = 2166136261u;
	__builtin_memcpy(words, k, sizeof(*k));
	for (size_t i = 0; i < HD_ARRAY_LEN(words); i++)
		h = (h ^ words[i]) * 0x01000193u;
	return (h ^ h >> 16) % TREES_BUCKETS;
}

/* ---- tree.c: the arena ---- */

/*
 * Room for n more bytes at the end of v, which may move. *v itself must not lie in a vector that grows.
 * false: memory is out.
 */
bool vec_reserve(struct trees *t, struct vec *v, u64 n);
/* Insert n bytes at offset `where`. */
bool vec_insert(struct trees *t, struct vec *v, u64 where, const void *data, u64 n);
/* The offset of a note in notes; 0 for "" and when memory is out. */
u32 trees_note(struct trees *t, const char *note);

/* ---- tree_walk.c ---- */

/* How many marks of b lie at or before (at, ended). */
u32 branch_marks_to(const struct trees *t, const struct branch *b, u64 at, u32 ended);
void mark_show(const struct trees *t, const struct mark *m, struct mark_view *out);

/* ---- tree_index.c: which branch leaves a position with a given symbol ---- */

u32 index_find(const struct trees *t, u32 parent, u64 fork, u32 symbol); /* or TREE_NONE */
bool index_add(struct trees *t, u32 branch);
bool index_reserve(struct trees *t, u64 branches);
u32 branch_symbol(const struct trees *t, const struct branch *b);

#endif
