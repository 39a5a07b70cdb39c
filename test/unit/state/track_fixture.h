/*
 * track_fixture.h: what the tests of tracked memory share: the world of track_world.h under cmocka. All tests
 * of a program share one tracked memory, as there is one in a process; each starts with track_forget().
 */
#ifndef HEDDLE_TEST_TRACK_FIXTURE_H
#define HEDDLE_TEST_TRACK_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "track_world.h"

#define CROWD_BASE (LAYOUT_HEAP_BASE + LAYOUT_HEAP_STRIDE)
#define CROWD_PAGES 256u
/* The top of another stack, with room for TLS, and memory in which each fiber has a page of its own. */
#define TLS_SLOT 5u
#define TLS_TOP (LAYOUT_STACK_BASE + (TLS_SLOT + 1) * LAYOUT_STACK_STRIDE)
#define OWNED_BASE (CROWD_BASE + LAYOUT_HEAP_STRIDE)
#define OWNED_SLOTS 8u
#define LONG_ENOUGH 40000 /* commits after which any idle page is cold */

static inline void assert_world(void)
{
	const char *wrong = world_wrong();
	if (wrong)
		fail_msg("%s", wrong);
}

static inline u64 hot_pages(void)
{
	return track_get_stats()->hot;
}

static inline u64 faults(void)
{
	return track_get_stats()->faults;
}

static inline u32 idle_until(u64 hot, u32 most)
{
	u32 n = 0;
	for (; hot_pages() > hot && n < most; n++)
		track_commit(NULL);
	return n;
}

static inline void all_cold(void)
{
	idle_until(0, LONG_ENOUGH);
	assert_int_equal(hot_pages(), 0);
}

static inline int fresh_start(void **state)
{
	world_handle_faults();
	track_forget();
	all_cold();
	track_forget();
	assert_world();
	return 0;
}

static inline int make_world(void **state)
{
	world_handle_faults();
	if (track_setup() || !world_make_dense() || world_add_areas() ||
	    track_add(CROWD_BASE, CROWD_PAGES * HD_PAGE, TRACK_SPARSE) ||
	    track_add(TLS_TOP - 2 * HD_PAGE, 2 * HD_PAGE, TRACK_SPARSE) ||
	    track_add_owned(OWNED_BASE, HD_PAGE, OWNED_SLOTS))
		return -1;
	/* Before the start a sparse page is ours to open, a dense one is open anyway. */
	if (track_fault(area_start[AREA_DENSE]))
		return -1;
	world_set(AREA_SPARSE, 7, 77);
	world_set(AREA_HIDDEN, 9, 99);
	track_start();
	return 0;
}

/* cmocka takes SIGSEGV for itself around each test and each fixture. */
static inline void with_faults_handled(void **state)
{
	world_handle_faults();
	((void (*)(void)) * state)();
}

#define IN_WORLD(f, setup) \
	{ \
#f, with_faults_handled, setup, NULL, (void *)(f) \
	}
#define FRESH(f) IN_WORLD(f, fresh_start)

#endif
