/* Tracked memory: dead stacks, and what of a fiber that does not run counts. */
#include "track_fixture.h"

static void fill_stack(u32 from)
{
	for (u32 w = from; w < AREA_WORDS; w += 3)
		world_set(AREA_STACK, w, w + 1);
}

static void dead_stack_is_zeroed(void)
{
	fill_stack(0);
	world_commit(3 * 512 + 200);
	assert_int_equal(*world_at(AREA_STACK, 3 * 512 + 198), 0);
	assert_int_not_equal(*world_at(AREA_STACK, 3 * 512 + 201), 0);
	assert_world();
}

/* T5: old bytes on cold pages go, too, as soon as they are dead; also page by page, and twice. */
static void dead_cold_pages_are_zeroed(void)
{
	static const u32 live_from[] = {512, 2 * 512 + 1, 2 * 512 + 300, 3 * 512 - 1, 7 * 512 + 511};
	for (u32 round = 0; round < 2; round++) {
		u64 start = track_mark();
		struct world before = world;
		fill_stack(0);
		world_commit(0);
		for (size_t i = 0; i < HD_ARRAY_LEN(live_from); i++) {
			all_cold();
			world_commit(live_from[i]);
			assert_world();
		}
		track_undo(start);
		world = before;
		assert_world();
	}
}

/* Undo brings old bytes back to a stack whose cold pages were all known to be clean. */
static void zeroed_stack_comes_back_and_goes_again(void)
{
	fill_stack(0);
	u64 full = world_commit(0);
	struct world with_stack = world;
	all_cold();
	world_commit(6 * 512);
	all_cold();
	track_undo(full);
	world = with_stack;
	all_cold();
	assert_world();
	world_commit(5 * 512);
	assert_world();
}

/* Where other fibers' stacks stand; the runtime keeps it in the model. */
static u64 stack_pointer[LAYOUT_MAX_FIBERS];

/* The fiber of another slot runs; its own stack is not in use. */
static u64 commit_of_other(void)
{
	u64 low = LAYOUT_STACK_BASE + (STACK_SLOT + 1) * LAYOUT_STACK_STRIDE;
	return track_commit(&(struct track_stack){low, low, STACK_SLOT + 1, 0});
}

/* 2048 bytes of TLS at the top, without variables that others could reach. */
static void set_plain_stacks(void)
{
	track_set_stacks(&(struct track_stacks){(u64)stack_pointer, sizeof(u64), .tls_bytes = 2048});
}

static void stacks_of_others_count_above_their_pointer(void)
{
	u64 start = track_mark();
	struct world before = world;
	set_plain_stacks();
	stack_pointer[STACK_SLOT] = (u64)world_at(AREA_STACK, 2 * 512 + 40);
	for (u32 word = 2 * 512 + 40; word < AREA_WORDS; word += 61) {
		world_set(AREA_STACK, word, word);
		commit_of_other();
		assert_world();
	}
	stack_pointer[STACK_SLOT] = 0x1000; /* it went elsewhere: all of its slot counts */
	world_set(AREA_STACK, 9, 9);
	commit_of_other();
	assert_world();
	track_undo(start);
	world = before;
	assert_world();
	track_set_stacks(&(struct track_stacks){0});
}

static void a_new_stack_counts_as_a_whole(void)
{
	set_plain_stacks();
	stack_pointer[STACK_SLOT] = 0;
	track_new_stack(STACK_SLOT);
	fill_stack(0);
	commit_of_other();
	assert_world();
	track_set_stacks(&(struct track_stacks){0});
}

/* ---- what belongs to one fiber ---- */

static void commit_of(u32 slot)
{
	u64 low = LAYOUT_STACK_BASE + slot * LAYOUT_STACK_STRIDE;
	track_commit(&(struct track_stack){low, low, slot, 0});
}

/* A word is set while `slot` runs: is that seen, and undone? */
static bool seen(u64 address, u32 slot)
{
	volatile u64 *word = (volatile u64 *)address;
	struct fingerprint before = track_fingerprint();
	u64 mark = track_mark();
	*word = ~*word;
	commit_of(slot);
	bool changed = !world_same_print(before, track_fingerprint());
	if (!changed)
		*word = ~*word;
	track_undo(mark);
	assert_true(world_same_print(before, track_fingerprint()));
	assert_world();
	return changed;
}

