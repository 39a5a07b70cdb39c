/*
 * prelude.h: random walks before a search (the prelude) and in pauses of it (interludes), so that it begins
 * with knowledge, and so that violations which lie near are found soon. Every second walk is one of random
 * scheduling, the others are PCT's (pct.c).
 *
 * For a depth-first search: it goes down into the first branches and may not come to another one for hours;
 * a bug that every tenth execution shows is found by ten walks. A violation that a walk meets is told like
 * any other; only the full search can say that there is none. Walks change no count.
 *
 * For a search with reduction: what walks teach saves passes (reduction.h). And they see which steps of an
 * unmodified program depend on each other though they declare nothing in common: the plain loads and stores
 * of such a program are in no footprint, so where its threads race, the reduction would leave out orders that
 * may show a bug. The eye (eye.h) sees that two steps don't commute, but only steps that are enabled
 * together, and of those a reduced search meets few. Random walks meet many.
 *
 * What it costs is counted in steps, so that every run does the same: the prelude ends soon when its runs
 * teach nothing new; a pause comes when the search has made PAUSE_FIRST steps, then each time it has made
 * four times as many, and lasts for one step in PAUSE_SHARE of those made since the last one. Then the path
 * of the search is executed once more, from the initial state on.
 */
#ifndef HEDDLE_SEARCH_PRELUDE_H
#define HEDDLE_SEARCH_PRELUDE_H

#include "search/observer.h"

#define PAUSE_FIRST 4096u
#define PAUSE_SHARE 64u

/* The target stands in the initial state, and does so afterwards. MOVE_KNOWN, MOVE_HALT or MOVE_RESTART. */
enum move prelude_run(struct search *s);
/*
 * The search makes a pause, if it is time for one (search.pause_at). The target stands at the end of the
 * path, and does so afterwards. marks: of the states on the path, written anew.
 */
enum move interlude_run(struct search *s, target_mark *marks);
/* The same for who stands in the initial state at any rate: whose mark is search.root. */
enum move interlude_at_root(struct search *s);
/* The search is over. */
void prelude_free(struct search *s);

#endif
