/*
 * trace.h: one recorded execution as a file: enough to run it again (program, settings, what
 * the search learnt, the actions) and enough to read it without (the log).
 *
 * JSON, versioned. Actions are text: "1 2 2.1*3" is thread slot 1 with outcome 0, then
 * slot 2 with outcome 0, then three times slot 2 with outcome 1.
 */
#ifndef HEDDLE_REPORT_TRACE_H
#define HEDDLE_REPORT_TRACE_H

#include "launch/program.h"
#include "report/execution_log.h"
#include "report/violation_record.h"
#include "wire/wire.h"

#define TRACE_VERSION 1

struct trace {
	char **argv;  /* NULL-terminated, owned */
	char **extra; /* K=V given with --env, NULL-terminated, owned */
	struct program program;
	char cwd[PATH_MAX];
	u64 environment; /* environment_hash at the time of the search */
	struct wire_config config;
	struct wire_learnt *learnt;         /* owned */
	struct wire_properties *properties; /* the texts of invariants, or NULL; owned */
	void *trees;                        /* the communication it needs (iocache/tree.h), or NULL; owned */
	u64 trees_len;
	struct violation violation; /* with the path to it */
	struct execution_log log;
	char name[64]; /* of its file in the output folder; "" for one that was loaded */
};

int trace_save(const struct trace *t, const char *path, struct problem *p);
/* The file is foreign input: everything is checked. */
int trace_load(struct trace *t, const char *path, struct problem *p);
void trace_free(struct trace *t);

/* The actions as text and back; both owned by the caller. NULL: no memory, or not such a text. */
char *trace_actions_text(const u32 *path, u64 len);
u32 *trace_actions_parse(const char *text, u64 *len);

#endif
