/*
 * memory_priv.h: what memory.c and memory_news.c have in common.
 */
#ifndef HEDDLE_RUNTIME_MEMORY_PRIV_H
#define HEDDLE_RUNTIME_MEMORY_PRIV_H

#include "base/base.h"

/* A cell is used by `who` while other threads exist; memory.c, cell_used. */
void memory_cell_used(u64 address, u32 who, bool write, bool bare, u32 locks);
/* What was learnt of levels is put where all workers find it. */
void memory_tell_lessons(void);

#endif
