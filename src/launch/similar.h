/* similar.h: what somebody may have meant who wrote a word that there is not. */
#ifndef HEDDLE_LAUNCH_SIMILAR_H
#define HEDDLE_LAUNCH_SIMILAR_H

#include "base/base.h"

/* The best so far of words that are tried one after the other. Start with SIMILAR_NONE. */
struct similar {
	const char *word; /* NULL: none is near enough */
	size_t distance;
};
#define SIMILAR_NONE ((struct similar){NULL, 0})

/* Takes `known` for the best if it is nearer than what is there: few letters to change, add, drop or swap. */
void similar_try(struct similar *best, const char *word, size_t len, const char *known);
/* " (did you mean PREFIXword?)" or "". */
const char *similar_text(const struct similar *best, const char *prefix, char *out, size_t cap);

#endif
