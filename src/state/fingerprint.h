/*
 * fingerprint.h: the hash of one word at one address. A state's fingerprint is the
 * sum (modulo 2^64 in both halves) over all its non-zero words, so it does not
 * depend on the order of summation, zero memory costs nothing, and a changed word
 * needs one subtraction and one addition.
 *
 * The hash is four rounds of AES under fixed keys on the 16 bytes (address, value): see fingerprint.c for why
 * that is enough. Every machine computes the same, with AES instructions or without.
 */
#ifndef HEDDLE_STATE_FINGERPRINT_H
#define HEDDLE_STATE_FINGERPRINT_H

#include "base/hash.h"
#include "wire/search_options.h"

struct fingerprint fingerprint_word(u64 address, u64 value);
void fingerprint_change(struct fingerprint *f, u64 address, u64 was, u64 is);

/*
 * n words of the page at `address` changed: number place[i] % 512 in it is now[place[i] % 512], and was that
 * xor diff[i].
 */
typedef void (*fingerprint_changes_fn)(struct fingerprint *f, u64 address, const u64 *now, const u32 *place,
				       const u64 *diff, u64 n);
/* The fastest one this processor can run. */
fingerprint_changes_fn fingerprint_select(void);
void fingerprint_changes_portable(struct fingerprint *f, u64 address, const u64 *now, const u32 *place,
				  const u64 *diff, u64 n);

#endif
