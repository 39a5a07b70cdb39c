/*
 * fingerprint.h: the hash of one word at one address. A state's fingerprint is the
 * sum (modulo 2^64 in both halves) over all its non-zero words, so it does not
 * depend on the order of summation, zero memory costs nothing, and a changed word
 * needs one subtraction and one addition.
 */
#ifndef HEDDLE_STATE_FINGERPRINT_H
#define HEDDLE_STATE_FINGERPRINT_H

#define XXH_INLINE_ALL
#define XXH_NO_STREAM
#define XXH_NO_STDLIB
#include <xxhash.h>

#include "wire/search_options.h"

static inline struct fingerprint fingerprint_word(u64 address, u64 value)
{
	if (!value)
		return (struct fingerprint){0, 0};
	u64 in[2] = {address, value};
	XXH128_hash_t h = XXH3_128bits(in, sizeof in);
	return (struct fingerprint){h.low64, h.high64};
}

static inline void fingerprint_change(struct fingerprint *f, u64 address, u64 was, u64 is)
{
	struct fingerprint out = fingerprint_word(address, was), in = fingerprint_word(address, is);
	f->lo += in.lo - out.lo;
	f->hi += in.hi - out.hi;
}

#endif
