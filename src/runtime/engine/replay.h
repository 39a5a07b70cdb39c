/*
 * replay.h: execute one recorded path, telling the controller about every step.
 */
#ifndef HEDDLE_RUNTIME_REPLAY_H
#define HEDDLE_RUNTIME_REPLAY_H

#include "wire/wire.h"

void replay_run(void);
/* Called where a violation happens, on the fiber's stack or the signal stack: tells it, and
 * stops for gdb when asked to. */
void replay_violation(const struct wire_violation *v, const struct wire_regs *regs);
/* The SUT's output during a replay. */
void replay_output(int fd, const char *data, size_t n);

#endif
