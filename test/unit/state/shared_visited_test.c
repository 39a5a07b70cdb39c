/*
 * The set of states that several processes insert into: each state is new to exactly one of them, however
 * they come together, and growing loses none.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "state/shared_visited.h"

#define PROCESSES 4
#define STATES 150000u

struct world {
	struct shared_visited shared;
	u64 news[PROCESSES]; /* how often a process was told "new" */
	u32 wrong;
	u8 claimed[STATES]; /* by how many */
};

static struct world *world;
static struct shared_table table;

static int setup(void **state)
{
	(void)state;
	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	table.region = mmap(NULL, SHARED_VISITED_REGION, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	table.shared = &world->shared;
	return world == MAP_FAILED || table.region == MAP_FAILED;
}

static int teardown(void **state)
{
	(void)state;
	munmap(world, sizeof(*world));
	return munmap(table.region, SHARED_VISITED_REGION);
}

/* Some have an empty half, or differ in one half only. */
static struct fingerprint state_of(u64 i)
{
	switch (i % 4) {
	case 0:
		return (struct fingerprint){0, i + 1};
	case 1:
		return (struct fingerprint){i + 1, 0};
	case 2:
		return (struct fingerprint){7, i + 1};
	default:
		return (struct fingerprint){i * 0x9e3779b97f4a7c15u, ~i >> 1};
	}
}

/* Runs fn in PROCESSES processes at a time. */
static void together(void (*fn)(u32 number))
{
	pid_t child[PROCESSES];
	for (u32 i = 0; i < PROCESSES; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			fn(i);
			_exit(0);
		}
	}
	for (u32 i = 0; i < PROCESSES; i++) {
		int status;
		assert_int_equal(waitpid(child[i], &status, 0), child[i]);
		assert_int_equal(status, 0);
	}
}

static u64 first, last;

/* All of them, each process in an order of its own. */
static void insert_all(u32 number)
{
	u64 n = last - first, step = (u64[]){1, 7919, 104729, 15485863}[number];
	for (u64 k = 0; k < n; k++) {
		u64 i = first + k * step % n;
		int got = shared_visited_insert(&table, state_of(i));
		if (got) {
			world->news[number]++;
			__atomic_fetch_add(&world->claimed[i], 1, __ATOMIC_RELAXED);
		}
		if (shared_visited_insert(&table, state_of(i)))
			__atomic_fetch_add(&world->wrong, 1, __ATOMIC_RELAXED);
	}
}

static void move(u32 number)
{
	(void)number;
	shared_visited_move(&table);
}

static void grow(void)
{
	u64 bytes = shared_visited_bytes(&table);
	assert_int_equal(shared_visited_grow(&table), 0);
	together(move);
	shared_visited_grown(&table);
	assert_int_equal(shared_visited_bytes(&table), 2 * bytes);
}

/* In portions, between which the table grows. */
static void insert_and_grow(void)
{
	for (first = 0; first < STATES; first = last) {
		last = HD_MIN(first + shared_visited_limit(&table) / 2, (u64)STATES);
		together(insert_all);
		if (last > shared_visited_limit(&table) / 2)
			grow();
	}
}

static void new_to_exactly_one(void **state)
{
	(void)state;
	u64 sum = 0;
	insert_and_grow();
	for (u32 i = 0; i < PROCESSES; i++)
		sum += world->news[i];
	assert_int_equal(world->wrong, 0);
	assert_int_equal(sum, STATES);
	for (u32 i = 0; i < STATES; i++)
		assert_int_equal(world->claimed[i], 1);
}

/* The bit survives growing, and is nobody else's. */
static void closed_ones_stay_closed(void **state)
{
	(void)state;
	first = 0;
	last = 20000;
	insert_all(0);
	for (u64 i = first; i < last; i += 3)
		shared_visited_mark(&table, state_of(i), SHARED_CLOSED);
	grow();
	grow();
	for (u64 i = first; i < last; i++) {
		assert_int_equal(shared_visited_is(&table, state_of(i), SHARED_CLOSED), i % 3 == 0);
		assert_int_equal(shared_visited_insert(&table, state_of(i)), 0);
	}
	assert_false(shared_visited_is(&table, state_of(last), SHARED_CLOSED));
}

static void reset_forgets_all(void **state)
{
	(void)state;
	u64 bytes = shared_visited_bytes(&table);
	first = 0;
	last = 1000;
	insert_all(0);
	grow();
	shared_visited_reset(&table);
	assert_int_equal(shared_visited_bytes(&table), bytes);
	for (u64 i = first; i < last; i++)
		assert_int_equal(shared_visited_insert(&table, state_of(i)), 1);
}

/* {0,0} marks an empty slot, and the topmost bit means something else. */
static void awkward_fingerprints(void **state)
{
	(void)state;
	const struct fingerprint zero = {0, 0}, top = {5, 1UL << 63 | 5};
	assert_int_equal(shared_visited_insert(&table, zero), 1);
	assert_int_equal(shared_visited_insert(&table, zero), 0);
	assert_false(shared_visited_is(&table, zero, SHARED_CLOSED));
	assert_int_equal(shared_visited_insert(&table, top), 1);
	assert_int_equal(shared_visited_insert(&table, top), 0);
	assert_false(shared_visited_is(&table, top, SHARED_CLOSED));
	shared_visited_mark(&table, top, SHARED_CLOSED);
	assert_true(shared_visited_is(&table, top, SHARED_CLOSED));
	assert_int_equal(shared_visited_insert(&table, top), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(new_to_exactly_one, setup, teardown),
		cmocka_unit_test_setup_teardown(closed_ones_stay_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(reset_forgets_all, setup, teardown),
		cmocka_unit_test_setup_teardown(awkward_fingerprints, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
