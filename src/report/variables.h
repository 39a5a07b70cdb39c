/*
 * variables.h: the program's variables, seen from outside while it stands still at an event of a replay:
 * names for addresses on stacks and on the heap (p.c.m, t->from->m), and what a step changed (n: 3 → 4). From
 * DWARF: globals and statics, locals of the frames on all stacks, and what pointers lead to from there, up to
 * some depth and number.
 *
 * One session per replay. Nothing here can fail: without debug information there are no names and no changes.
 */
#ifndef HEDDLE_REPORT_VARIABLES_H
#define HEDDLE_REPORT_VARIABLES_H

#include "report/symbols.h"

struct variables;

/* NULL: no memory. `s` must live longer. */
struct variables *variables_open(struct symbols *s);
void variables_close(struct variables *v);
/* Thread number `thread` (main is 1) stands here now; one that ran since was elsewhere before. */
void variables_stand(struct variables *v, u32 thread, const struct wire_regs *regs);
/* It has ended: its stack is no place to look for names. */
void variables_ended(struct variables *v, u32 thread);
/* Looks at all variables; what has changed since the last look, a line each, from malloc; NULL: nothing. */
char *variables_look(struct variables *v);
/* The same look, for names only: what has changed stays to be told. */
void variables_glance(struct variables *v);
/*
 * What is at the address, as the program calls it, by the last look; `thread` speaks (0: nobody): a local of
 * another thread is told with its thread. block, bytes: the heap block around it; 0: not known. False: not
 * found.
 */
bool variables_name(struct variables *v, u32 thread, u64 address, u64 block, u64 bytes, char *out,
		    size_t cap);

#endif
