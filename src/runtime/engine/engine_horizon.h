/*
 * engine_horizon.h: how far the search follows virtual time. A program that reads the clock has ever new
 * states for as long as time-outs move it, and a depth-first search would go along the clock for ever, past a
 * bug that lies near. So it looks at a minute first, then at four, and so on, but as far as the next
 * time-out; with --time-horizon, up to that. All workers of a search have the same horizon.
 */
#ifndef HEDDLE_RUNTIME_ENGINE_HORIZON_H
#define HEDDLE_RUNTIME_ENGINE_HORIZON_H

#include "base/base.h"

/* May the clock go there? If not, that is remembered. */
bool horizon_allows(u64 deadline);
/* Were there time-outs beyond, in this search? */
bool horizon_was_hit(void);

/*
 * A search is complete, up to the horizon: it shall look further, from the initial state again. False: there
 * is nothing beyond, or the user does not want to know.
 */
bool horizon_widen(void);
/* A search begins: what belongs to the one before is forgotten. */
void horizon_restarted(void);

/* With several workers: told() is called for what the others have to know, and they hear it. */
void horizon_share(void (*told)(u64 horizon, u64 beyond));
void horizon_hear(u64 horizon, u64 beyond);
/* The horizon that all have come to. */
void horizon_load(void);

#endif
