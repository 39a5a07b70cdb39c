/*
 * fair.h: loops that yield until another thread has done something, and count their rounds.
 */
#ifndef HEDDLE_RUNTIME_FAIR_H
#define HEDDLE_RUNTIME_FAIR_H

#include "runtime/sched/model.h"

/* The running fiber is about to yield; true: that is no step, it goes on. */
bool fair_yields(struct fiber *f);
/* It is about to do something else. */
void fair_acts(struct fiber *f);
/* Does it stand in such a loop, after so many rounds that one more makes no difference? */
bool fair_is_far(const struct fiber *f);
/* Is this word the fiber's own: its stack, its kernel stack, its record? */
bool fair_is_own(const struct fiber *f, u64 address);

#endif
