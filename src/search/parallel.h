/*
 * parallel.h: a search by several workers, from one worker's point of view. docs/design/parallel.md says how
 * it works and why the result is that of one worker.
 *
 * A strategy that takes part gives away work when it is asked to (strategy.give), and takes some when it has
 * none (parallel_take). Everything else happens in search_poll: what others have learnt is heard, the common
 * table grows, and whatever one worker decides for all (an end, a restart) is decided together.
 */
#ifndef HEDDLE_SEARCH_PARALLEL_H
#define HEDDLE_SEARCH_PARALLEL_H

#include "search/search_priv.h"

/* Before the first search. */
void parallel_begin(struct search *s);
/* Does a filter have the place of the common table (bit_filter.h)? Then no state can be marked. */
static inline bool parallel_filters(const struct search *s)
{
	return s->filter.lines;
}
/* Memory is out: shall one take it? Then all are called together for that. */
bool parallel_wants_filter(struct search *s);
/* Often. MOVE_HALT or MOVE_RESTART: that was decided; else MOVE_KNOWN. */
enum move parallel_poll(struct search *s);
/* The search is to be saved (search.save_due), and nothing is half done. As above. */
enum move parallel_rest(struct search *s);
/* Waits for work, which is appended to `unit`: MOVE_KNOWN. Else as above. */
enum move parallel_take(struct search *s, struct pages_vec *unit);
/*
 * The strategy has come back with MOVE_HALT or MOVE_RESTART: if that was this worker's own idea, all decide.
 * Returns what to do.
 */
enum move parallel_conclude(struct search *s, enum move m);
/* What one worker has to tell the others does not fit any more: they leave the search to one. */
void parallel_no_room(struct search *s);
/* For escape.h: a note (false: there is no room for it), and all of them. */
bool parallel_say_escape(struct search *s, const u64 *word, u32 words);
void parallel_each_escape(struct search *s, void (*fn)(void *self, const u64 *word, u32 words), void *self);
/* This worker's state differs from what it should be by another's account. MOVE_HALT or MOVE_RESTART. */
enum move parallel_disagree(struct search *s);

#endif
