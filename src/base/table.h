/*
 * table.h: a hash table that grows. Freestanding; its memory comes from base/pages.h and is never rolled
 * back.
 *
 *   struct site {
 *           u64 key; // the first member of every entry; never 0
 *           u64 allocated, freed;
 *   };
 *   static struct table sites = TABLE_OF(struct site);
 *   struct site *s = table_add(&sites, address);
 *
 * Entries move when the table grows: a pointer to one is good until the next table_add.
 */
#ifndef HEDDLE_BASE_TABLE_H
#define HEDDLE_BASE_TABLE_H

#include "base/base.h"

struct table {
	char *entries;
	u64 room; /* a power of two, or 0 before the first entry */
	u64 count;
	u32 entry_size;
};
#define TABLE_OF(type) \
	{ \
		.entry_size = sizeof(type) \
	}

/* The entry with this key, or NULL. */
void *table_find(const struct table *t, u64 key);
/*
 * The same; a new one is zero but for its key. NULL: it is not there, and no memory for it; nothing has
 * changed.
 */
void *table_add(struct table *t, u64 key);
/* All entries, in no particular order: start with NULL; NULL after the last one. */
void *table_next(const struct table *t, const void *after);
/* Forget all entries and give the memory back. */
void table_free(struct table *t);
u64 table_bytes(const struct table *t);

#endif
