/*
 * script_run.h: a search that is written down as a script, or that follows one: the pipe between the worker
 * and the script, which a thread serves, and what is to be said when the worker has ended.
 */
#ifndef HEDDLE_SESSION_SCRIPT_RUN_H
#define HEDDLE_SESSION_SCRIPT_RUN_H

#include <jansson.h>
#include <pthread.h>

#include "report/outcome.h"
#include "script/feeder.h"
#include "script/part.h"
#include "script/writer.h"
#include "launch/sut.h"

/* What the caller of a session wants. One of record, script and part_file. */
struct script_plan {
	const char *record; /* the file to write; NULL: none */
	json_t *about;      /* what its index says of the program and how it was called; borrowed */
	bool trustful;      /* kind of the script that is written, or how one is followed */

	struct script *script;              /* to follow; NULL: none */
	const struct script_interval *part; /* only these of it; NULL: all */
	u32 intervals;
	struct script_part *part_file; /* to follow; NULL: none */

	/* Out, for parts: FP and what was made; a memory file that the caller closes. -1: none. */
	int prints;
	u64 longest_path, paths;
};

struct script_run {
	struct script_plan *plan;
	struct script_writer *writer;
	int mine, childs; /* ends of the pipe; -1: closed */
	pthread_t thread;
	bool running;
	char again;             /* the follower wants all words once more */
	struct problem problem; /* text "": none */
};

/* Before the worker starts: fills in what it has to know. */
int script_run_prepare(struct script_run *r, struct script_plan *plan, struct launch *l, struct problem *p);
/* The worker runs. */
int script_run_begin(struct script_run *r, const struct sut *s, struct problem *p);
/*
 * It has ended: the thread, too. -1: the script cannot be read, and p says why. What was recorded is still to
 * be kept or dropped.
 */
int script_run_end(struct script_run *r, struct problem *p);
/* The script becomes a file, if the search was one that leaves a script. */
void script_run_keep(struct script_run *r, const struct launch *l, const struct wire_learnt *learnt,
		     u64 environment, struct outcome *o);
/* Everything that is left. */
void script_run_drop(struct script_run *r);

#endif
