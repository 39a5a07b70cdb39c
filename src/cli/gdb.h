/*
 * gdb.h: a debugger on a process that stands at the end of a replay. The threads of the program are fibers,
 * unknown to gdb: a generated script adds "heddle threads" and "heddle thread N".
 */
#ifndef HEDDLE_CLI_GDB_H
#define HEDDLE_CLI_GDB_H

#include <sys/types.h>

#include "launch/problem.h"
#include "report/execution_log.h"

/* Returns when gdb has ended. `args`: further arguments for gdb, as a shell would split them; may be NULL. */
int gdb_run(pid_t pid, const struct execution_log *log, const char *args, struct problem *p);

#endif
