/*
 * memory.h: memory accesses of instrumented programs (heddle cc). Which accesses are steps of their own,
 * and data races. Does nothing for programs without hooks.
 *
 * memory_access() is what the hooks call (interpose/hooks.c), and free() for all of a block; the rest is for
 * the engine.
 */
#ifndef HEDDLE_RUNTIME_MEMORY_H
#define HEDDLE_RUNTIME_MEMORY_H

#include "base/base.h"
#include "runtime/sched/sched.h"

enum memory_how {
	MEMORY_WRITE = 1,
	MEMORY_ATOMIC = 2,
	MEMORY_VOLATILE = 4,
	MEMORY_FREED = 8, /* with MEMORY_WRITE: given back, hence of no interest afterwards */
};

/* Does the program carry the hooks, and did clang put them there? Loads what an earlier search learnt. */
void memory_setup(bool hooks, bool by_clang);
bool memory_on(void);
bool memory_by_clang(void);

/* Around each step of a fiber, for the engine; and when the search starts again. */
void memory_step_begins(void);
bool memory_step_ends(u32 slot, u32 alt); /* false: there was no room for all that was learnt */
void memory_restarted(void);

/*
 * With several workers: what this one learns is passed to say(), NULL: to nobody; memory_hear is what others
 * said. Lessons are loaded when a worker joins, and at each restart.
 */
void memory_share(void (*say)(const u64 *word, u32 words));
void memory_hear(const u64 *word, u32 words);
void memory_load_lessons(void);

/* The running fiber is about to access memory; pc: where. May be a step. */
void memory_access(u64 address, u64 size, u32 how, u64 pc);

/*
 * A block that was given back (MEMORY_FREED) is the same one again: realloc left it in its place. What was
 * accessed of it is of interest all the same.
 */
void memory_kept(u64 address, u64 size);

/*
 * Does the access that `slot` stands before race with one that another fiber stands before, or with an
 * earlier one that nothing orders? Then it is described.
 */
struct memory_race {
	u32 other; /* slot */
	u64 address, other_pc;
};
bool memory_race(u32 slot, struct memory_race *r, struct text *t);

#endif
