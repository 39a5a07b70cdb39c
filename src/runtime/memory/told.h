/*
 * told.h: functions of libraries that instrumented code calls, and that touch its memory by simple rules: an
 * object of known size, a string, a range. A stub before the function says so (unseen.c), and the function
 * itself stays as it is. Most are C++'s, where one row stands for all that a class has.
 */
#ifndef HEDDLE_RUNTIME_TOLD_H
#define HEDDLE_RUNTIME_TOLD_H

#include "base/base.h"

struct told;

/* What a function of this name touches; NULL: not known. */
const struct told *told_find(const char *name);
/* The function is about to be called from pc; args: its first six, those in registers. May take steps. */
void told_use(const struct told *t, const u64 *args, u64 pc);

/* Does the name match a pattern, in which * stands for anything? */
bool told_matches(const char *name, const char *pattern);

#endif
