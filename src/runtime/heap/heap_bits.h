/*
 * heap_bits.h: the heap's inner loops: sets of 256 bits (the granules of a page) and
 * rows of 64 bytes (the codes of a chunk or group). Pure functions on small memory.
 *
 * SSE2 is part of x86-64, so the rows need no fallback.
 */
#ifndef HEDDLE_RUNTIME_HEAP_BITS_H
#define HEDDLE_RUNTIME_HEAP_BITS_H

#include <emmintrin.h>

#include "base/base.h"

#define BITS_NONE 256u

/* The lowest bit not below `from` that is in the set, or with flip = ~0 not in it; else BITS_NONE. */
static inline u32 bits_scan(const u64 set[4], u32 from, u64 flip)
{
	if (from >= BITS_NONE)
		return BITS_NONE;
	u32 i = from / 64;
	u64 word = (set[i] ^ flip) & ~0UL << from % 64;
	while (!word) {
		if (++i == 4)
			return BITS_NONE;
		word = set[i] ^ flip;
	}
	return i * 64 + (u32)__builtin_ctzl(word);
}

static inline u32 bits_next(const u64 set[4], u32 from)
{
	return bits_scan(set, from, 0);
}

static inline u32 bits_next_gap(const u64 set[4], u32 from)
{
	return bits_scan(set, from, ~0UL);
}

/* The highest member not above `from`; BITS_NONE when there is none. */
static inline u32 bits_prev(const u64 set[4], u32 from)
{
	u32 i = from / 64;
	u64 word = set[i] & ~0UL >> (63 - from % 64);
	while (!word) {
		if (i-- == 0)
			return BITS_NONE;
		word = set[i];
	}
	return i * 64 + 63 - (u32)__builtin_clzl(word);
}

static inline bool bits_has(const u64 set[4], u32 bit)
{
	return set[bit / 64] >> bit % 64 & 1;
}

static inline bool bits_empty(const u64 set[4])
{
	return !(set[0] | set[1] | set[2] | set[3]);
}

static inline void bits_flip(u64 set[4], u32 from, u32 n)
{
	while (n) {
		u32 here = HD_MIN(n, 64 - from % 64);
		set[from / 64] ^= (~0UL >> (64 - here)) << from % 64;
		from += here;
		n -= here;
	}
}

/* Where the gap starts that a bit not in the set belongs to. */
static inline u32 bits_gap_start(const u64 set[4], u32 bit)
{
	u32 below = bits_prev(set, bit);
	return below == BITS_NONE ? 0 : below + 1;
}

/* How many bits are not in a set that is not empty. */
static inline u32 bits_count_gaps(const u64 set[4])
{
	u64 sum = 0;
	for (u32 i = 0; i < 4; i++) {
		u64 x = ~set[i];
		x -= x >> 1 & 0x5555555555555555;
		x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
		sum += (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	}
	return (u32)(sum * 0x0101010101010101 >> 56);
}

/* to = a & (b moved down by n). `to` may be either. */
static inline void bits_and_moved(u64 to[4], const u64 a[4], const u64 b[4], u32 n)
{
	u32 words = n / 64, rest = n % 64;
	for (u32 i = 0; i < 4; i++) {
		u64 low = i + words < 4 ? b[i + words] >> rest : 0;
		u64 high = rest && i + words + 1 < 4 ? b[i + words + 1] << (64 - rest) : 0;
		to[i] = a[i] & (low | high);
	}
}

/* The lowest multiple of `align` (a power of two) that starts n bits not in the set. */
static inline u32 bits_find_gap(const u64 set[4], u32 n, u32 align)
{
	for (u32 at = bits_next_gap(set, 0); at < BITS_NONE; at = bits_next_gap(set, at)) {
		u32 end = bits_next(set, at);
		u32 first = (at + align - 1) & ~(align - 1);
		if (first + n <= end)
			return first;
		at = end;
	}
	return BITS_NONE;
}

/*
 * The longest gap in a set that is not empty; some gap is known to be at least `known` long.
 * Most often that is more than half of all there is. Else the number of steps depends on the
 * length only, not on how many gaps there are: level[i] is where gaps of at least 2^i
 * start; the length is then put together from the highest power down.
 */
static inline u32 bits_longest_gap(const u64 set[4], u32 known)
{
	u64 level[8][4], at[4];
	u32 top = 0;
	if (bits_count_gaps(set) <= 2 * known)
		return known;
	HD_WIDE_FRAME();
	for (u32 i = 0; i < 4; i++)
		level[0][i] = ~set[i];
	if (bits_empty(level[0]))
		return 0;
	for (; top < 7; top++) {
		bits_and_moved(level[top + 1], level[top], level[top], 1u << top);
		if (bits_empty(level[top + 1]))
			break;
	}
	u32 length = 1u << top;
	const u64 *starts = level[top];
	while (top-- > 0) {
		bits_and_moved(at, starts, level[top], length);
		if (bits_empty(at))
			continue;
		__builtin_memcpy(level[7], at, sizeof(at));
		starts = level[7];
		length += 1u << top;
	}
	return length;
}

/* Where n ones in a row start, lowest first; 64 when nowhere. */
static inline u32 word_find_ones(u64 word, u32 n)
{
	for (u32 have = 1; have < n;) {
		u32 more = HD_MIN(have, n - have);
		word &= word >> more;
		have += more;
	}
	return word ? (u32)__builtin_ctzl(word) : 64;
}

/* The longest row of ones in a word that is not all ones. */
static inline u32 word_longest_ones(u64 word)
{
	u32 length = 0;
	while (word) {
		word >>= __builtin_ctzl(word);
		u32 ones = (u32)__builtin_ctzl(~word);
		length = HD_MAX(length, ones);
		word >>= ones;
	}
	return length;
}

/* Which of 64 bytes are at most `limit`. */
static inline u64 row_at_most(const u8 row[64], u8 limit)
{
	__m128i bound = _mm_set1_epi8((char)limit);
	u64 mask = 0;
	for (u32 i = 0; i < 4; i++) {
		__m128i x = _mm_loadu_si128((const __m128i *)(row + 16 * i));
		__m128i low = _mm_cmpeq_epi8(_mm_min_epu8(x, bound), x);
		mask |= (u64)(u32)_mm_movemask_epi8(low) << 16 * i;
	}
	return mask;
}

/* The least of 64 bytes, each first or-ed with its byte in `ignore`. */
static inline u8 row_min(const u8 row[64], const u8 ignore[64])
{
	__m128i least = _mm_set1_epi8(-1);
	for (u32 i = 0; i < 64; i += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(row + i));
		x = _mm_or_si128(x, _mm_loadu_si128((const __m128i *)(ignore + i)));
		least = _mm_min_epu8(least, x);
	}
	least = _mm_min_epu8(least, _mm_srli_si128(least, 8));
	least = _mm_min_epu8(least, _mm_srli_si128(least, 4));
	least = _mm_min_epu8(least, _mm_srli_si128(least, 2));
	least = _mm_min_epu8(least, _mm_srli_si128(least, 1));
	return (u8)_mm_cvtsi128_si32(least);
}

#endif
