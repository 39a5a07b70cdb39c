/*
 * suppressions.h: data races that the user knows and does not want to hear of, in a file like
 * ThreadSanitizer's. Each line is race:PATTERN or race_top:PATTERN, or a comment after #. A pattern is
 * looked for anywhere in a name; * stands for anything, ^ and $ for the name's ends. race: names of
 * functions, source files and modules of either stack, or the variable; race_top: the two innermost
 * functions alone.
 *
 * The search ends a path at a race, so a suppressed one must not only be kept quiet: the search is done
 * again and told to walk past it. What exactly is walked past: the two instructions, on any variable, when
 * a function was named; on this variable alone, when the variable was.
 */
#ifndef HEDDLE_SESSION_SUPPRESSIONS_H
#define HEDDLE_SESSION_SUPPRESSIONS_H

#include "launch/problem.h"
#include "report/execution_log.h"

struct suppressions {
	struct suppression {
		char *pattern;
		bool top;
	} * list;
	size_t count;
};

struct suppressed_race {
	const struct log_entry *side[2]; /* either may be NULL */
	const char *variable;
};

enum suppression_match { SUPPRESSION_NONE, SUPPRESSION_CODE, SUPPRESSION_VARIABLE };

/* Adds a file's. */
int suppressions_load(struct suppressions *s, const char *path, struct problem *p);
void suppressions_free(struct suppressions *s);
enum suppression_match suppressions_match(const struct suppressions *s, const struct suppressed_race *race);
/* Exposed for the unit tests. */
bool suppression_fits(const char *pattern, const char *name);

#endif
