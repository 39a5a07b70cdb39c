/*
 * memory_news.h: with several workers, what each learns of memory from all executions together, rather than
 * from the state it is in, is told to the others (search/target.h: target_team): who uses a cell and under
 * which locks, who has it in windows, and where memory orders are followed. Neighbouring cells are one
 * message. The levels of cells are lessons, which all share anyway (wire/learnt.h).
 */
#ifndef HEDDLE_RUNTIME_MEMORY_NEWS_H
#define HEDDLE_RUNTIME_MEMORY_NEWS_H

#include "base/base.h"

enum tell_sort {
	TELL_USED,    /* a quiet cell is used: who (slot + 1, or a handler), how, lockset */
	TELL_NOTED,   /* a cell is in a window of `who` (a slot) */
	TELL_ORDERED, /* an access is followed by order.c: how */
};
enum tell_how { TELL_WRITE = 1, TELL_BARE = 2, TELL_WHOLE = 4 };

/* A cell. Nothing happens while there are no others. locks: LOCKSET_NONE, or a lockset. */
void tell_cell(enum tell_sort sort, u64 address, u32 who, u32 how, u32 locks);
/* What was told so far is said. At the end of each step. */
void tell_all(void);

#endif
