/*
 * engine_profile.h: where do the states come from? An observer of the search (search/observer.h): by which
 * operations new states are reached, where there is more than one way to go on, which words of memory have
 * another value nearly each time, which locks only one thread uses.
 *
 * Without --profile every 64th step and state is looked at, for the few lines that a search which comes to no
 * end is told with; that costs less than a hundredth of the time. Lessons and passes begin it anew.
 */
#ifndef HEDDLE_RUNTIME_ENGINE_PROFILE_H
#define HEDDLE_RUNTIME_ENGINE_PROFILE_H

#include "search/observer.h"

extern const struct observer engine_profile;

/* The search has ended: the foremost of each go into the worker's result. */
void profile_write(void);

#endif
