/* The linear cache, no cache, and trees without a peer, scenario by scenario. */
#include "iocache_bench.h"

/* ---- linear ---- */

static void linear_refuses_other_bytes(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_LINEAR);
	open_at(b, 0, 13);
	write_at(b, 0, "a\n");
	b->schedule = "thread 2, step 9";
	write_at(b, 0, "first\n");
	backtrack(b);
	b->schedule = "thread 3, step 4";
	open_at(b, 0, 13);
	write_at(b, 0, "a\nfi");
	assert_int_equal(cache_write(b->c, &b->pos[0], "fth\n", 4), CACHE_DIVERGED);
	says(b, CACHE_DIVERGED, "\"rst\\n\"");
	says(b, CACHE_DIVERGED, "\"fth\\n\"");
	says(b, CACHE_DIVERGED, "Recorded by: thread 2, step 9");
	says(b, CACHE_DIVERGED, "Now: thread 3, step 4");
	says(b, CACHE_DIVERGED, "--cache branching");
	assert_int_equal(b->w->opens, 1);
	stop(b);
}

static void linear_refuses_an_early_close(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_LINEAR);
	open_at(b, 0, 13);
	write_at(b, 0, "a\n");
	write_at(b, 0, "b\n");
	struct cache_pos end = b->pos[0];
	assert_int_equal(cache_close(b->c, &end), 0);
	backtrack(b);
	open_at(b, 0, 13);
	write_at(b, 0, "a\n");
	assert_int_equal(cache_close(b->c, &b->pos[0]), CACHE_DIVERGED);
	says(b, CACHE_DIVERGED, "now the connection is closed");
	says(b, CACHE_DIVERGED, "\"b\\n\"");
	stop(b);
}

static void linear_refuses_other_cuts(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_LINEAR);
	u64 bytes;
	u32 flags;
	open_at(b, 0, 13);
	write_at(b, 0, "ab\n");
	backtrack(b);
	open_at(b, 0, 13);
	write_at(b, 0, "a");
	assert_int_equal(cache_resolve(b->c, &b->pos[0]), CACHE_DIVERGED);
	assert_false(cache_look(b->c, &b->pos[0], &bytes, &flags));
	says(b, CACHE_DIVERGED, "--cache branching");
	write_at(b, 0, "b\n"); /* nobody looked in between: fine */
	write_at(b, 0, "c\n"); /* beyond what is recorded: fine */
	assert_int_equal(cache_end(b->c, &b->pos[0]), 0);
	backtrack(b);
	open_at(b, 0, 13);
	assert_int_equal(cache_end(b->c, &b->pos[0]), CACHE_DIVERGED);
	says(b, CACHE_DIVERGED, "the end of writing");
	stop(b);
}

static void linear_gives_each_simultaneous_connection_a_trace(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_LINEAR);
	for (u32 round = 0; round < 3; round++) {
		open_at(b, 0, 13);
		open_at(b, 1, 13);
		assert_int_equal(tree_key_of(cache_trees(b->c), b->pos[0].tree - 1)->instance, 0);
		assert_int_equal(tree_key_of(cache_trees(b->c), b->pos[1].tree - 1)->instance, 1);
		write_at(b, 0, "a\n");
		write_at(b, 1, "b\n");
		assert_int_equal(cache_close(b->c, &b->pos[0]), 0);
		open_at(b, 2, 13); /* the trace that is free */
		assert_int_equal(tree_key_of(cache_trees(b->c), b->pos[2].tree - 1)->instance, 0);
		write_at(b, 2, "a\n");
		backtrack(b);
	}
	assert_int_equal(b->w->opens, 2);
	assert_int_equal(stats(b)->trees, 2);
	stop(b);
}

static void open_by(struct bench *b, u32 i, u32 owner)
{
	struct tree_key k = world_key(13, 0);
	k.owner = owner;
	assert_int_equal(cache_open(b->c, &k, &b->pos[i]), 0);
}

/* Whoever connects first: each thread finds its own trace again. Branching shares one tree among them. */
static void traces_belong_to_threads_whatever_their_order(void **state)
{
	(void)state;
	static const enum cache_mode modes[] = {CACHE_LINEAR, CACHE_BRANCHING};
	for (size_t m = 0; m < HD_ARRAY_LEN(modes); m++) {
		struct bench *b = start(modes[m]);
		for (u32 round = 0; round < 4; round++) {
			u32 first = round % 2, second = !first;
			open_by(b, first, first + 1);
			open_by(b, second, second + 1);
			write_at(b, 0, "a\n");
			write_at(b, 1, "b\n");
			backtrack(b);
		}
		assert_int_equal(b->w->opens, 2);
		assert_int_equal(stats(b)->trees, modes[m] == CACHE_LINEAR ? 2 : 1);
		stop(b);
	}
}

