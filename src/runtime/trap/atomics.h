/*
 * atomics.h: atomic instructions of the SUT's own code as visible operations. The controller found them
 * (wire_atomics); here each is replaced by a trap, and executed elsewhere when its turn comes.
 */
#ifndef HEDDLE_RUNTIME_ATOMICS_H
#define HEDDLE_RUNTIME_ATOMICS_H

#include <signal.h>
#include <ucontext.h>

#include "runtime/sched/sched.h"

/* Patches the program; before its start-up code runs. */
void atomics_setup(void);
/* In the handler of a fault: is this one of our traps? Then the context was redirected. */
bool atomics_trapped(int sig, const siginfo_t *info, greg_t *g);
/* For an address in a copied instruction the one it was copied from; other addresses as they are. */
u64 atomics_origin(u64 pc);

#endif
