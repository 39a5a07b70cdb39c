/* Tracked memory: the invariants T1 to T7 of track.c, against a plain copy. */
#include <stdlib.h>
#include <sys/wait.h>

#include "track_fixture.h"

/* ---- regions ---- */

static void start_takes_all_there_is(void)
{
	assert_world();
	assert_true(track_fingerprint().lo || track_fingerprint().hi);
}

static void knows_its_regions(void)
{
	for (u32 a = 0; a < AREAS; a++) {
		u64 end = area_start[a] + AREA_PAGES * HD_PAGE;
		assert_true(track_covers(area_start[a]));
		assert_true(track_covers(end - 1));
		assert_false(track_covers(end));
		assert_false(track_covers(area_start[a] - 1));
		assert_false(track_fault(end));
	}
}

static void refuses_a_range_in_use(void)
{
	assert_true(track_add(area_start[AREA_SPARSE], HD_PAGE, TRACK_SPARSE) < 0);
	assert_true(track_protect(area_start[AREA_HIDDEN], (AREA_PAGES + 1) * HD_PAGE, PROT_READ) < 0);
	assert_true(track_protect(0x1000, HD_PAGE, PROT_READ) < 0);
}

/* T3: looking at sparse memory costs nothing, and it is zero. */
static void sparse_memory_is_zero_and_free(void)
{
	u64 known = track_get_stats()->pages, before = faults();
	for (u64 i = 0; i < CROWD_PAGES; i++)
		assert_int_equal(*(volatile u64 *)(CROWD_BASE + i * HD_PAGE), 0);
	assert_int_equal(track_get_stats()->pages, known);
	assert_int_equal(faults(), before);
}

static void hidden_memory_faults_on_reading(void)
{
	u64 before = faults();
	assert_int_equal(*(volatile u64 *)world_at(AREA_HIDDEN, 5 * 512), 0);
	assert_int_equal(faults(), before + 1);
	world_touched[5] = true;
	track_commit(NULL);
	assert_world();
}

/* ---- hot and cold ---- */

static void a_write_faults_once(void)
{
	for (u32 area = 0; area < AREAS; area++) {
		u64 before = faults(), hot = hot_pages();
		world_set(area, 600, area + 1);
		world_set(area, 601, area + 2);
		track_commit(NULL);
		world_set(area, 602, area + 3);
		track_commit(NULL);
		assert_int_equal(faults(), before + 1);
		assert_int_equal(hot_pages(), hot + 1);
		assert_world();
	}
}

/* T2, and a page that comes back gets more patience each time. */
static void idle_pages_cool_down(void)
{
	u32 last = 0;
	for (u32 round = 0; round < 4; round++) {
		u64 before = faults();
		world_set(AREA_SPARSE, 2 * 512 + 5, round + 1);
		track_commit(NULL);
		u32 patience = idle_until(0, LONG_ENOUGH);
		assert_int_equal(faults(), before + 1);
		assert_true(patience > last);
		assert_world();
		last = patience;
	}
}

static void a_page_in_use_stays_hot(void)
{
	world_set(AREA_SPARSE, 3 * 512, 1);
	u64 before = faults();
	for (u32 i = 0; i < 500; i++) {
		world_set(AREA_SPARSE, 3 * 512, i);
		track_commit(NULL);
	}
	assert_int_equal(faults(), before);
	assert_world();
}

/* Many hot pages make every commit slow. */
static void a_crowd_cools_sooner(void)
{
	u64 start = track_mark();
	for (u64 i = 0; i < CROWD_PAGES; i++)
		*(volatile u64 *)(CROWD_BASE + i * HD_PAGE) = i + 1;
	track_commit(NULL);
	assert_int_equal(hot_pages(), CROWD_PAGES);
	u32 crowd = idle_until(CROWD_PAGES / 2, LONG_ENOUGH);
	world_set(AREA_STACK, 0, 1);
	u32 alone = idle_until(0, LONG_ENOUGH);
	assert_true(crowd < alone);
	world_set(AREA_STACK, 0, 0);
	track_commit(NULL);
	track_undo(start);
	assert_world();
}

/* ---- undo ---- */

