/*
 * outcome.h: everything a check found, as plain data, and the verdict that follows from it. The report formats
 * read this and nothing else.
 */
#ifndef HEDDLE_REPORT_OUTCOME_H
#define HEDDLE_REPORT_OUTCOME_H

#include "report/trace.h"
#include "wire/wire.h"

enum verdict { VERDICT_VERIFIED, VERDICT_VIOLATION, VERDICT_BOUNDED, VERDICT_INCOMPLETE };

struct outcome_refused {
	char call[64], where[512];
	u64 count;
};

struct outcome_violation {
	struct trace trace;
	char trace_name[64]; /* file name in the output folder */
};

struct outcome {
	char *const *argv;
	enum search_end end;
	bool interrupted; /* killed by a second ^C: `end` says nothing */
	bool horizon_hit, yields_cut;
	struct search_options options;
	struct search_stats stats;
	double wall_s, cpu_s;
	u64 peak_rss, page_faults;
	struct fingerprint initial;
	struct outcome_violation *violation; /* confirmed ones */
	size_t violations;
	u32 unconfirmed;
	u32 suppressed; /* data races passed over: --suppressions */
	bool hooks;     /* built with heddle cc: memory accesses are seen */
	bool races_ignored;
	char unconfirmed_why[1200];
	struct outcome_refused refused[WIRE_MAX_REFUSED];
	size_t refuseds;
	long outcome[WIRE_MAX_OUTCOMES];
	size_t outcomes;
	char note[8][256];
	size_t notes;
	bool atomics_on;
	u32 atomics, atomics_unread; /* instructions, and functions left alone: struct wire_atomics */
	/* Settings that matter for the meaning, as the user would write them; NULL-terminated. */
	char **setting;
};

enum verdict outcome_verdict(const struct outcome *o);
const char *verdict_name(enum verdict v);
int verdict_exit_code(enum verdict v);
/* One sentence: why this verdict. */
void outcome_reason(const struct outcome *o, char *out, size_t cap);
/* "memory" or "sync". */
const char *outcome_granularity(const struct outcome *o);
/* What the verdict takes for granted, one sentence. */
const char *outcome_assumption(const struct outcome *o);
/* What was found, for a search that is done again. */
void outcome_forget(struct outcome *o);
void outcome_free(struct outcome *o);

#endif
