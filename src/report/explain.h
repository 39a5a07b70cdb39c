/*
 * explain.h: one paragraph that tells a bug from its shape: who holds what and waits for whom, which signal
 * came too early, which lock is missing. It is made of what the execution shows; where the shape is not
 * certain, it says less, and where there is nothing to add to the message, nothing.
 */
#ifndef HEDDLE_REPORT_EXPLAIN_H
#define HEDDLE_REPORT_EXPLAIN_H

#include "report/trace.h"

/* The paragraph, plain text in one line, from malloc; "": there is none. NULL: no memory. */
char *explain(const struct trace *t);

#endif
