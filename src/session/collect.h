/*
 * collect.h: what the workers found, copied out of shared memory into ours and checked for sense on the
 * way: the program could have written over it.
 */
#ifndef HEDDLE_SESSION_COLLECT_H
#define HEDDLE_SESSION_COLLECT_H

#include "launch/sut.h"
#include "report/outcome.h"
#include "report/violation_record.h"

struct findings {
	struct violation violation[WIRE_MAX_VIOLATIONS]; /* not described yet */
	size_t violations;
	struct wire_refused refused[WIRE_MAX_REFUSED];
	size_t refused_count;
	struct wire_unsynchronised unsynchronised[WIRE_MAX_UNSYNCHRONISED];
	size_t unsynchronised_count;
	struct wire_unseen unseen[WIRE_MAX_UNSEEN];
	size_t unseen_count;
	struct wire_profile profile;
	void *graph; /* records (wire/wire_graph.h); NULL: none. Of the first worker */
	u64 graph_len;
	bool graph_more;
	struct found_sample { /* executions without a violation, to be played again */
		u32 *path;
		u64 len;
	} sample[WIRE_MAX_SAMPLES];
	size_t samples;
	u64 exit_status;       /* other than 0, the first that was seen */
	bool ended_well;       /* some execution ends otherwise */
	bool slept;            /* some execution sleeps for ever, and was taken for idle */
	bool fails, no_client; /* enum wire_trivial, by some worker's account */
	u64 clock_max;         /* nanoseconds */
	struct wire_learnt learnt;
	u64 environment;
	void *trees; /* what was said with peers; NULL: nothing */
	u64 trees_len;
};

/*
 * One worker that has ended: adds counts, times and end to `o`, and what it found to `found`. given_up: a
 * worker without a result was stopped from outside. -1: it has no result, and nobody stopped it.
 */
int collect_worker(const struct sut *s, bool given_up, struct outcome *o, struct findings *found,
		   struct problem *p);
/* One of a saved search that this one goes on from: what it had found. */
void collect_former(const struct sut *s, struct outcome *o, struct findings *found);
/*
 * What the workers share, asked of any of them when all have ended; config: what the run was told. Lessons,
 * trees, notes about the program.
 */
int collect_shared(const struct sut *s, const struct wire_config *config, struct outcome *o,
		   struct findings *found, struct problem *p);
void findings_free(struct findings *f);

/* Sums up; the largest of depths. */
void search_stats_add(struct search_stats *sum, const struct search_stats *s);

#endif
