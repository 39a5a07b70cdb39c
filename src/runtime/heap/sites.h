/*
 * sites.h: where heap blocks were allocated and freed, for messages. Persistent; in a replay, which
 * executes one path only, it is exact.
 */
#ifndef HEDDLE_RUNTIME_SITES_H
#define HEDDLE_RUNTIME_SITES_H

#include "base/text.h"

void sites_setup(void);
void sites_allocated(u64 block, u64 size, u64 pc);
void sites_freed(u64 block, u64 pc);
/* What is known of the memory at `address`, as the end of a sentence. */
void sites_describe(u64 address, struct text *t);
/* The same for an address in a live block; nothing for others. */
void sites_describe_live(u64 address, struct text *t);

/* Where the live block at this address was allocated; 0: unknown, or there is none. */
u64 sites_allocated_at(u64 address);
/* The same for the block that this address was in last, in whichever execution. */
u64 sites_last_allocated_at(u64 address);

#endif
