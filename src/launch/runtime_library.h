/*
 * runtime_library.h: where libheddle-rt.so is: $HEDDLE_RUNTIME, next to the heddle command (build tree), or
 * ../lib/heddle/ from there (installed). Other files that come with heddle lie in the same places.
 */
#ifndef HEDDLE_LAUNCH_RUNTIME_LIBRARY_H
#define HEDDLE_LAUNCH_RUNTIME_LIBRARY_H

#include "launch/problem.h"

int runtime_library_find(char *out, size_t cap, struct problem *p);
/* A file beside the runtime library: libheddle-hooks.a and the like. */
int support_file_find(const char *name, char *out, size_t cap, struct problem *p);

#endif
