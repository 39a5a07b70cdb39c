/* The cache, scenario by scenario: what goes out, what is counted, what is said when something is wrong. */
#include "iocache_peer.h"

struct bench {
	struct world *w;
	struct cache *c;
	struct cache_pos pos[600]; /* open if tree is set */
	const char *schedule;
};

static u32 list_open(void *self, const struct cache_pos **out, u32 room)
{
	struct bench *b = self;
	u32 n = 0;
	for (u32 i = 0; i < HD_ARRAY_LEN(b->pos) && n < room; i++)
		if (b->pos[i].tree)
			out[n++] = &b->pos[i];
	return n;
}

static void tell_schedule(void *self, char *out, size_t cap)
{
	snprintf(out, cap, "%s", ((struct bench *)self)->schedule);
}

static struct bench *start(enum cache_mode mode)
{
	struct bench *b = calloc(1, sizeof *b);
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

static void stop(struct bench *b)
{
	assert_non_null(trees_attach(cache_trees(b->c), TREES_SIZE));
	world_free(b->w);
	free(b);
}

/* The same trees, without a peer. */
static struct cache *without_peer(struct bench *b, enum cache_mode mode)
{
	struct cache *c = cache_create(b->w->memory, mode, NULL);
	assert_non_null(c);
	return c;
}

/* The program is back at the beginning. */
static void backtrack(struct bench *b)
{
	memset(b->pos, 0, sizeof b->pos);
	cache_backtracked(b->c);
}

static const struct cache_stats *stats(struct bench *b)
{
	return trees_stats(cache_trees(b->c));
}

static void open_at(struct bench *b, u32 n, u16 port)
{
	struct tree_key k = world_key(port, 0);
	assert_int_equal(cache_open(b->c, &k, &b->pos[n]), CACHE_FINE);
}

static void write_at(struct bench *b, u32 n, const char *s)
{
	assert_int_equal(cache_write(b->c, &b->pos[n], s, strlen(s)), CACHE_FINE);
}

/* It answers all of this since the beginning. */
static void hears(struct cache *c, const struct cache_pos *pos, const char *all, u32 flags)
{
	u64 bytes;
	u32 seen;
	char copy[PEER_SAYS];
	assert_int_equal(cache_look(c, pos, &bytes, &seen), CACHE_FINE);
	assert_int_equal(bytes, strlen(all) - pos->read);
	cache_copy(c, pos, 0, copy, bytes);
	assert_memory_equal(copy, all + pos->read, bytes);
	assert_int_equal(seen, flags);
}

static char *answer(char *out, u16 port, const char *written, bool end)
{
	struct machine m;
	machine_run(&m, port, written, strlen(written), end);
	memcpy(out, m.said, m.len);
	out[m.len] = 0;
	return out;
}

static void says(struct bench *b, enum cache_problem problem, const char *what)
{
	assert_int_equal(cache_why(b->c)->problem, problem);
	if (!strstr(cache_why(b->c)->text, what))
		fail_msg("\"%s\" is not in: %s", what, cache_why(b->c)->text);
}

/* ---- branching ---- */

static void simultaneous_connections_exist_and_are_opened_once(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	for (u32 round = 0; round < 4; round++) {
		for (u32 i = 0; i < 3; i++) {
			open_at(b, i, 13);
			hears(b->c, &b->pos[i], "hello\n", 0);
		}
		assert_memory_equal(&b->pos[0], &b->pos[2], sizeof b->pos[0]);
		backtrack(b);
	}
	assert_int_equal(b->w->opens, 3);
	assert_int_equal(stats(b)->connections, 3);
	assert_int_equal(stats(b)->misses, 3);
	assert_int_equal(stats(b)->hits, 4 * 3 + 3 * 3);
	assert_int_equal(stats(b)->trees, 1);
	stop(b);
}

static void one_after_the_other_needs_one_connection(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	for (u32 i = 0; i < 5; i++) {
		open_at(b, 0, 13);
		write_at(b, 0, "a\n");
		assert_int_equal(cache_close(b->c, &b->pos[0]), CACHE_FINE);
	}
	assert_int_equal(b->w->opens, 1);
	assert_int_equal(b->w->closes, 0);
	assert_int_equal(b->w->sent, 2);
	stop(b);
}

static void a_divergence_takes_the_connection_that_waits_at_the_root(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	char all[PEER_SAYS];
	open_at(b, 0, 13);
	open_at(b, 1, 13);
	write_at(b, 0, "a\n");
	write_at(b, 1, "b\n");
	hears(b->c, &b->pos[0], answer(all, 13, "a\n", false), 0);
	hears(b->c, &b->pos[1], answer(all, 13, "b\n", false), 0);
	assert_int_equal(b->w->opens, 2);
	assert_int_equal(stats(b)->bytes_replayed, 0);
	assert_int_equal(stats(b)->branches, 2);
	stop(b);
}

static void a_divergence_is_brought_there_by_replaying(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	char all[PEER_SAYS];
	open_at(b, 0, 13);
	write_at(b, 0, "a\n");
	write_at(b, 0, "b\n");
	write_at(b, 0, "c\n");
	backtrack(b);
	open_at(b, 0, 13);
	write_at(b, 0, "a\nb\n"); /* cut differently: known */
	assert_int_equal(b->w->opens, 1);
	u64 polls = b->w->exchanges;
	write_at(b, 0, "d\n");
	assert_int_equal(b->w->opens, 2);
	assert_int_equal(b->w->exchanges - polls,
			 4); /* greeting, "a\n", "b\n", "d\n": cut where it was asked before */
	assert_int_equal(stats(b)->bytes_replayed, 4);
	assert_int_equal(stats(b)->bytes_sent, 12);
	hears(b->c, &b->pos[0], answer(all, 13, "a\nb\nd\n", false), 0);
	assert_int_equal(stats(b)->nodes, 4);
	assert_int_equal(stats(b)->longest, 6 + strlen(all));
	stop(b);
}

static void a_divergence_may_be_inside_bytes_never_asked_about(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	char all[PEER_SAYS];
	open_at(b, 0, 13);
	write_at(b, 0, "aaaa\n");
	struct cache_pos first = b->pos[0];
	backtrack(b);
	open_at(b, 0, 13);
	write_at(b, 0, "aa");
	assert_int_equal(b->w->opens, 1); /* nobody looked */
	write_at(b, 0, "b\n");
	hears(b->c, &b->pos[0], answer(all, 13, "aab\n", false), 0);
	assert_int_equal(b->w->opens, 2);
	assert_int_equal(stats(b)->bytes_replayed, 2);
	hears(b->c, &first, answer(all, 13, "aaaa\n", false), 0);
	stop(b);
}

static void a_position_never_asked_about_is_asked_when_looked_at(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	open_at(b, 0, 13);
	write_at(b, 0, "a\n");
	backtrack(b);
	open_at(b, 0, 13);
	write_at(b, 0, "a");
	hears(b->c, &b->pos[0], "hello\n", 0);
	assert_int_equal(b->w->opens, 2);
	u64 hits = stats(b)->hits;
	hears(b->c, &b->pos[0], "hello\n", 0);
	assert_int_equal(b->w->opens, 2);
	assert_int_equal(stats(b)->hits, hits + 1);
	write_at(b, 0, "\n");
	assert_int_equal(b->w->opens, 2);
	stop(b);
}

static void close_reset_and_end_are_events(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	char all[PEER_SAYS];
	open_at(b, 0, 13);
	write_at(b, 0, "q");
	hears(b->c, &b->pos[0], answer(all, 13, "q", false), NET_EOF);
	write_at(b, 0, "a"); /* goes out, and is answered by a reset */
	assert_int_equal(b->w->sent, 2);
	hears(b->c, &b->pos[0], all, NET_EOF | NET_RESET);
	write_at(b, 0, "aaa");
	assert_int_equal(cache_end(b->c, &b->pos[0]), CACHE_FINE);
	hears(b->c, &b->pos[0], all, NET_EOF | NET_RESET);
	assert_int_equal(b->w->sent, 2); /* nothing is sent behind a reset */
	backtrack(b);
	open_at(b, 0, 13);
	assert_int_equal(cache_end(b->c, &b->pos[0]), CACHE_FINE);
	hears(b->c, &b->pos[0], "hello\nbye\n", NET_EOF);
	backtrack(b);
	u64 opens = b->w->opens;
	open_at(b, 0, 13);
	assert_int_equal(cache_end(b->c, &b->pos[0]), CACHE_FINE);
	assert_int_equal(b->w->opens, opens);
	assert_int_equal(b->pos[0].ended, 1);
	stop(b);
}

static void a_lost_connection_is_opened_again(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	char all[PEER_SAYS];
	open_at(b, 0, 13);
	write_at(b, 0, "a\n");
	b->w->conn[1].open = false;
	write_at(b, 0, "b\n");
	hears(b->c, &b->pos[0], answer(all, 13, "a\nb\n", false), 0);
	assert_int_equal(b->w->opens, 2);
	b->w->gone_percent = 100;
	assert_int_equal(cache_write(b->c, &b->pos[0], "c", 1), CACHE_TOOL);
	says(b, CACHE_TOOL, "127.0.0.1:13");
	stop(b);
}

/* The transport closed a connection on its own and gave its number to another. */
static void a_number_used_again_is_another_connection(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	char all[PEER_SAYS];
	open_at(b, 0, 13);
	write_at(b, 0, "a\n");
	b->w->conns = 0;
	open_at(b, 1, 15);
	write_at(b, 0, "b\n");
	write_at(b, 1, "c\n");
	hears(b->c, &b->pos[0], answer(all, 13, "a\nb\n", false), 0);
	hears(b->c, &b->pos[1], answer(all, 15, "c\n", false), 0);
	assert_int_equal(b->w->opens, 3);
	stop(b);
}

static void the_table_of_connections_closes_those_not_in_use(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	for (u32 i = 0; i < NET_MAX_CONNS + 80; i++) {
		struct tree_key k = world_key(81, i + 1);
		b->pos[i % 100] = (struct cache_pos){0};
		assert_int_equal(cache_open(b->c, &k, &b->pos[i % 100]), CACHE_FINE);
		write_at(b, i % 100, "a\n");
		assert_true(world_alive(b->w) <= NET_MAX_CONNS);
	}
	assert_int_equal(b->w->closes, 80);
	for (u32 i = 0; i < 100; i++)
		write_at(b, i, "b\n");
	assert_int_equal(b->w->opens, NET_MAX_CONNS + 80); /* those in use were kept */
	assert_int_equal(b->w->last_keeps, 99);
	assert_int_equal(stats(b)->peer_starts, b->w->opens);
	stop(b);
}

/* ---- refusals ---- */

static void a_refusal_is_remembered(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	struct tree_key k = world_key(13, 0);
	b->w->open_status = -ECONNREFUSED;
	assert_int_equal(cache_open(b->c, &k, &b->pos[0]), CACHE_REFUSED);
	assert_int_equal(cache_why(b->c)->error, ECONNREFUSED);
	assert_int_equal(b->pos[0].tree, 0);
	assert_int_equal(cache_open(b->c, &k, &b->pos[0]), CACHE_REFUSED); /* would be accepted now */
	struct cache *replay = without_peer(b, CACHE_BRANCHING);
	assert_int_equal(cache_open(replay, &k, &b->pos[0]), CACHE_REFUSED);
	assert_int_equal(cache_why(replay)->error, ECONNREFUSED);
	stop(b);
}

static void one_connection_too_many_is_refused_always(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	struct tree_key k = world_key(13, 0);
	b->w->refuse_above = 2;
	for (u32 round = 0; round < 2; round++) {
		open_at(b, 0, 13);
		open_at(b, 1, 13);
		assert_int_equal(cache_open(b->c, &k, &b->pos[2]), CACHE_REFUSED);
		backtrack(b);
	}
	stop(b);
}

static void a_peer_that_serves_one_at_a_time_is_not_disturbed_by_ours(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	char all[PEER_SAYS];
	b->w->refuse_above = 1;
	open_at(b, 0, 13);
	write_at(b, 0, "a\n");
	backtrack(b);
	open_at(b, 0, 13);
	write_at(b, 0, "b\n");
	hears(b->c, &b->pos[0], answer(all, 13, "b\n", false), 0);
	assert_int_equal(b->w->opens, 2);
	stop(b);
}

static void refused_after_it_was_accepted_is_not_deterministic(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	open_at(b, 0, 13);
	write_at(b, 0, "a\n");
	b->w->conn[1].open = false;
	b->w->open_status = -ECONNREFUSED;
	assert_int_equal(cache_write(b->c, &b->pos[0], "b", 1), CACHE_NONDETERMINISTIC);
	says(b, CACHE_NONDETERMINISTIC, "--checkpoint");
	stop(b);
}

/* ---- trouble ---- */

static void troubles_have_their_verdict_and_words(void **state)
{
	(void)state;
	static const struct {
		int status;
		enum cache_problem problem;
	} troubles[] = {{NET_TROUBLE_TOOL, CACHE_TOOL},
			{NET_TROUBLE_NO_PEER, CACHE_TOOL},
			{NET_TROUBLE_STUCK, CACHE_INCOMPLETE},
			{NET_TROUBLE_UNSERVED, CACHE_INCOMPLETE},
			{NET_TROUBLE_CROSSTALK, CACHE_INCOMPLETE},
			{NET_TROUBLE_ANOTHER, CACHE_INCOMPLETE},
			{NET_TROUBLE_SLOW, CACHE_INCOMPLETE}};
	for (u32 i = 0; i < HD_ARRAY_LEN(troubles); i++) {
		struct bench *b = start(CACHE_BRANCHING);
		struct tree_key k = world_key(13, 0);
		b->w->open_status = troubles[i].status;
		assert_int_equal(cache_open(b->c, &k, &b->pos[0]), troubles[i].problem);
		says(b, troubles[i].problem, "words of the broker");
		open_at(b, 0, 13);
		struct cache_pos before = b->pos[0];
		b->w->exchange_status = troubles[i].status;
		assert_int_equal(cache_write(b->c, &b->pos[0], "a", 1), troubles[i].problem);
		says(b, troubles[i].problem, "words of the broker");
		assert_memory_equal(&before, &b->pos[0], sizeof before);
		stop(b);
	}
}

static void another_greeting_is_noticed(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	struct tree_key k = world_key(13, 0);
	b->w->liar_from = 2;
	b->w->lie = 7;
	open_at(b, 0, 13);
	assert_int_equal(cache_open(b->c, &k, &b->pos[1]), CACHE_NONDETERMINISTIC);
	says(b, CACHE_NONDETERMINISTIC, "127.0.0.1:13");
	says(b, CACHE_NONDETERMINISTIC, "Request so far: nothing");
	says(b, CACHE_NONDETERMINISTIC, "\"hello\\n\"");
	says(b, CACHE_NONDETERMINISTIC, "--checkpoint");
	stop(b);
}

static void another_answer_to_a_replay_is_noticed(void **state)
{
	(void)state;
	for (u32 mode = CACHE_BRANCHING; mode <= CACHE_NONE; mode += CACHE_NONE) {
		struct bench *b = start((enum cache_mode)mode);
		char all[PEER_SAYS];
		open_at(b, 0, 13);
		write_at(b, 0, "a\n");
		b->w->conn[1].m.state += 5; /* from here on it is another peer */
		write_at(b, 0, "b\n");
		write_at(b, 0, "c\n");
		backtrack(b);
		open_at(b, 0, 13);
		write_at(b, 0, "a\n");
		hears(b->c, &b->pos[0], answer(all, 13, "a\n", false), 0);
		assert_int_equal(cache_write(b->c, &b->pos[0], "b\nd\n", 4), CACHE_NONDETERMINISTIC);
		says(b, CACHE_NONDETERMINISTIC, "Request so far: \"a\\nb\\n");
		says(b, CACHE_NONDETERMINISTIC, "--checkpoint");
		stop(b);
	}
}

/* A mark that comes late must fit what is recorded behind it, in its own branch and in those that leave it. */
static void a_late_answer_that_contradicts_is_noticed(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	u64 bytes;
	u32 flags;
	b->w->liar_from = 2;
	b->w->lie = 8;
	open_at(b, 0, 14);
	write_at(b, 0, "a\nb\n");
	backtrack(b);
	open_at(b, 0, 14);
	write_at(b, 0, "a\n");
	struct tree_at at = {b->pos[0].branch, 0, b->pos[0].written}, against;
	assert_true(tree_mark_fits(cache_trees(b->c), &at, "", 0, 0, &against));
	assert_false(tree_mark_fits(cache_trees(b->c), &at, "", 0, NET_EOF, &against));
	assert_int_equal(against.written, 4);
	assert_int_equal(cache_look(b->c, &b->pos[0], &bytes, &flags), CACHE_NONDETERMINISTIC);
	says(b, CACHE_NONDETERMINISTIC, "Request so far: \"a\\n\"");
	stop(b);
}

static void a_late_answer_is_compared_with_branches_that_leave_behind_it(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	struct tree_at at, against;
	open_at(b, 0, 14);
	write_at(b, 0, "aaq");
	backtrack(b);
	open_at(b, 0, 14);
	write_at(b, 0, "aab"); /* leaves at 2; says nothing */
	backtrack(b);
	open_at(b, 0, 14);
	write_at(b, 0, "a");
	at = (struct tree_at){b->pos[0].branch, 0, 1};
	assert_false(tree_mark_fits(cache_trees(b->c), &at, "x", 1, 0, &against));
	char all[PEER_SAYS];
	answer(all, 14, "aaq", false); /* fits the first, not the second */
	assert_false(tree_mark_fits(cache_trees(b->c), &at, all, strlen(all), 0, &against));
	assert_int_not_equal(against.branch, b->pos[0].branch);
	assert_true(tree_mark_fits(cache_trees(b->c), &at, "", 0, 0, &against));
	stop(b);
}

static void notes_of_the_peer_are_kept(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	open_at(b, 0, 13);
	assert_string_equal(cache_peer_note(b->c, &b->pos[0]), "");
	b->w->note = "thread 7 waits in read";
	write_at(b, 0, "a\n");
	write_at(b, 0, "b\n");
	assert_string_equal(cache_peer_note(b->c, &b->pos[0]), "thread 7 waits in read");
	b->pos[0].written = 3; /* nobody asked there: the last time before counts */
	assert_string_equal(cache_peer_note(b->c, &b->pos[0]), "thread 7 waits in read");
	stop(b);
}

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
	assert_int_equal(cache_close(b->c, &end), CACHE_FINE);
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
	assert_int_equal(cache_look(b->c, &b->pos[0], &bytes, &flags), CACHE_DIVERGED);
	says(b, CACHE_DIVERGED, "--cache branching");
	write_at(b, 0, "b\n"); /* nobody looked in between: fine */
	write_at(b, 0, "c\n"); /* beyond what is recorded: fine */
	assert_int_equal(cache_end(b->c, &b->pos[0]), CACHE_FINE);
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
		assert_int_equal(b->pos[0].instance, 0);
		assert_int_equal(b->pos[1].instance, 1);
		write_at(b, 0, "a\n");
		write_at(b, 1, "b\n");
		assert_int_equal(cache_close(b->c, &b->pos[0]), CACHE_FINE);
		open_at(b, 2, 13); /* the trace that is free */
		assert_int_equal(b->pos[2].instance, 0);
		write_at(b, 2, "a\n");
		backtrack(b);
	}
	assert_int_equal(b->w->opens, 2);
	assert_int_equal(stats(b)->trees, 2);
	stop(b);
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
	assert_int_equal(cache_close(b->c, &b->pos[0]), CACHE_FINE);
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
	assert_non_null(strstr(cache_why(c)->text, "127.0.0.1:99"));
	assert_int_equal(cache_open(c, &k, &pos), CACHE_FINE);
	assert_int_equal(cache_write(c, &pos, "a\n", 2), CACHE_FINE);
	assert_int_equal(cache_look(c, &pos, &bytes, &flags), CACHE_LEFT);
	assert_int_equal(cache_write(c, &pos, "c", 1), CACHE_LEFT);
	assert_int_equal(cache_end(c, &pos), CACHE_LEFT);
	assert_int_equal(cache_write(c, &pos, "b\n", 2), CACHE_FINE);
	hears(c, &pos, answer(all, 13, "a\nb\n", false), 0);
	assert_int_equal(cache_write(c, &pos, "c", 1), CACHE_LEFT);
	assert_non_null(strstr(cache_why(c)->text, "\"a\\nb\\n\""));
	assert_null(cache_create(b->w->memory, CACHE_LINEAR, NULL));
	stop(b);
}

