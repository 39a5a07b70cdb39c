/*
 * replay.h: execute one recorded path, telling the controller about every step.
 *
 * With a debugger (task.gdb) the process stands still at its end and before step task.pause_at: the first
 * time by SIGSTOP, for gdb to attach; from then on in heddle_replay_pause, where gdb has a breakpoint. Where
 * the fibers stand was told before (WIRE_EV_FIBER).
 */
#ifndef HEDDLE_RUNTIME_REPLAY_H
#define HEDDLE_RUNTIME_REPLAY_H

#include "wire/wire.h"

void replay_run(void);
/* Called where a violation happens, on the fiber's stack or the signal stack: tells it, and
 * stops for gdb when asked to. */
void replay_violation(const struct wire_violation *v, const struct wire_regs *regs);
/* Does nothing. Exported, so that gdb finds it in a stripped library. */
HD_EXPORT void heddle_replay_pause(void);
/* The SUT's output during a replay. */
void replay_output(int fd, const char *data, size_t n);
struct op;
/* The running fiber does this besides the operation that its step is named after: sched/aside.h. */
void replay_aside(const struct op *o, u32 alt);

#endif
