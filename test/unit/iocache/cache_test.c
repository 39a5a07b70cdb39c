/*
 * The branching cache, scenario by scenario: what goes out, what is counted, what is said when something is
 * wrong.
 */
#include "iocache_bench.h"

static void simultaneous_connections_exist_and_are_opened_once(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	for (u32 round = 0; round < 4; round++) {
		for (u32 i = 0; i < 3; i++) {
			open_at(b, i, 13);
			hears(b->c, &b->pos[i], "hello\n", 0);
		}
		assert_memory_equal(&b->pos[0], &b->pos[2], sizeof(b->pos[0]));
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
		assert_int_equal(cache_close(b->c, &b->pos[0]), 0);
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
	assert_int_equal(cache_end(b->c, &b->pos[0]), 0);
	hears(b->c, &b->pos[0], all, NET_EOF | NET_RESET);
	assert_int_equal(b->w->sent, 2); /* nothing is sent behind a reset */
	backtrack(b);
	open_at(b, 0, 13);
	assert_int_equal(cache_end(b->c, &b->pos[0]), 0);
	hears(b->c, &b->pos[0], "hello\nbye\n", NET_EOF);
	backtrack(b);
	u64 opens = b->w->opens;
	open_at(b, 0, 13);
	assert_int_equal(cache_end(b->c, &b->pos[0]), 0);
	assert_int_equal(b->w->opens, opens);
	assert_int_equal(b->pos[0].ended, 1);
	stop(b);
}

/* ---- room ---- */

static void the_table_of_connections_closes_those_not_in_use(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	for (u32 i = 0; i < NET_MAX_CONNS + 80; i++) {
		struct tree_key k = world_key(81, i + 1);
		b->pos[i % 100] = (struct cache_pos){0};
		assert_int_equal(cache_open(b->c, &k, &b->pos[i % 100]), 0);
		write_at(b, i % 100, "a\n");
		assert_true(world_alive(b->w) <= NET_MAX_CONNS);
	}
	assert_int_equal(b->w->closes, 80);
	for (u32 i = 0; i < 100; i++)
		write_at(b, i, "b\n");
	assert_int_equal(b->w->opens, NET_MAX_CONNS + 80); /* those in use were kept */
	assert_int_equal(stats(b)->peer_starts, b->w->opens);
	stop(b);
}

/*
 * The broker has room for fewer than the cache: whoever was used longest ago goes, first of those nobody
 * needs.
 */
static void a_full_broker_makes_the_cache_close_those_not_in_use(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	b->w->room = 3;
	open_at(b, 0, 13);
	write_at(b, 0, "a\n"); /* needed, though used longest ago */
	for (u16 port = 20; port < 30; port++) {
		b->pos[1] = (struct cache_pos){0};
		open_at(b, 1, port);
		write_at(b, 1, "b\n");
		assert_true(world_alive(b->w) <= 3);
	}
	assert_true(b->w->conn[1].open);
	assert_int_equal(b->w->opens, 11);
	assert_int_equal(b->w->closes, 8);
	stop(b);
}

/* All are needed: they take turns, and each is brought back to where it stood. */
static void a_full_broker_serves_more_connections_than_it_holds(void **state)
{
	(void)state;
	static const enum cache_mode modes[] = {CACHE_BRANCHING, CACHE_LINEAR, CACHE_NONE};
	for (size_t m = 0; m < HD_ARRAY_LEN(modes); m++) {
		struct bench *b = start(modes[m]);
		char all[PEER_SAYS];
		b->w->room = 2;
		for (u16 i = 0; i < 4; i++)
			open_at(b, i, (u16)(13 + i));
		for (u16 i = 0; i < 4; i++)
			write_at(b, i, "a\n");
		for (u16 i = 0; i < 4; i++)
			hears(b->c, &b->pos[i], answer(all, (u16)(13 + i), "a\n", false), 0);
		assert_true(b->w->opens > 4);
		assert_true(world_alive(b->w) <= 2);
		stop(b);
	}
}

static void a_broker_without_any_room_is_an_error(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	struct tree_key k = world_key(13, 0);
	b->w->open_status = NET_ERROR_FULL;
	assert_int_equal(cache_open(b->c, &k, &b->pos[0]), CACHE_TOOL);
	says(b, CACHE_TOOL, "words of the broker");
	stop(b);
}

/* ---- a peer that serves one at a time ---- */

/*
 * The connection waits in the backlog, with what was sent on it, until the one we keep from before is closed.
 */
static void an_unserved_connection_is_served_when_those_not_in_use_are_closed(void **state)
{
	(void)state;
	static const enum cache_mode modes[] = {CACHE_BRANCHING, CACHE_NONE};
	for (size_t m = 0; m < HD_ARRAY_LEN(modes); m++) {
		struct bench *b = start(modes[m]);
		char all[PEER_SAYS];
		b->w->serves = 1;
		open_at(b, 0, 13);
		write_at(b, 0, "a\n");
		backtrack(b);
		open_at(b, 0, 13);
		write_at(b, 0, "b\n");
		hears(b->c, &b->pos[0], answer(all, 13, "b\n", false), 0);
		assert_int_equal(b->w->opens, 2);
		assert_int_equal(b->w->closes, 1);
		assert_int_equal(stats(b)->polls, b->w->exchanges);
		stop(b);
	}
}

static void a_connection_that_the_program_needs_is_not_closed_for_another(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	struct tree_key k = world_key(13, 0);
	char all[PEER_SAYS];
	b->w->serves = 1;
	open_at(b, 0, 13);
	write_at(b, 0, "a\n");
	assert_int_equal(cache_open(b->c, &k, &b->pos[1]), CACHE_INCOMPLETE);
	says(b, CACHE_INCOMPLETE, "words of the broker");
	assert_int_equal(world_alive(b->w), 1);
	write_at(b, 0, "b\n");
	hears(b->c, &b->pos[0], answer(all, 13, "a\nb\n", false), 0);
	assert_int_equal(b->w->closes, 1); /* of the one that was not served */
	stop(b);
}

/* Two stand at the beginning, and the program has one connection: the other is not needed. */
static void of_two_at_one_position_the_surplus_is_closed(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	open_at(b, 0, 13);
	open_at(b, 1, 13);
	backtrack(b);
	open_at(b, 0, 13);
	assert_int_equal(world_alive(b->w), 2);
	b->w->room = 2;
	open_at(b, 1, 15);
	assert_int_equal(world_alive(b->w), 2);
	assert_int_equal(b->w->opens, 3);
	write_at(b, 0, "a\n");
	assert_int_equal(b->w->opens, 3); /* one of the two is still there */
	stop(b);
}

/* A peer at several addresses is one peer, where the broker knows that. */
static void connections_to_the_same_peer_are_found_by_its_group(void **state)
{
	(void)state;
	for (u32 group = 0; group < 2; group++) {
		struct bench *b = start(CACHE_BRANCHING);
		struct tree_key k = world_key(15, 0);
		b->w->group = group;
		open_at(b, 0, 13);
		backtrack(b);
		b->w->refuse_above = 1;
		assert_int_equal(cache_open(b->c, &k, &b->pos[0]), group ? 0 : -ECONNREFUSED);
		assert_int_equal(b->w->closes, group);
		stop(b);
	}
}

/* ---- refusals ---- */

static void a_refusal_is_remembered(void **state)
{
	(void)state;
	struct bench *b = start(CACHE_BRANCHING);
	struct tree_key k = world_key(13, 0);
	b->w->open_status = -ECONNREFUSED;
	assert_int_equal(cache_open(b->c, &k, &b->pos[0]), -ECONNREFUSED);
	assert_int_equal(b->pos[0].tree, 0);
	assert_int_equal(cache_open(b->c, &k, &b->pos[0]), -ECONNREFUSED); /* would be accepted now */
	struct cache *replay = without_peer(b, CACHE_BRANCHING);
	assert_int_equal(cache_open(replay, &k, &b->pos[0]), -ECONNREFUSED);
	assert_int_equal(cache_error(replay)->code, -ECONNREFUSED);
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
		assert_int_equal(cache_open(b->c, &k, &b->pos[2]), -ECONNREFUSED);
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
	backtrack(b);
	open_at(b, 0, 13);
	b->w->refuse_all = true;
	assert_int_equal(cache_write(b->c, &b->pos[0], "b", 1), CACHE_NONDETERMINISTIC);
	says(b, CACHE_NONDETERMINISTIC, "--checkpoint");
	stop(b);
}

/* ---- errors ---- */

static void errors_have_their_verdict_and_words(void **state)
{
	(void)state;
	static const struct {
		int status;
		int code, later; /* at the first open; when the peer was there before */
	} errors[] = {{NET_ERROR_TOOL, CACHE_TOOL, CACHE_TOOL},
		      {NET_ERROR_NO_PEER, CACHE_TOOL, CACHE_INCOMPLETE},
		      {NET_ERROR_STUCK, CACHE_INCOMPLETE, CACHE_INCOMPLETE},
		      {NET_ERROR_UNSERVED, CACHE_INCOMPLETE, CACHE_INCOMPLETE},
		      {NET_ERROR_CROSSTALK, CACHE_INCOMPLETE, CACHE_INCOMPLETE},
		      {NET_ERROR_ANOTHER, CACHE_INCOMPLETE, CACHE_INCOMPLETE},
		      {NET_ERROR_SLOW, CACHE_INCOMPLETE, CACHE_INCOMPLETE}};
	for (u32 i = 0; i < HD_ARRAY_LEN(errors); i++) {
		struct bench *b = start(CACHE_BRANCHING);
		struct tree_key k = world_key(13, 0);
		b->w->open_status = errors[i].status;
		assert_int_equal(cache_open(b->c, &k, &b->pos[0]), errors[i].code);
		says(b, errors[i].code, "words of the broker");
		open_at(b, 0, 13);
		struct cache_pos before = b->pos[0];
		b->w->exchange_status = errors[i].status;
		assert_int_equal(cache_write(b->c, &b->pos[0], "a", 1), errors[i].later);
		says(b, errors[i].later, "words of the broker");
		assert_memory_equal(&before, &b->pos[0], sizeof(before));
		stop(b);
	}
}

/* Of the client's number it depends whether it can be followed; while an execution is
   confirmed, it is too late. */
static void several_connections_of_a_client_are_told(void **state)
{
	(void)state;
	for (u32 client = 0; client < 2; client++) {
		struct bench *b = start(CACHE_BRANCHING);
		open_at(b, 0, 13);
		b->w->exchange_status = NET_ERROR_ANOTHER;
		b->w->another_client = client;
		assert_int_equal(cache_write(b->c, &b->pos[0], "a", 1),
				 client ? CACHE_JOINT : CACHE_INCOMPLETE);
		assert_int_equal(cache_error(b->c)->client, client);
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

/* Every trace goes over a fresh connection; what that costs is not the search's. */
static void conversations_can_be_rechecked(void **state)
{
	(void)state;
	for (u32 lie = 0; lie < 2; lie++) {
		struct bench *b = start(CACHE_BRANCHING);
		static const char *const said[] = {"a\nb\n", "a\nc\n", "d"};
		for (size_t i = 0; i < HD_ARRAY_LEN(said); i++) {
			open_at(b, 0, 14);
			write_at(b, 0, said[i]);
			backtrack(b);
		}
		struct cache_stats before = *stats(b);
		u64 opened = b->w->opens;
		b->w->liar_from = lie ? b->w->conns + 2 : 0; /* the second of them lies */
		b->w->lie = 8;
		assert_int_equal(cache_recheck(b->c, ~0ull), lie ? CACHE_NONDETERMINISTIC : 0);
		assert_int_equal(stats(b)->rechecked, lie ? 2 : 3);
		assert_int_equal(b->w->opens - opened, lie ? 2 : 3);
		assert_int_equal(stats(b)->connections, before.connections);
		assert_int_equal(stats(b)->bytes_sent, before.bytes_sent);
		stop(b);
	}
}

static void as_many_are_rechecked_as_wanted(void **state)
{
	(void)state;
	for (u64 most = 0; most < 12; most++) {
		struct bench *b = start(CACHE_BRANCHING);
		for (char c = 'a'; c < 'h'; c++) {
			char line[] = {c, '\n', 0};
			open_at(b, 0, 14);
			write_at(b, 0, line);
			backtrack(b);
		}
		u64 opened = b->w->opens;
		assert_int_equal(cache_recheck(b->c, most), 0);
		assert_int_equal(stats(b)->rechecked, HD_MIN(most, (u64)7));
		assert_int_equal(b->w->opens - opened, HD_MIN(most, (u64)7));
		stop(b);
	}
}

/*
 * A mark that comes late must fit what is recorded behind it, in its own branch and in those that leave it.
 */
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
	assert_int_equal(cache_resolve(b->c, &b->pos[0]), CACHE_NONDETERMINISTIC);
	assert_false(cache_look(b->c, &b->pos[0], &bytes, &flags)); /* and stays unknown */
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
		cmocka_unit_test(the_table_of_connections_closes_those_not_in_use),
		cmocka_unit_test(a_full_broker_makes_the_cache_close_those_not_in_use),
		cmocka_unit_test(a_full_broker_serves_more_connections_than_it_holds),
		cmocka_unit_test(a_broker_without_any_room_is_an_error),
		cmocka_unit_test(an_unserved_connection_is_served_when_those_not_in_use_are_closed),
		cmocka_unit_test(a_connection_that_the_program_needs_is_not_closed_for_another),
		cmocka_unit_test(of_two_at_one_position_the_surplus_is_closed),
		cmocka_unit_test(connections_to_the_same_peer_are_found_by_its_group),
		cmocka_unit_test(a_refusal_is_remembered),
		cmocka_unit_test(one_connection_too_many_is_refused_always),
		cmocka_unit_test(a_peer_that_serves_one_at_a_time_is_not_disturbed_by_ours),
		cmocka_unit_test(refused_after_it_was_accepted_is_not_deterministic),
		cmocka_unit_test(errors_have_their_verdict_and_words),
		cmocka_unit_test(several_connections_of_a_client_are_told),
		cmocka_unit_test(another_greeting_is_noticed),
		cmocka_unit_test(another_answer_to_a_replay_is_noticed),
		cmocka_unit_test(conversations_can_be_rechecked),
		cmocka_unit_test(as_many_are_rechecked_as_wanted),
		cmocka_unit_test(a_late_answer_that_contradicts_is_noticed),
		cmocka_unit_test(a_late_answer_is_compared_with_branches_that_leave_behind_it),
		cmocka_unit_test(notes_of_the_peer_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
