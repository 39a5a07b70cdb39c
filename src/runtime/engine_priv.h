/*
 * engine_priv.h: the engine's doors for replay.c only.
 */
#ifndef HEDDLE_RUNTIME_ENGINE_PRIV_H
#define HEDDLE_RUNTIME_ENGINE_PRIV_H

#include "search/target.h"
#include "wire/wire.h"

u32 engine_actions(u32 *out);
enum step_result engine_step(u32 action);
enum terminal_kind engine_terminal(void);
/* The current state is part of a livelock: makes that the last violation. */
void engine_livelock(void);
const struct wire_violation *engine_last_violation(void);

#endif
