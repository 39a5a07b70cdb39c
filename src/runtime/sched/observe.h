/*
 * observe.h: what the runtime has learnt about synchronisation objects: which fibers
 * use them and whether one of them can tell that they are held. Persistent; see
 * docs/ARCHITECTURE.md, "What is a step". sched_observed() in sched.h is the main door.
 */
#ifndef HEDDLE_RUNTIME_OBSERVE_H
#define HEDDLE_RUNTIME_OBSERVE_H

#include "base/base.h"

/* Load what an earlier search learnt (wire.learnt). */
void observe_setup(void);

/*
 * Condition variables. A signal sent with the waiters' mutex held can't overtake a thread
 * that is about to wait, so it is no step of its own. Both return true when entering the wait and signalling
 * must be steps: the variable is signalled without the mutex, or used with several.
 * `held`: does the running fiber hold this mutex?
 */
bool observe_cond_wait(u64 cond, u64 mutex);
bool observe_cond_signal(u64 cond, bool (*held)(u64 mutex));

#endif
