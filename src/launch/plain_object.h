/*
 * plain_object.h: is there code in an object file that the compiler did not instrument? heddle cc asks that
 * of what it links.
 */
#ifndef HEDDLE_LAUNCH_PLAIN_OBJECT_H
#define HEDDLE_LAUNCH_PLAIN_OBJECT_H

#include "base/base.h"

/*
 * path: a file; member: of this archive, or NULL. False also for what is no relocatable object of x86-64
 * (shared libraries, linker scripts), has no code, or says by itself what is not instrumented in it
 * (unseen_places.h).
 */
bool plain_object(const char *path, const char *member);

#endif
