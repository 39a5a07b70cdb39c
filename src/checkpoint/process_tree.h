/*
 * process_tree.h: a process and all that it has started, as /proc shows them.
 */
#ifndef HEDDLE_CHECKPOINT_PROCESS_TREE_H
#define HEDDLE_CHECKPOINT_PROCESS_TREE_H

#include <sys/types.h>

#include "base/base.h"

/* 0: there is no such process. */
pid_t tree_parent(pid_t pid);
/* The children of a process, cap at most; returns how many. */
u32 tree_children(pid_t pid, pid_t *out, u32 cap);
/* Does it run? False: it has ended, whether anybody has waited for it or not. Its name. */
bool tree_runs(pid_t pid, char *name, size_t cap);
/* All of them are killed, and awaited, except that the first may be left for whoever waits for it. */
void tree_kill(pid_t root);
/* Does one of them have a regular file open for writing, other than as its output? Which one. */
bool tree_writes(pid_t root, char *file, size_t cap);

#endif
