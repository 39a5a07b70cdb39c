/*
 * fair.h: loops that yield until another thread has done something, and count their rounds.
 */
#ifndef HEDDLE_RUNTIME_FAIR_H
#define HEDDLE_RUNTIME_FAIR_H

#include "runtime/sched/model.h"

/* The running fiber is about to yield, or (fair_acts) to do something else. */
void fair_yields(struct fiber *f);
void fair_acts(struct fiber *f);
/* Fiber `slot` was chosen and moves on. */
void fair_moves(u32 slot);
/* Has it yielded so often that it is the others' turn? */
bool fair_waits(const struct fiber *f);

#endif
