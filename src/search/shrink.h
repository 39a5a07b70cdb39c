/*
 * shrink.h: from an execution that ends in a violation to a shorter one that ends in the same, with fewer
 * switches between fibers: for people, who have to read it.
 *
 * Parts of the path are left out, or moved so that a fiber goes on where it stopped, or a step has another
 * outcome (a read gets all there is, and those behind it are needless), and what is left is executed: an
 * action that is not enabled is passed over; where the path ends before the violation, the fiber that ran
 * last goes on, and when it can't, the first one that can. What leads to the same violation (the same key,
 * target.h) and costs less takes the place of the path, and the next change is made to that, until none
 * helps. The first ones are large: half of the path, all of a fiber.
 *
 * A step costs one, a switch SHRINK_SWITCH.
 *
 * Of a loop (a livelock: the path ends in a state that it has been in before) the way to it is shortened: it
 * has to lead to the same state.
 */
#ifndef HEDDLE_SEARCH_SHRINK_H
#define HEDDLE_SEARCH_SHRINK_H

#include "base/pages.h"
#include "search/target.h"

#define SHRINK_SWITCH 8u

struct shrink_task {
	const u32 *path;
	u64 len;
	bool is_loop;
	u64 steps; /* that may be executed */
	/* Polled often: true = that is enough. */
	bool (*stop)(void *self);
	void *self;
	/* Hashes of attempts that are not to be made: each of them taught the target something. */
	const u64 *avoid;
	u32 avoids;
};

enum shrink_end {
	SHRINK_DONE,   /* nothing more helps, or the steps or the time are used up */
	SHRINK_LESSON, /* after STEP_RESTART the path leads elsewhere: once more, with a fresh target */
	SHRINK_FAILED, /* the path does not lead to a violation, or the target can't go on */
};

struct shrunk {
	struct pages_vec path; /* u32; the caller frees it */
	u64 switches;
	u64 attempts;
	u64 lesson; /* SHRINK_LESSON: hash of the attempt */
};

/* The target stands in its initial state, and does not afterwards. */
enum shrink_end shrink(const struct target *t, const struct shrink_task *task, struct shrunk *out);

/* How often another fiber goes on. */
u64 shrink_switches(const struct target *t, const u32 *path, u64 len);

#endif
