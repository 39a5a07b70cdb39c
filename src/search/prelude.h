/*
 * prelude.h: before a search with reduction, some random walks, so that it begins with knowledge.
 *
 * What they teach saves passes (reduction.h). And they see which steps of an unmodified program depend on
 * each other though they declare nothing in common: the plain loads and stores of such a program are in no
 * footprint, so where its threads race, the reduction would leave out orders that may show a bug. The eye
 * (eye.h) sees that two steps don't commute, but only steps that are enabled together, and of those a reduced
 * search meets few. Random walks meet many. What they see otherwise, violations among it, is left to the
 * search.
 */
#ifndef HEDDLE_SEARCH_PRELUDE_H
#define HEDDLE_SEARCH_PRELUDE_H

#include "search/observer.h"

/* The target stands in the initial state, and does so afterwards. MOVE_KNOWN, MOVE_HALT or MOVE_RESTART. */
enum move prelude_run(struct search *s);

#endif