/* Undo reaches pages that have gone cold since. */
static void undo_reaches_cold_pages(void)
{
	struct world before = world;
	u64 mark = track_mark(), words = track_get_stats()->words;
	for (u32 area = 0; area < AREAS; area++)
		world_set(area, 3 * 512 + 1, ~0ull - area);
	track_commit(NULL);
	assert_int_equal(track_get_stats()->words, words + AREAS);
	all_cold();
	track_undo(mark);
	world = before;
	assert_world();
}

static void a_commit_without_changes_costs_no_log(void)
{
	u64 words = track_delta_size(0), logged = track_get_stats()->words;
	u64 *p = world_at(AREA_SPARSE, 20);
	u64 was = *p;
	*(volatile u64 *)p = ~was;
	*(volatile u64 *)p = was;
	track_commit(NULL);
	assert_int_equal(track_delta_size(0), words);
	assert_int_equal(track_get_stats()->words, logged);
	assert_world();
}

static void undo_to_now_changes_nothing(void)
{
	world_set(AREA_DENSE, 8, 5);
	track_undo(track_commit(NULL));
	assert_world();
}

static void forgotten_changes_stay(void)
{
	world_set(AREA_DENSE, 99, 1234);
	world_set(AREA_STACK, 99, 4321);
	track_commit(NULL);
	struct fingerprint before = track_fingerprint();
	track_forget();
	assert_int_equal(track_mark(), 0);
	assert_true(world_same_print(before, track_fingerprint()));
	track_undo(0);
	assert_world();
}

/* A line of zeroes in a hot page, which once was not zero: mark is a state in which its word is 5. */
static u64 make_zero_line(struct world *at_mark)
{
	world_set(AREA_SPARSE, 700, 5);
	u64 mark = track_commit(NULL);
	*at_mark = world;
	world_set(AREA_SPARSE, 700, 0);
	track_commit(NULL);
	all_cold();
	world_set(AREA_SPARSE, 900, 6); /* hot again: its zero lines are looked for */
	track_commit(NULL);
	return mark;
}

/* T7: the line is not zero any more when its word has come back, so that zero is a change. */
static void zero_lines_end_when_words_come_back(void)
{
	struct world at_mark;
	u64 mark = make_zero_line(&at_mark);
	track_undo(mark);
	world = at_mark;
	assert_world();
	world_set(AREA_SPARSE, 700, 0);
	track_commit(NULL);
	assert_world();
	track_undo(mark);
	world = at_mark;
	assert_world();
}

/* ---- deltas ---- */

static void zero_lines_end_when_a_delta_comes(void)
{
	struct world at_mark;
	u64 mark = make_zero_line(&at_mark);
	void *blob = malloc(track_delta_size(mark));
	track_delta_save(mark, blob);
	track_delta_apply(blob);
	world = at_mark;
	assert_world();
	world_set(AREA_SPARSE, 700, 0);
	track_commit(NULL);
	assert_world();
	free(blob);
}

static void deltas_toggle(void)
{
	struct world older = world, newer;
	world_set(AREA_DENSE, 1, 11);
	world_set(AREA_SPARSE, 1, 12);
	track_commit(NULL);
	world_set(AREA_SPARSE, 1, 13);
	world_set(AREA_HIDDEN, 1, 14);
	track_commit(NULL);
	newer = world;
	void *blob = malloc(track_delta_size(0));
	track_delta_save(0, blob);
	for (u32 i = 0; i < 6; i++) {
		track_delta_apply(blob);
		assert_int_equal(track_mark(), 0);
		world = i % 2 ? newer : older;
		assert_world();
		if (i == 2)
			all_cold();
	}
	free(blob);
}

/* ---- telling changes ---- */

static struct {
	struct {
		u64 address, was, is;
	} change[8];
	u32 n;
} told;

static void note_change(void *self, u64 address, u64 was, u64 is)
{
	assert_ptr_equal(self, &told);
	assert_true(told.n < HD_ARRAY_LEN(told.change));
	told.change[told.n].address = address;
	told.change[told.n].was = was;
	told.change[told.n++].is = is;
}

