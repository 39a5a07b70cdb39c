/*
 * unseen_names.h: what was not looked into, in a program built by heddle cc, in words: calls that the runtime
 * has seen, and places that the compiler left word of.
 */
#ifndef HEDDLE_SESSION_UNSEEN_NAMES_H
#define HEDDLE_SESSION_UNSEEN_NAMES_H

#include <sys/types.h>

#include "launch/program.h"
#include "report/outcome.h"
#include "session/collect.h"

/* The calls, with addresses for lines yet, and the compiler's word in the program. */
void unseen_names_copy(const struct findings *found, const struct program *program, struct outcome *o);
/* The compiler's word in the libraries that a process of the program has mapped. */
void unseen_names_add(pid_t pid, struct outcome *o);

#endif
