/*
 * pages.h: memory for the engine itself: anonymous mappings, never rolled back,
 * never from malloc.
 */
#ifndef HEDDLE_BASE_PAGES_H
#define HEDDLE_BASE_PAGES_H

#include "base/base.h"

/* Where the engine's memory lies. */
#define PAGES_BASE 0x400000000000UL
#define PAGES_END 0x500000000000UL

/* Zeroed, page-aligned; NULL when the kernel has none. Reserved lazily. */
void *pages_map(size_t bytes);
void pages_unmap(void *p, size_t bytes);
/* Like mremap: contents kept, may move; NULL leaves the old mapping alone. */
void *pages_grow(void *p, size_t old_bytes, size_t new_bytes);

/*
 * A growing array on such a mapping.
 *   struct pages_vec v = {0}; T *x = pages_vec_push(&v, sizeof(T));
 */
struct pages_vec {
	char *data;
	size_t len, cap; /* bytes */
};
/* Room for n more bytes at the end; NULL when memory is out. Contents may move. */
void *pages_vec_push(struct pages_vec *v, size_t n);
void pages_vec_free(struct pages_vec *v);

#endif
