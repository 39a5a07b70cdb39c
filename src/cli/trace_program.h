/*
 * trace_program.h: the program that a trace was recorded with, for the verbs that run it again.
 */
#ifndef HEDDLE_CLI_TRACE_PROGRAM_H
#define HEDDLE_CLI_TRACE_PROGRAM_H

#include "cli/option_parse.h"
#include "launch/sut.h"
#include "report/trace.h"

/* Opens it, or what the user gave after --, and looks whether it is the same. */
int trace_program(const struct trace *t, const struct verb_words *words, struct program *program,
		  struct problem *p);
/* How to start it as it was then, but for the task. Borrows from all three. */
struct launch trace_launch(const struct trace *t, const struct verb_words *words,
			   const struct program *program);

/* Makes the trace's invariants ready for *l. */
int trace_properties(struct trace *t, struct launch *l, struct problem *p);

/* A verb that was given a trace: loads it and runs the verb's function, which returns the exit code. */
int trace_verb(const char *verb, const struct verb_words *words, int (*run)(struct trace *t, void *call),
	       void *call);

#endif
