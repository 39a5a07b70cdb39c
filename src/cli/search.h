/*
 * search.h: the process that searches, from its start to its result, copied out of shared memory into ours and
 * checked for sense on the way: the program could have written over it.
 */
#ifndef HEDDLE_CLI_SEARCH_H
#define HEDDLE_CLI_SEARCH_H

#include "cli/network.h"
#include "cli/options.h"
#include "launch/sut.h"
#include "report/outcome.h"

struct found_violation {
	u32 kind, thread; /* slot */
	u64 key, path_len;
	struct wire_ignored race; /* of a race: its two places and the address */
	u32 other_thread;         /* slot */
	u32 *path;                /* NULL: what the search left makes no sense */
	char message[1024];
};

struct found {
	struct found_violation violation[WIRE_MAX_VIOLATIONS];
	size_t violations;
	struct wire_refused refused[WIRE_MAX_REFUSED];
	size_t refuseds;
	struct wire_learnt learnt;
	u64 environment;
	void *trees; /* what was said with peers; NULL: nothing */
	u64 trees_len;
};

/* Fills counts, times and end of `o`, and what was found. -1: tool error, no verdict. */
int search_process(const struct check_options *options, const struct launch *l, struct network *network,
		   struct outcome *o, struct found *found, struct problem *p);
void found_free(struct found *f);

#endif
