/* progress.h: the live line. On a terminal one that changes in place, elsewhere one line every ten seconds. */
#ifndef HEDDLE_CLI_PROGRESS_H
#define HEDDLE_CLI_PROGRESS_H

#include "wire/options.h"

/* Of programs with peers; filled in before each tick. */
struct progress_net {
	bool used;
	u64 hits, misses; /* of the cache */
	u64 peers;        /* that run now */
};

struct progress {
	struct progress_net net;
	bool on, terminal;
	bool shown; /* a line stands there that must be wiped */
	u64 last_ms, last_transitions;
};

void progress_init(struct progress *p, bool on);
/* Called often; prints when it is time. clock_ns: how far the program's clock got, 0: not worth telling. */
void progress_tick(struct progress *p, const struct search_stats *s, u64 clock_ns, u64 elapsed_ms);
/* Before anything else is printed. */
void progress_wipe(struct progress *p);

#endif
