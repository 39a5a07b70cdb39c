/*
 * iocache_bench.h: a cache and the program's connections to the world of iocache_peer.h, for tests that go
 * step by step.
 */
#ifndef HEDDLE_TEST_IOCACHE_BENCH_H
#define HEDDLE_TEST_IOCACHE_BENCH_H

#include "iocache_peer.h"

struct bench {
	struct world *w;
	struct cache *c;
	struct cache_pos pos[600]; /* open if tree is set */
	const char *schedule;
};

static inline u32 list_open(void *self, const struct cache_pos **out, u32 room)
{
	struct bench *b = self;
	u32 n = 0;
	for (u32 i = 0; i < HD_ARRAY_LEN(b->pos) && n < room; i++)
		if (b->pos[i].tree)
			out[n++] = &b->pos[i];
	return n;
}

static inline void tell_schedule(void *self, char *out, size_t cap)
{
	snprintf(out, cap, "%s", ((struct bench *)self)->schedule);
}

static inline struct bench *start(enum cache_mode mode)
{
	struct bench *b = calloc(1, sizeof(*b));
	assert_non_null(b);
	b->w = world_new(1);
	b->schedule = "thread 1, step 1";
	struct transport t = world_transport(b->w);
	b->c = cache_create(b->w->memory, mode, &t);
	assert_non_null(b->c);
	cache_set_open_list(b->c, list_open, b);
	cache_set_schedule(b->c, tell_schedule, b);
	return b;
}

static inline void stop(struct bench *b)
{
	assert_non_null(trees_attach(cache_trees(b->c), TREES_SIZE));
	world_free(b->w);
	free(b);
}

/* The same trees, without a peer. */
static inline struct cache *without_peer(struct bench *b, enum cache_mode mode)
{
	struct cache *c = cache_create(b->w->memory, mode, NULL);
	assert_non_null(c);
	return c;
}

/* The program is back at the beginning. */
static inline void backtrack(struct bench *b)
{
	memset(b->pos, 0, sizeof(b->pos));
	cache_backtracked(b->c);
}

static inline const struct cache_stats *stats(struct bench *b)
{
	return trees_stats(cache_trees(b->c));
}

static inline void open_at(struct bench *b, u32 n, u16 port)
{
	struct tree_key k = world_key(port, 0);
	assert_int_equal(cache_open(b->c, &k, &b->pos[n]), 0);
}

static inline void write_at(struct bench *b, u32 n, const char *s)
{
	assert_int_equal(cache_write(b->c, &b->pos[n], s, strlen(s)), 0);
}

/* It answers all of this since the beginning. */
static inline void hears(struct cache *c, const struct cache_pos *pos, const char *all, u32 flags)
{
	u64 bytes;
	u32 seen;
	char copy[PEER_SAYS];
	assert_int_equal(cache_resolve(c, pos), 0);
	assert_true(cache_look(c, pos, &bytes, &seen));
	assert_int_equal(bytes, strlen(all) - pos->read);
	cache_copy(c, pos, 0, copy, bytes);
	assert_memory_equal(copy, all + pos->read, bytes);
	assert_int_equal(seen, flags);
}

static inline char *answer(char *out, u16 port, const char *written, bool end)
{
	struct machine m;
	machine_run(&m, port, written, strlen(written), end);
	memcpy(out, m.said, m.len);
	out[m.len] = 0;
	return out;
}

static inline void says(struct bench *b, int code, const char *what)
{
	assert_int_equal(cache_error(b->c)->code, code);
	if (!strstr(cache_error(b->c)->text, what))
		fail_msg("\"%s\" is not in: %s", what, cache_error(b->c)->text);
}

#endif