/* Bytes below the top: 6000 are TLS, variables lie from 3000 to 2304. */
static void variables_of_others_count_the_room_beside_does_not(void)
{
	struct track_stacks s = {(u64)stack_pointer, sizeof(u64), .tls_bytes = 6000, .tls_from = 3000,
				 .tls_to = 2304};
	track_set_stacks(&s);
	stack_pointer[TLS_SLOT] = TLS_TOP - 6400;
	for (u64 below = 8; below <= 6400; below += 8) {
		assert_true(seen(TLS_TOP - below, TLS_SLOT));
		bool of_others = below > 6000 || (below > 2304 && below <= 3000);
		if (of_others)
			assert_true(seen(TLS_TOP - below, STACK_SLOT));
	}
	assert_false(seen(TLS_TOP - 64, STACK_SLOT));
	assert_false(seen(TLS_TOP - 5000, STACK_SLOT));
	track_set_stacks(&(struct track_stacks){0});
}

/* Once code is loaded, there may be variables anywhere in the TLS blocks. */
static void late_code_makes_all_of_tls_count(void)
{
	struct track_stacks s = {(u64)stack_pointer, sizeof(u64), .tls_bytes = 6000, .tls_from = 3000,
				 .tls_to = 2304};
	track_set_stacks(&s);
	stack_pointer[TLS_SLOT] = TLS_TOP - 6400;
	assert_int_equal(track_protect((u64)world_at(AREA_HIDDEN, 7 * 512), HD_PAGE, PROT_READ | PROT_EXEC),
			 0);
	for (u64 below = 8; below <= 6400; below += 8)
		assert_true(seen(TLS_TOP - below, STACK_SLOT));
	track_set_stacks(&(struct track_stacks){0});
}

static void owned_memory_counts_for_its_owner_only(void)
{
	set_plain_stacks();
	for (u32 slot = 0; slot < OWNED_SLOTS; slot++)
		for (u32 word = 0; word < 512; word += 73) {
			u64 address = OWNED_BASE + slot * HD_PAGE + word * sizeof(u64);
			assert_true(seen(address, slot));
			assert_false(seen(address, (slot + 1) % OWNED_SLOTS));
		}
	/* Whoever makes a fiber writes there, once. */
	for (u32 i = 0; i < 100; i++) {
		track_new_stack(1);
		assert_true(seen(OWNED_BASE + HD_PAGE, 2));
		assert_false(seen(OWNED_BASE + HD_PAGE, 2));
	}
	/* Whoever does not know who ran looks everywhere. */
	struct fingerprint before = track_fingerprint();
	u64 mark = track_mark();
	*(volatile u64 *)OWNED_BASE = 1;
	track_commit(NULL);
	assert_false(world_same_print(before, track_fingerprint()));
	track_undo(mark);
	track_set_stacks(&(struct track_stacks){0});
}

/* Nobody visits it for long, and still it cools down. */
static void owned_memory_cools_while_others_run(void)
{
	set_plain_stacks();
	*(volatile u64 *)OWNED_BASE = 1;
	commit_of(0);
	assert_int_equal(hot_pages(), 1);
	for (u32 i = 0; i < LONG_ENOUGH; i++)
		commit_of(1);
	assert_int_equal(hot_pages(), 0);
	track_undo(0);
	assert_world();
	track_set_stacks(&(struct track_stacks){0});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FRESH(dead_stack_is_zeroed),
		FRESH(dead_cold_pages_are_zeroed),
		FRESH(zeroed_stack_comes_back_and_goes_again),
		FRESH(stacks_of_others_count_above_their_pointer),
		FRESH(a_new_stack_counts_as_a_whole),
		FRESH(variables_of_others_count_the_room_beside_does_not),
		FRESH(owned_memory_counts_for_its_owner_only),
		FRESH(owned_memory_cools_while_others_run),
		FRESH(late_code_makes_all_of_tls_count),
	};
	return cmocka_run_group_tests_name("track_stacks", tests, make_world, NULL);
}
