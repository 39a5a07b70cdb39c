/*
 * gdb_serve.h: our side of the talk with heddle-gdb.py: one JSON object per line, each is answered by one.
 *
 *   {"do":"first"}            where to begin: {"step":N}, or {} for the end
 *   {"do":"start","step":N}   a fresh process before step N; without a step: at the end. Answer: a status
 *   {"do":"attached"}         gdb has it; the process before it can be forgotten
 *   {"do":"until","step":N}   gdb is about to let it run on, up to step N or the end
 *   {"do":"status"}           where the process stands, as told by its events
 *   {"do":"threads"}          the same as seen before the step that it is in, by means of another process
 *
 * A status: "at" (before, in, end), "step", "steps" (how many there are), "pid", "thread", "text" (what the
 * thread does), "violation" (its kind, at the end), "threads": number, name, text, regs, exact (regs.rip is
 * no return address). An error is {"error": "a sentence"}.
 */
#ifndef HEDDLE_CLI_GDB_SERVE_H
#define HEDDLE_CLI_GDB_SERVE_H

#include "cli/gdb.h"

/* Returns when the other side has closed its end; no process is left. */
void gdb_serve(const struct gdb_call *call, int socket);

#endif
