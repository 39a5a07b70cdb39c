/* text.h: counterexamples and summaries for people. */
#ifndef HEDDLE_REPORT_TEXT_H
#define HEDDLE_REPORT_TEXT_H

#include <stdio.h>

#include "report/outcome.h"

/* What and where, the last steps of each thread, where each stands and waits. */
void text_violation(FILE *f, const struct trace *t);
/* The whole story in order, each step with its backtrace's first line. */
void text_story(FILE *f, const struct trace *t);
/* One line of it, as heddle replay shows it. */
void text_line(FILE *f, const struct story_line *l);
/* Counts, time, memory, verdict. */
void text_summary(FILE *f, const struct outcome *o);
/* The network's part of it, nothing without peers. */
void text_network(FILE *f, const struct outcome *o);
/* "12 345 678" */
void text_grouped(u64 n, char *out, size_t cap);
/* "3.4 MB" */
void text_bytes_size(u64 n, char *out, size_t cap);
/* "1:02:03", "12.3 s" */
void text_duration(double seconds, char *out, size_t cap);

#endif
