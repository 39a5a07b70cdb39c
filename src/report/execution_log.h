/*
 * execution_log.h: what happened in one execution, in words: steps, output, and where every thread stood at
 * the end. Plain data; built from a replay's events, kept in traces, printed by the reports.
 */
#ifndef HEDDLE_REPORT_EXECUTION_LOG_H
#define HEDDLE_REPORT_EXECUTION_LOG_H

#include "report/symbols.h"
#include "wire/regs.h"

struct log_entry {
	u32 kind;   /* enum wire_event_kind: STEP, ASIDE, OUTPUT, FIBER or VIOLATION */
	u32 thread; /* for people: main is 1 */
	u32 op, alt;
	u64 object, object2; /* what it is about, by address; a wait on a condition variable: its mutex */
	u32 waits;           /* FIBER: enum wire_waits */
	u32 waits_thread;    /* WIRE_WAITS_THREAD: for people; 0: it is gone */
	bool patient;        /* it waits for a thread's end or for clients */
	u64 step;            /* number of the step; of the last one for other kinds */
	u64 arg;             /* OUTPUT: 1 stdout, 2 stderr */
	char name[17];       /* of the thread; may be "" */
	char *text;
	char *changed;       /* STEP: variables that it changed, "n: 3 → 4", a line each; NULL: none */
	struct frame *frame; /* innermost first */
	u32 frames;
	struct wire_regs regs; /* FIBER: for gdb; not in traces */
};

/* A very long execution keeps its last lines only. */
#define EXECUTION_LOG_ENTRIES 4000

struct execution_log {
	struct log_entry *line; /* steps and output, in order */
	size_t lines, line_room;
	u64 omitted; /* lines before the first that is kept */
	struct log_entry *fiber;
	size_t fibers, fiber_room;
	struct log_entry violation; /* text NULL: none */
	u32 violation_kind;         /* enum violation_kind */
};

/* The copy owns its text and frames. False: no memory. */
bool execution_log_add(struct execution_log *s, const struct log_entry *line);
void execution_log_free(struct execution_log *s);
/* They have moved on. */
void execution_log_forget_fibers(struct execution_log *s);
/* What the last step changed is known when the next one begins. Takes `text`, from malloc. */
void execution_log_changed(struct execution_log *s, char *text);

/* Whom the violation is about. Of a deadlock: somebody in it, rather than one who waits for those to end. */
const struct log_entry *execution_log_culprit(const struct execution_log *s);

/*
 * A Rust program that ends because it panicked has said where; the stack of that moment is gone. The place
 * becomes the violation's only frame. False: no memory.
 */
bool execution_log_place_panic(struct execution_log *s);

/* "thread 2 (worker), runs reader()": the last name it had, and the function that it began with, if known. */
void execution_log_heading(const struct execution_log *s, u32 thread, char *out, size_t cap);
/* "thread 2 (worker)" */
void log_entry_thread(const struct log_entry *l, char *out, size_t cap);

#endif
