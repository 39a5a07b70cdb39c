/*
 * time_limit.h: the end of --max-time, of all rounds of a session and of the starts of its peers. The search
 * looks at the clock itself, between two steps; a step that does not end, or a peer that is waited for, needs
 * somebody outside. One session runs at a time.
 */
#ifndef HEDDLE_SESSION_TIME_LIMIT_H
#define HEDDLE_SESSION_TIME_LIMIT_H

#include "base/base.h"

#define STOP_AFTER_MS 200 /* the search had that long to end by itself */
#define KILL_AFTER_MS 600

/* A session begins; 0: it has no limit. interrupted: of the plan, or NULL. */
void time_limit_begin(u64 max_ms, bool (*interrupted)(void));
/* A round begins, which was given so long (0: no limit of its own); what it may have: 0: it has no end. */
u64 time_limit_round(u64 asked_ms);
/* The end of the present round, 0: none. */
const u64 *time_limit_end(void);
/* Has the present round come so far beyond its end? The whole session to its end? */
bool time_limit_is_over(u64 grace_ms);
bool time_limit_is_out(void);
/* Is a peer waited for in vain? */
bool time_limit_give_up(void);

#endif