static void full_memory_is_a_tool_error(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	enum cache_problem problem = CACHE_FINE;
	open_at(b, 0, 13);
	trees_set_limit(cache_trees(b->c), trees_bytes(cache_trees(b->c)) + 3000);
	for (u32 i = 0; i < 1000 && problem == CACHE_FINE; i++)
		problem = cache_write(b->c, &b->pos[0], "aaaaaaaaaa", 10);
	assert_int_equal(problem, CACHE_TOOL);
	says(b, CACHE_TOOL, "full");
	stop(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(simultaneous_connections_exist_and_are_opened_once),
		cmocka_unit_test(one_after_the_other_needs_one_connection),
		cmocka_unit_test(a_divergence_takes_the_connection_that_waits_at_the_root),
		cmocka_unit_test(a_divergence_is_brought_there_by_replaying),
		cmocka_unit_test(a_divergence_may_be_inside_bytes_never_asked_about),
		cmocka_unit_test(a_position_never_asked_about_is_asked_when_looked_at),
		cmocka_unit_test(close_reset_and_end_are_events),
		cmocka_unit_test(a_lost_connection_is_opened_again),
		cmocka_unit_test(a_number_used_again_is_another_connection),
		cmocka_unit_test(the_table_of_connections_closes_those_not_in_use),
		cmocka_unit_test(a_refusal_is_remembered),
		cmocka_unit_test(one_connection_too_many_is_refused_always),
		cmocka_unit_test(a_peer_that_serves_one_at_a_time_is_not_disturbed_by_ours),
		cmocka_unit_test(refused_after_it_was_accepted_is_not_deterministic),
		cmocka_unit_test(troubles_have_their_verdict_and_words),
		cmocka_unit_test(another_greeting_is_noticed),
		cmocka_unit_test(another_answer_to_a_replay_is_noticed),
		cmocka_unit_test(a_late_answer_that_contradicts_is_noticed),
		cmocka_unit_test(a_late_answer_is_compared_with_branches_that_leave_behind_it),
		cmocka_unit_test(notes_of_the_peer_are_kept),
		cmocka_unit_test(linear_refuses_other_bytes),
		cmocka_unit_test(linear_refuses_an_early_close),
		cmocka_unit_test(linear_refuses_other_cuts),
		cmocka_unit_test(linear_gives_each_simultaneous_connection_a_trace),
		cmocka_unit_test(none_opens_again_after_each_backtrack),
		cmocka_unit_test(trees_alone_answer_what_they_hold),
		cmocka_unit_test(full_memory_is_a_tool_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
