/*
 * engine.h: the checker inside the SUT's process: implements search/target.h on top of fibers and tracked
 * memory. Engine memory is never rolled back.
 */
#ifndef HEDDLE_RUNTIME_ENGINE_H
#define HEDDLE_RUNTIME_ENGINE_H

#include "base/base.h"

/*
 * Run the search or the replay the wire asks for; called on the engine's own stack; exits the process.
 * run_main: what fiber 0 runs, up to the end of main; track_everything: called in the initial state, to
 * protect all memory.
 */
HD_NORETURN void engine_main(void (*run_main)(void), void (*track_everything)(void));

/* Shall the search end now, also in the middle of a step? For signal handlers. */
bool engine_time_is_up(void);

#endif