static void assert_told(u32 i, u32 area, u32 word, u64 was, u64 is)
{
	assert_int_equal(told.change[i].address, (u64)world_at(area, word));
	assert_int_equal(told.change[i].was, was);
	assert_int_equal(told.change[i].is, is);
}

static void changes_are_told_last_one_first(void)
{
	world_set(AREA_SPARSE, 40, 1);
	u64 mark = track_commit(NULL);
	world_set(AREA_SPARSE, 40, 2);
	track_commit(NULL);
	world_set(AREA_SPARSE, 40, 0);
	world_set(AREA_SPARSE, 41, 9);
	track_commit(NULL);
	told.n = 0;
	track_changed(mark, note_change, &told);
	assert_int_equal(told.n, 3);
	assert_told(0, AREA_SPARSE, 41, 0, 9);
	assert_told(1, AREA_SPARSE, 40, 2, 0);
	assert_told(2, AREA_SPARSE, 40, 1, 2);
	told.n = 0;
	track_changed(track_mark(), note_change, &told);
	assert_int_equal(told.n, 0);
	assert_world();
}

/* ---- limits ---- */

/* In a process of its own: a tracker that is full stays so. */
static void in_child(void (*fn)(void))
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void fill_log(void)
{
	track_limit(4000, 1000000);
	for (u32 i = 1; i < 4000; i++) {
		u64 mark = track_mark();
		world_set(AREA_SPARSE, 40, i);
		if (track_commit(NULL) == mark)
			_exit(track_full() ? 0 : 1);
		if (track_full())
			_exit(2);
	}
	_exit(3);
}

static void fill_marks(void)
{
	track_limit(1000000, 100);
	for (u32 i = 0; i < 100; i++)
		track_commit(NULL);
	_exit(track_full() && track_mark() == 99 ? 0 : 1);
}

static void a_full_log_is_told(void)
{
	in_child(fill_log);
	in_child(fill_marks);
	assert_false(track_full());
}

/* ---- a state in another process ---- */

static struct {
	struct world world;
	struct fingerprint print;
	u64 blob[65536 / sizeof(u64)];
} * hand_over;

static void touch_in_order(bool upwards)
{
	for (u32 i = 0; i < CROWD_PAGES; i++) {
		u64 page = upwards ? i : CROWD_PAGES - 1 - i;
		*(volatile u64 *)(CROWD_BASE + page * HD_PAGE + 64) = 1;
	}
}

/* Pages are known from below, as far as they are known. */
static void make_state(void)
{
	touch_in_order(true);
	track_commit(NULL);
	track_undo(0);
	for (u32 area = 0; area < AREAS; area++)
		for (u32 page = 0; page < AREA_PAGES; page += 1 + area)
			world_set(area, page * 512 + 11 * area, page + 1);
	*(volatile u64 *)(CROWD_BASE + 7 * HD_PAGE) = 77;
	track_commit(NULL);
	world_set(AREA_DENSE, 3, 333);
	world_set(AREA_DENSE, 4, 0);
	track_commit(NULL);
	if (track_delta_size(0) > sizeof(hand_over->blob))
		_exit(2);
	track_delta_save(0, hand_over->blob);
	hand_over->world = world;
	hand_over->print = track_fingerprint();
}

/* Others, in another order, or none at all. */
static void take_state(bool knows_pages)
{
	if (knows_pages) {
		touch_in_order(false);
		track_commit(NULL);
		track_undo(0);
	}
	struct world before = world;
	for (u32 i = 0; i < 3; i++) {
		if (track_delta_apply(hand_over->blob))
			_exit(3);
		world = i % 2 ? before : hand_over->world;
		memset(world_touched, 1, sizeof(world_touched));
		if (world_at(AREA_DENSE, 3)[0] != world.word[AREA_DENSE][3])
			_exit(4);
		if (*(u64 *)(CROWD_BASE + 7 * HD_PAGE) != (i % 2 ? 0 : 77))
			_exit(5);
		if (!world_same_print(track_fingerprint(), track_full_fingerprint()))
			_exit(6);
	}
	_exit(world_same_print(track_fingerprint(), hand_over->print) ? 0 : 7);
}

static void take_state_new(void)
{
	take_state(false);
}

static void take_state_other_order(void)
{
	take_state(true);
}

