/* plain_text.h: counterexamples and summaries for people. */
#ifndef HEDDLE_REPORT_PLAIN_TEXT_H
#define HEDDLE_REPORT_PLAIN_TEXT_H

#include <stdio.h>

#include "report/outcome.h"

/* What and where, the last steps of each thread, where each stands and waits. */
/* Of the terminal that it is for, 3 at least; 0: none. Paragraphs are filled to that, and to 100 at most. */
void plain_set_width(size_t columns);
void plain_violation(FILE *f, const struct trace *t);
/* All steps in order, each step with its backtrace's first line. */
void plain_steps(FILE *f, const struct trace *t);
/* One line of it, as heddle replay shows it. */
/* What a step changed: struct log_entry, `changed`; NULL: nothing. */
void plain_changes(FILE *f, const char *text);
void plain_entry(FILE *f, const struct log_entry *l);
/* Counts, time, memory, verdict. */
void plain_summary(FILE *f, const struct outcome *o);
/* The network's part of it, nothing without peers. */
void plain_network(FILE *f, const struct outcome *o);
/* "12 345 678" */
void plain_number(u64 n, char *out, size_t cap);
/* "3.4 MB" */
void plain_size(u64 n, char *out, size_t cap);
/* "1:02:03", "12.3 s" */
void plain_duration(double seconds, char *out, size_t cap);

#endif
