/*
 * confirm.h: nothing is reported that did not happen twice. Each violation of a search is run again in a fresh
 * process, which also tells its story; refused calls get their source lines the same way.
 */
#ifndef HEDDLE_CLI_CONFIRM_H
#define HEDDLE_CLI_CONFIRM_H

#include "cli/search.h"

struct ignored {
	struct wire_ignored race[WIRE_MAX_IGNORED];
	u32 count;
};

/*
 * `l` is the search's launch. Confirmed violations join `o` with their traces; the others are counted there. Suppressed races join
 * `ignored`, so that the next search passes them over.
 */
int confirm_violations(const struct launch *l, const struct found *found,
		       const struct suppressions *suppressions, struct ignored *ignored, struct outcome *o,
		       struct problem *p);
/* Source lines for refused calls. Fails never: a line that can't be found stays an address. */
void confirm_refused(const struct launch *l, const struct found *found, struct outcome *o);

#endif
