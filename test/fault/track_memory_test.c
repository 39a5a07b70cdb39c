/*
 * The n-th request for memory fails, for every n, while memory is tracked: an error, never a panic, never
 * a crash and never a state that differs from the plain copy. Each n has a process of its own.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/state/track_world.h"
#include "faulty_pages.h"

#define MANY_BASE (LAYOUT_HEAP_BASE + LAYOUT_HEAP_STRIDE)
#define MANY_PAGES 3000u /* more than the first pieces of each table hold */

enum { ALL_WELL = 0, WRONG = 1, NOT_STARTED = 2, NO_MEMORY = WORLD_NO_MEMORY, PANIC = 4 };

void hd_panic(const char *file, int line, const char *what)
{
	(void)file;
	(void)line;
	(void)what;
	_exit(PANIC);
}

static void expect_world(void)
{
	if (world_wrong())
		_exit(WRONG);
}

static void touch_many(u64 value)
{
	for (u64 i = 0; i < MANY_PAGES; i++)
		*(volatile u64 *)(MANY_BASE + i * HD_PAGE) = value;
}

/* Something of everything: all kinds of regions, commits, undo, deltas, remembering. */
static void live(void)
{
	u64 address, was, is;
	world_handle_faults();
	if (track_setup() || !world_make_dense() || world_add_areas() ||
	    track_add(MANY_BASE, MANY_PAGES * HD_PAGE, TRACK_SPARSE))
		_exit(NOT_STARTED);
	track_start();
	world_set(AREA_SPARSE, 1, 1);
	world_set(AREA_STACK, 900, 2);
	u64 mark = world_commit(800);
	expect_world();
	touch_many(7);
	track_commit(NULL);
	track_remember();
	track_undo(mark);
	expect_world();
	if (track_first_difference(&address, &was, &is) && (was != 7 || is != 0))
		_exit(WRONG);
}

/* How a life with this failure ends. */
static int life(u64 fail_at, bool for_good)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		faulty_pages_arm(fail_at, for_good);
		live();
		_exit(faulty_pages.failed || !fail_at ? ALL_WELL : WRONG);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void each_request_fails(void **state)
{
	u64 not_started = 0, no_memory = 0, requests = *(u64 *)*state;
	for (u64 n = 1; n <= requests; n++) {
		int once = life(n, false), for_good = life(n, true);
		assert_true(once == ALL_WELL || once == NOT_STARTED || once == NO_MEMORY);
		assert_true(for_good == ALL_WELL || for_good == NOT_STARTED || for_good == NO_MEMORY);
		not_started += once == NOT_STARTED;
		no_memory += once == NO_MEMORY;
	}
	assert_true(not_started >= 5);
	assert_true(no_memory >= 3);
}

/* How many requests there are when none fails: from a child, as tracked memory can't be put away. */
static int learn_requests(void **state)
{
	u64 *shared = mmap(NULL, HD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = shared == MAP_FAILED ? -1 : fork();
	if (child == 0) {
		live();
		*shared = faulty_pages.requests;
		_exit(ALL_WELL);
	}
	*state = shared;
	return child > 0 && waitpid(child, NULL, 0) == child && *shared ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_request_fails, learn_requests),
	};
	return cmocka_run_group_tests_name("track_memory", tests, NULL, NULL);
}
