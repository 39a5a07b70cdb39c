/*
 * sanity.h: recompute what the search otherwise believes. A difference is a
 * fault of the tool (or of a target that is not deterministic), never of the SUT: the search ends with
 * SEARCH_TOOL_ERROR and hooks.insane tells what differs and where.
 *
 *   level 1  the incremental fingerprint is compared with a full one at every 2^14th step
 *   level 2  at every 2^8th step
 *   level 3  after every step; after every undo, against the fingerprint the state had
 *            when it was found; and the path to each new state is executed again from the initial
 *            state. That is quadratic in the depth, so after the first 10^4 states only every
 *            2^k-th is re-executed, k growing by one each time the number of states quadruples.
 *
 * Steps that repeat others for a check are counted nowhere but in stats.sanity_checks.
 */
#ifndef HEDDLE_SEARCH_SANITY_H
#define HEDDLE_SEARCH_SANITY_H

#include "search/search_priv.h"

#define SANITY_REPLAY_ALL 10000

/* For search.sanity_mask. */
u64 sanity_mask(u32 level);

/* All of these: MOVE_HALT when something differs, else MOVE_KNOWN. */

/* The fingerprint of the current state, incremental and full. */
enum move sanity_state(struct search *s);

/* The current state is one that had this fingerprint before. */
enum move sanity_same(struct search *s, struct fingerprint before, const char *otherwise);

/* Tell that something differs at the end of the path. Always MOVE_HALT. */
enum move sanity_differs(struct search *s, const char *what);

/* Level 3 only: is the path to the state just found to be executed again? */
bool sanity_wants_replay(const struct search *s);

/*
 * From the initial state (where the target stands) along the path to a state that must have this
 * fingerprint. marks: if given, the mark of each state on the way is written there, the last
 * one's excepted. MOVE_RESTART is possible, too: the target knows more than on the first time.
 */
enum move sanity_replay(struct search *s, struct fingerprint expected, target_mark *marks);
/* The same without a complaint: MOVE_DEAD, `differs` says what, and the target stands somewhere. */
enum move search_follow_path(struct search *s, struct fingerprint expected, target_mark *marks,
			     const char **differs);

#endif
