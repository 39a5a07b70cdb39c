/*
 * violation_key.h: when are two violations the same one? --keep-going tells each once, distinct by kind and
 * place. Who of the threads comes first makes no difference: a race is a pair of accesses, a deadlock the
 * places of those who wait in a circle.
 */
#ifndef HEDDLE_RUNTIME_VIOLATION_KEY_H
#define HEDDLE_RUNTIME_VIOLATION_KEY_H

#include "base/base.h"

/* Of the accesses at these two places, in either order. */
u64 violation_key_race(u64 pc, u64 other_pc);
/*
 * Of the current state, in which nobody can move. Of a deadlock, those who wait for each other in a circle
 * count; if there is no circle, all but those who only wait for a thread's end. Of each: what it does, on
 * which object, and where. Other kinds are known by their text.
 */
u64 violation_key_end(u32 kind, const char *text, size_t len);

#endif
