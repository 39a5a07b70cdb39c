/*
 * path_set.h: the fingerprints of the states on the path of a depth-first search.
 */
#ifndef HEDDLE_SEARCH_PATH_SET_H
#define HEDDLE_SEARCH_PATH_SET_H

#include "wire/search_options.h"

/* A set that was zeroed is empty and ready. */
struct path_set {
	struct fingerprint *slots; /* zero: free */
	u64 mask, count;
};

/* False: no memory. */
bool path_set_add(struct path_set *p, struct fingerprint fp);
void path_set_remove(struct path_set *p, struct fingerprint fp);
bool path_set_has(const struct path_set *p, struct fingerprint fp);
void path_set_free(struct path_set *p);
u64 path_set_bytes(const struct path_set *p);

#endif
