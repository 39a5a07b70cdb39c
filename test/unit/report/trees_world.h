/* trees_world.h: hand-made communication trees, for tests of what reads them. */
#ifndef HEDDLE_TEST_TREES_WORLD_H
#define HEDDLE_TEST_TREES_WORLD_H

#include <string.h>
#include <sys/mman.h>

#include "iocache/tree.h"

static inline struct trees *world_make(void)
{
	void *memory = mmap(NULL, TREES_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_true(memory != MAP_FAILED);
	return trees_create(memory, CACHE_BRANCHING);
}

static inline void world_free(struct trees *t)
{
	munmap(t, TREES_SIZE);
}

static inline struct tree_key world_key(const char *ip, u16 port, u32 client)
{
	struct tree_key k;

	memset(&k, 0, sizeof(k));
	k.to.family = NET_INET;
	k.to.type = NET_STREAM;
	k.to.port = port;
	k.client = client;
	memcpy(k.to.ip, ip, 4);
	return k;
}

/* A new tree, at its root. */
static inline struct tree_at world_open(struct trees *t, struct tree_key k)
{
	struct tree_at at = {0};
	u32 tree = tree_add(t, &k);

	assert_int_not_equal(tree, TREE_NONE);
	at.branch = tree_root(t, tree);
	return at;
}

static inline void world_write(struct trees *t, struct tree_at *at, const char *text)
{
	size_t known = tree_follow(t, at, text, strlen(text));

	if (text[known])
		assert_true(tree_append(t, at, text + known, strlen(text + known)));
}

static inline void world_hear(struct trees *t, const struct tree_at *at, const char *text, u32 flags)
{
	assert_true(tree_mark_add(t, at, text, strlen(text), flags, ""));
}

/*
 * A server that greets; "GET /a" is answered at once and closed, "GET /b" after the SUT's end of writing and
 * by a reset; and client 2 of port 9000.
 */
static inline struct trees *world_example(void)
{
	struct trees *t = world_make();
	struct tree_at root = world_open(t, world_key("\x7f\0\0\1", 8080, 0)), at = root;

	world_hear(t, &at, "220 \"hi\"\r\n", 0);
	world_write(t, &at, "GET /");
	world_hear(t, &at, "", 0);
	world_write(t, &at, "a\n");
	world_hear(t, &at, "A\x01", NET_EOF);
	at = root;
	world_write(t, &at, "GET /b\n");
	world_hear(t, &at, "wait", NET_TIMED);
	assert_true(tree_append_end(t, &at));
	world_hear(t, &at, "bye", NET_RESET);
	at = world_open(t, world_key("\0\0\0\0", 9000, 2));
	world_hear(t, &at, "one\ntwo\n", 0);
	world_write(t, &at, "12");
	return t;
}

#endif
