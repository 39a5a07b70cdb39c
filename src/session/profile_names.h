/*
 * profile_names.h: from what workers tell of where their states come from to words for the report.
 */
#ifndef HEDDLE_SESSION_PROFILE_NAMES_H
#define HEDDLE_SESSION_PROFILE_NAMES_H

#include "report/outcome.h"
#include "report/symbols.h"

/* One worker's joins that of others; checked for sense on the way. */
void profile_add(struct wire_profile *all, const struct wire_profile *one);
/* Is there something to tell, and was it asked for, or did the search `o` tells of come to no end? */
bool profile_wanted(const struct wire_profile *p, const struct outcome *o);
/* symbols: of a process that stands still. */
void profile_name(const struct wire_profile *from, struct symbols *symbols, struct profile *to);

#endif
