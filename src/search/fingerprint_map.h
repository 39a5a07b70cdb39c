/*
 * fingerprint_map.h: numbers by fingerprint, with removal: of the states on the path of a search, say.
 * Freestanding; memory comes from base/pages.h.
 */
#ifndef HEDDLE_SEARCH_FINGERPRINT_MAP_H
#define HEDDLE_SEARCH_FINGERPRINT_MAP_H

#include "wire/search_options.h"

/* A map that was zeroed is empty and ready. */
struct fingerprint_map {
	struct fingerprint_slot *slots;
	u64 mask, count;
};

/* Takes memory for the first entries now; optional. False: there is none. */
bool fingerprint_map_begin(struct fingerprint_map *m);
/* value: not 0. False: no memory, and nothing has changed. */
bool fingerprint_map_put(struct fingerprint_map *m, struct fingerprint fp, u32 value);
/* 0: it is not there. */
u32 fingerprint_map_get(const struct fingerprint_map *m, struct fingerprint fp);
void fingerprint_map_remove(struct fingerprint_map *m, struct fingerprint fp);
void fingerprint_map_free(struct fingerprint_map *m);
u64 fingerprint_map_bytes(const struct fingerprint_map *m);

#endif
