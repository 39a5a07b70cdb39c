/*
 * hash.h: a 64-bit hash of bytes (XXH3), for keys of tables and the like. Fingerprints of states
 * have one of their own: state/fingerprint.h.
 */
#ifndef HEDDLE_BASE_HASH_H
#define HEDDLE_BASE_HASH_H

#define XXH_INLINE_ALL
#define XXH_NO_STREAM
#define XXH_NO_STDLIB
#include <xxhash.h>

#include "base/base.h"

static inline u64 hash_bytes(const void *data, size_t n)
{
	return XXH3_64bits(data, n);
}

#endif
