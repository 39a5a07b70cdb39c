/*
 * owner.h: for the audit of footprints (search/audit.h): the object that a byte of model memory belongs to.
 * Whoever changes the byte must have declared a change of that object.
 */
#ifndef HEDDLE_RUNTIME_OWNER_H
#define HEDDLE_RUNTIME_OWNER_H

#include "search/footprint.h"

struct owner {
	u64 object;
	u32 fiber;        /* slot + 1 of the fiber that may change it without a word; 0: none */
	const char *what; /* for messages: "the umask", "a thread's life" */
};

/* Of struct model (model.h). False: not there, or nobody can ever see it. */
bool sched_owner(u64 address, struct owner *o);
/* An object in words; for those whose class is the scheduler's. */
const char *object_class_name(u64 object);

#endif
