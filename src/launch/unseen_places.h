/*
 * unseen_places.h: what heddle cc could not instrument in a program or library, as the compiler
 * left word of it in the file.
 */
#ifndef HEDDLE_LAUNCH_UNSEEN_PLACES_H
#define HEDDLE_LAUNCH_UNSEEN_PLACES_H

#include "base/base.h"

/* Calls fn for each: inline assembly with its file and line; all that clang leaves out, without a place. */
void unseen_places(const char *file, void (*fn)(void *self, const char *what, const char *where), void *self);

#endif