/* Runs first, when hardly any page is known yet. */
static void a_state_means_the_same_elsewhere(void)
{
	hand_over = mmap(NULL, sizeof(*hand_over), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(hand_over, MAP_FAILED);
	in_child(make_state);
	in_child(take_state_new);
	in_child(take_state_other_order);
	hand_over->blob[4 + hand_over->blob[0]] = 0x7000; /* no region of ours */
	struct fingerprint before = track_fingerprint();
	assert_true(track_delta_apply(hand_over->blob) < 0);
	assert_true(world_same_print(before, track_full_fingerprint()));
	assert_world();
}

/* ---- rights ---- */

static bool can_write(u64 *p)
{
	u64 was = *p;
	if (sigsetjmp(world_refused, 1))
		return false;
	*(volatile u64 *)p = was;
	return true;
}

static bool can_read(const u64 *p)
{
	if (sigsetjmp(world_refused, 1))
		return false;
	(void)*(const volatile u64 *)p;
	return true;
}

static void forbid(u32 page, int prot)
{
	u64 start = (u64)world_at(AREA_HIDDEN, page * 512);
	assert_int_equal(track_protect(start, HD_PAGE, prot), 0);
	world_forbidden.start = start;
	world_forbidden.end = prot & PROT_WRITE ? start : start + HD_PAGE;
}

static void rights_can_be_taken_and_given(void)
{
	u64 *p = world_at(AREA_HIDDEN, 3 * 512 + 8);
	world_set(AREA_HIDDEN, 3 * 512 + 8, 42); /* hot */
	forbid(3, PROT_READ);
	assert_true(can_read(p));
	assert_false(can_write(p));
	forbid(3, PROT_NONE);
	assert_false(can_read(p));
	forbid(3, PROT_READ | PROT_WRITE);
	assert_true(can_read(p));
	assert_true(can_write(p));
	world_set(AREA_HIDDEN, 3 * 512 + 8, 43);
	track_commit(NULL);
	assert_world();
	forbid(3, PROT_READ);
	all_cold();
	assert_false(can_write(p));
	forbid(3, PROT_READ | PROT_WRITE);
	world_set(AREA_HIDDEN, 3 * 512 + 8, 44);
	track_commit(NULL);
	assert_world();
}

/* ---- remembering ---- */

static void first_difference_is_named(void)
{
	u64 mark = track_mark(), address, was, is;
	world_set(AREA_SPARSE, 100, 5);
	track_commit(NULL);
	track_remember();
	assert_false(track_first_difference(&address, &was, &is));
	u64 before = track_mark();
	world_set(AREA_SPARSE, 100, 6);
	track_commit(NULL);
	assert_true(track_first_difference(&address, &was, &is));
	assert_int_equal(address, (u64)world_at(AREA_SPARSE, 100));
	assert_int_equal(was, 5);
	assert_int_equal(is, 6);
	track_undo(before);
	assert_false(track_first_difference(&address, &was, &is));
	world.word[AREA_SPARSE][100] = 5;
	assert_world();
	assert_true(mark < before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(start_takes_all_there_is, NULL),
		IN_WORLD(a_state_means_the_same_elsewhere, NULL),
		FRESH(knows_its_regions),
		FRESH(refuses_a_range_in_use),
		FRESH(sparse_memory_is_zero_and_free),
		FRESH(hidden_memory_faults_on_reading),
		FRESH(a_write_faults_once),
		FRESH(idle_pages_cool_down),
		FRESH(a_page_in_use_stays_hot),
		FRESH(a_crowd_cools_sooner),
		FRESH(undo_reaches_cold_pages),
		FRESH(a_commit_without_changes_costs_no_log),
		FRESH(undo_to_now_changes_nothing),
		FRESH(forgotten_changes_stay),
		FRESH(zero_lines_end_when_words_come_back),
		FRESH(zero_lines_end_when_a_delta_comes),
		FRESH(deltas_toggle),
		FRESH(changes_are_told_last_one_first),
		FRESH(a_full_log_is_told),
		FRESH(rights_can_be_taken_and_given),
		FRESH(first_difference_is_named),
	};
	return cmocka_run_group_tests_name("track", tests, make_world, NULL);
}
