/*
 * workers.h: how many processes search together, and what is to be said when it is not as many as asked for.
 */
#ifndef HEDDLE_SESSION_WORKERS_H
#define HEDDLE_SESSION_WORKERS_H

#include "session/session.h"

/* Can several search this program in this way? */
bool workers_may_share(const struct session_plan *plan);
/* How many of plan->workers can search this program in this way; fewer: o->workers_why says why. */
u32 workers_usable(const struct session_plan *plan, struct outcome *o);
/* The first of them that has ended without a result; NULL: none, so far. One that says why comes first. */
const struct sut *workers_failed(const struct sut *worker, u32 workers);
/* Has one of them died, without having to say why? Then all has to be done again, which a note says. */
bool workers_note_death(const struct sut *worker, u32 workers, struct outcome *o);
/* They have ended: did they leave the search to one of them? */
void workers_note_alone(const struct wire_shared *wire, struct outcome *o);

#endif
