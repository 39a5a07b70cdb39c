/*
 * track_world.h: tracked memory for tests: one region of each kind, a fault handler as the runtime has it,
 * and a plain copy of what the memory must hold. Tests write through world_set(), which writes both.
 */
#ifndef HEDDLE_TEST_TRACK_WORLD_H
#define HEDDLE_TEST_TRACK_WORLD_H

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "state/fingerprint.h"
#include "state/track.h"
#include "wire/layout.h"

#define AREA_PAGES 8u
#define AREA_WORDS (AREA_PAGES * 512u)
#define STACK_SLOT 3u
#define WORLD_NO_MEMORY 3 /* the exit status when a page could not be tracked */

enum { AREA_DENSE, AREA_SPARSE, AREA_HIDDEN, AREA_STACK, AREAS };

static const u64 area_start[AREAS] = {
	[AREA_DENSE] = 0x210000000000UL,
	[AREA_SPARSE] = LAYOUT_HEAP_BASE,
	[AREA_HIDDEN] = LAYOUT_MMAP_BASE,
	[AREA_STACK] = LAYOUT_STACK_BASE + STACK_SLOT * LAYOUT_STACK_STRIDE,
};

struct world {
	u64 word[AREAS][AREA_WORDS];
};
static struct world world;

/* Pages of the hidden area that the test itself may not touch yet: a look would make them known. */
static bool world_touched[AREA_PAGES];

/* What the SUT may not do at the moment; a fault there jumps to world_refused. */
static struct {
	u64 start, end;
} world_forbidden;
static sigjmp_buf world_refused;

static inline void world_on_fault(int sig, siginfo_t *info, void *context)
{
	u64 address = (u64)info->si_addr;
	(void)context;
	if (address >= world_forbidden.start && address < world_forbidden.end)
		siglongjmp(world_refused, 1);
	int tracked = track_fault(address);
	if (tracked < 0)
		_exit(WORLD_NO_MEMORY);
	if (!tracked)
		signal(sig, SIG_DFL); /* a real crash: let it happen again */
}

static inline u64 *world_at(u32 area, u32 word)
{
	return (u64 *)area_start[area] + word;
}

static inline void world_set(u32 area, u32 word, u64 value)
{
	if (area == AREA_HIDDEN)
		world_touched[word / 512] = true;
	*(volatile u64 *)world_at(area, word) = value;
	world.word[area][word] = value;
}

static inline void world_handle_faults(void)
{
	struct sigaction sa = {.sa_sigaction = world_on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
	sigaction(SIGSEGV, &sa, NULL);
}

/* 0 or what track_add said. */
static inline int world_add_areas(void)
{
	static const enum track_kind kinds[AREAS] = {TRACK_DENSE, TRACK_SPARSE, TRACK_HIDDEN, TRACK_SPARSE};
	int ret = 0;
	for (u32 a = 0; a < AREAS && !ret; a++)
		ret = track_add(area_start[a], AREA_PAGES * HD_PAGE, kinds[a]);
	return ret;
}

/* A module's data, there before us. */
static inline bool world_make_dense(void)
{
	void *at = (void *)area_start[AREA_DENSE];
	if (mmap(at, AREA_PAGES * HD_PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != at)
		return false;
	for (u32 w = 0; w < AREA_WORDS; w += 5)
		world_set(AREA_DENSE, w, w * 0x0101010101010101u);
	return true;
}

/* The sum by its definition, over the plain copy. */
static inline struct fingerprint world_print(const struct world *w)
{
	struct fingerprint sum = {0, 0};
	for (u32 a = 0; a < AREAS; a++)
		for (u32 i = 0; i < AREA_WORDS; i++) {
			struct fingerprint one = fingerprint_word((u64)world_at(a, i), w->word[a][i]);
			sum.lo += one.lo;
			sum.hi += one.hi;
		}
	return sum;
}

static inline bool world_same_print(struct fingerprint a, struct fingerprint b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

/* Memory holds what it should; T4. To be called right after a commit, an undo or a delta. */
static inline const char *world_wrong(void)
{
	for (u32 a = 0; a < AREAS; a++)
		for (u32 page = 0; page < AREA_PAGES; page++) {
			if (a == AREA_HIDDEN && !world_touched[page])
				continue;
			if (memcmp(world_at(a, page * 512), &world.word[a][page * 512], HD_PAGE))
				return "memory differs from the plain copy";
		}
	if (!world_same_print(track_fingerprint(), track_full_fingerprint()))
		return "T4: the incremental fingerprint differs from the full one";
	if (!world_same_print(track_fingerprint(), world_print(&world)))
		return "T4: the fingerprint is not the sum over the plain copy";
	return NULL;
}

/* A commit in which the stack's words below live_from are dead; 0: nobody's stack. */
static inline u64 world_commit(u32 live_from)
{
	struct track_stack dead = {area_start[AREA_STACK], (u64)world_at(AREA_STACK, live_from), STACK_SLOT,
				   0};
	memset(world.word[AREA_STACK], 0, live_from * sizeof(u64));
	return track_commit(live_from ? &dead : NULL);
}

#endif
