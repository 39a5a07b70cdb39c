/*
 * progress.h: the live line. On a terminal one that changes in place, elsewhere one line every ten seconds.
 */
#ifndef HEDDLE_CLI_PROGRESS_H
#define HEDDLE_CLI_PROGRESS_H

#include "session/session.h"

struct progress {
	bool on, terminal;
	bool shown; /* a line stands there that must be wiped */
	u64 last_ms, last_transitions, last_states;
};

void progress_init(struct progress *p, bool on);
/* Called often; prints when it is time. */
void progress_tick(struct progress *p, const struct session_progress *now);
/* Before anything else is printed. */
void progress_wipe(struct progress *p);

#endif
