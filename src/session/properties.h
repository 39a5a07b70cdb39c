/*
 * properties.h: the user's invariants made ready for the runtime. Names and types are looked up in a
 * process of the program that stands in its initial state.
 */
#ifndef HEDDLE_SESSION_PROPERTIES_H
#define HEDDLE_SESSION_PROPERTIES_H

#include "session/session.h"

/*
 * `all` holds texts (property/property.h); it is compiled, and becomes l->properties, for all processes
 * that are started with *l or a copy of it. NULL, or no texts: nothing to do. Borrowed by *l.
 */
int properties_prepare(struct wire_properties *all, struct launch *l, const struct session_observer *observer,
		       struct problem *p);

#endif
