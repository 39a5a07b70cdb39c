/*
 * escape.h: livelocks in a search by several workers. A livelock is a loop of busy waiting that nothing leads
 * out of (livelock.h finds it on the path of one worker). The edges of such a loop may have been taken by
 * different workers, and none of them sees it whole. So each says what it knows, and one looks at the end.
 *
 * A state *escapes* if it has an edge that is no step of busy waiting, or that ends an execution, or one that
 * leads to a state that escapes. A state that does not escape waits for ever: all that follows are steps of
 * waiting, and they go on without end. So there is a livelock exactly if some state does not escape.
 *
 * While the search goes on, each worker follows its stack. Whoever leaves a state marks it in the common
 * table if it is known to escape by then (SHARED_ESCAPES); otherwise it tells all of its edges from there, in
 * a note. That is seldom: mostly a state below escapes, and whoever leads there does, too. At the end each
 * edge of a state without a mark is in some note, and what escapes by them is marked, until nothing changes.
 *
 * What idles (target.h) is no livelock; each note says whether the state does.
 */
#ifndef HEDDLE_SEARCH_ESCAPE_H
#define HEDDLE_SEARCH_ESCAPE_H

#include "search/search_priv.h"

struct escape;

/* For this search, or NULL: the target has no busy waiting, or there is no memory (*failed). */
struct escape *escape_begin(struct search *s, bool *failed);
void escape_end(struct escape *w);
u64 escape_memory(const struct escape *w);

/*
 * The state that the target stands in is on top of the stack now. own: by an edge of the state below that
 * this worker took. False: there is no memory for it.
 */
bool escape_enter(struct escape *w, struct search *s, bool own);
/* The action is about to be executed in the topmost state. */
void escape_step(struct escape *w, struct search *s, u32 action);
/* It has led where `to` says, and the target stands there; not for EDGE_NEW. False: no memory. */
bool escape_edge(struct escape *w, struct search *s, enum edge to);
/* The topmost state is left, and the target stands there. False: there is no room for a note. */
bool escape_leave(struct escape *w, struct search *s);
/* The search is saved as it is: all that is known of the states on the stack is told. As above. */
bool escape_save(struct escape *w, struct search *s);

/*
 * All was explored, and all workers wait for this one: does a state wait for ever, and is that no way to
 * idle?
 */
bool escape_lacks(struct search *s);

#endif