/* ---- none ---- */

static void none_opens_again_after_each_backtrack(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_NONE);
	char all[PEER_SAYS];
	open_at(b, 0, 13);
	write_at(b, 0, "a\n");
	struct cache_pos here = b->pos[0];
	hears(b->c, &here, answer(all, 13, "a\n", false), 0);
	hears(b->c, &here, all, 0);
	assert_int_equal(b->w->opens, 1);
	write_at(b, 0, "b\n");
	backtrack(b);
	b->pos[0] = here;
	hears(b->c, &b->pos[0], all, 0);
	hears(b->c, &b->pos[0], all, 0);
	assert_int_equal(b->w->opens, 2);
	write_at(b, 0, "c\n");
	assert_int_equal(b->w->opens, 2);
	hears(b->c, &b->pos[0], answer(all, 13, "a\nc\n", false), 0);
	backtrack(b);
	open_at(b, 0, 13);
	assert_int_equal(b->w->opens, 3);
	write_at(b, 0, "a\n");
	assert_int_equal(b->w->opens, 3);
	assert_int_equal(b->w->sent, 2 + 2 + 2 + 2 + 2);
	assert_int_equal(stats(b)->hits, 0);
	assert_int_equal(world_alive(b->w), 1);
	assert_int_equal(cache_close(b->c, &b->pos[0]), 0);
	assert_int_equal(world_alive(b->w), 0);
	stop(b);
}

/* ---- without a peer, without memory ---- */

static void trees_alone_answer_what_they_hold(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	char all[PEER_SAYS];
	u64 bytes;
	u32 flags;
	open_at(b, 0, 13);
	write_at(b, 0, "a\nb\n");
	struct cache *c = without_peer(b, CACHE_BRANCHING);
	struct tree_key k = world_key(13, 0), other = world_key(99, 0);
	struct cache_pos pos = {0};
	assert_int_equal(cache_open(c, &other, &pos), CACHE_LEFT);
	assert_non_null(strstr(cache_error(c)->text, "127.0.0.1:99"));
	assert_int_equal(cache_open(c, &k, &pos), 0);
	assert_int_equal(cache_write(c, &pos, "a\n", 2), 0);
	assert_int_equal(cache_resolve(c, &pos), CACHE_LEFT);
	assert_false(cache_look(c, &pos, &bytes, &flags));
	assert_int_equal(cache_write(c, &pos, "c", 1), CACHE_LEFT);
	assert_int_equal(cache_end(c, &pos), CACHE_LEFT);
	assert_int_equal(cache_write(c, &pos, "b\n", 2), 0);
	hears(c, &pos, answer(all, 13, "a\nb\n", false), 0);
	assert_int_equal(cache_write(c, &pos, "c", 1), CACHE_LEFT);
	assert_non_null(strstr(cache_error(c)->text, "\"a\\nb\\n\""));
	assert_null(cache_create(b->w->memory, CACHE_LINEAR, NULL));
	stop(b);
}

static void full_memory_is_a_tool_error(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	int err = 0;
	open_at(b, 0, 13);
	trees_set_limit(cache_trees(b->c), trees_bytes(cache_trees(b->c)) + 3000);
	for (u32 i = 0; i < 1000 && !err; i++)
		err = cache_write(b->c, &b->pos[0], "aaaaaaaaaa", 10);
	assert_int_equal(err, CACHE_TOOL);
	says(b, CACHE_TOOL, "full");
	stop(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linear_refuses_other_bytes),
		cmocka_unit_test(linear_refuses_an_early_close),
		cmocka_unit_test(linear_refuses_other_cuts),
		cmocka_unit_test(linear_gives_each_simultaneous_connection_a_trace),
		cmocka_unit_test(traces_belong_to_threads_whatever_their_order),
		cmocka_unit_test(none_opens_again_after_each_backtrack),
		cmocka_unit_test(trees_alone_answer_what_they_hold),
		cmocka_unit_test(full_memory_is_a_tool_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
