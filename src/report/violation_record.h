/*
 * violation_record.h: one violation in the controller: what the runtime told (struct wire_violation), the
 * path that leads to it, and in words. The same struct from the search's result over its reproduction to
 * traces and reports.
 */
#ifndef HEDDLE_REPORT_VIOLATION_RECORD_H
#define HEDDLE_REPORT_VIOLATION_RECORD_H

#include "wire/violation.h"

struct violation {
	struct wire_violation
		found; /* kind, thread slot, places, key, path_len; path_offset is of no use here */
	u32 *path;     /* found.path_len actions; NULL: what the search left makes no sense. Owned */
	u64 found_len; /* how long the path was before it was shortened; 0: it was not */
	u32 thread;    /* whom it is about, for people: main is 1 */
	char *message; /* for people, names in place of addresses; never NULL once described. Owned */
	char *where;   /* source line, "": none. Owned */
};

/* Sets the last three. False: no memory. */
bool violation_describe(struct violation *v, u32 thread, const char *message, const char *where);
void violation_free(struct violation *v);

#endif
