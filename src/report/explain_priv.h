/* explain_priv.h: what the shapes (explain_*.c) share. */
#ifndef HEDDLE_REPORT_EXPLAIN_PRIV_H
#define HEDDLE_REPORT_EXPLAIN_PRIV_H

#include <stdio.h>

#include "report/explain.h"
#include "wire/action.h"
#include "wire/op_kinds.h"

/* A lock that somebody holds at some moment of the execution. */
struct held_lock {
	u64 object;
	u32 thread;
	const struct log_entry *since;
};
#define HELD_LOCKS 128

struct explain {
	const struct trace *t;
	const struct execution_log *log;
	FILE *out;
	struct held_lock held[HELD_LOCKS]; /* at the end */
	size_t helds;
};

/* "thread 2 (alice)", with the last name it had. A few texts live at a time. */
const char *explain_who(const struct explain *e, u32 thread);
/* "thread 2 (alice)" at the beginning of a sentence. */
const char *explain_Who(const struct explain *e, u32 thread);
/* " at w.c:9", or "" when the place is not known. */
const char *explain_at(const struct log_entry *l);
/* " (step #4, w.c:9)" */
const char *explain_step(const struct log_entry *l);
/* What a text says about the object behind `word`: "m" of "waits for mutex m, held by thread 2". */
const char *explain_object(const struct log_entry *l, const char *word);
/* The live thread's entry at the end; NULL: it has ended. */
const struct log_entry *explain_fiber(const struct explain *e, u32 thread);
/* Who takes and gives back locks up to line `end` of the log. */
size_t explain_held(const struct execution_log *log, size_t end, struct held_lock *held);
const struct held_lock *explain_holder(const struct held_lock *held, size_t n, u64 object);
bool explain_is_lock(u32 op);

/* The shapes; each writes what it is sure of. */
void explain_deadlock(struct explain *e);
void explain_race(struct explain *e);
void explain_failure(struct explain *e);
void explain_peers(struct explain *e);
void explain_livelock(struct explain *e);
void explain_lock_misuse(struct explain *e);

#endif
