/*
 * A state sets BITS bits of one cache line, so a lookup is one cache miss.
 *
 * How many states are missed? Fingerprints are random, so a new state finds all its bits set with the
 * probability p = (ones / 512)^BITS, where `ones` counts the set bits of its line at that moment: that is
 * known exactly, however unevenly the lines are filled. Nobody sees which ones were missed. But of the new
 * states that come to a line with this p, 1 - p are found to be new; so each of those stands for p / (1 -
 * p) others that were not, and the sum of that over all states found new is the expected number of those
 * missed (test/unit/state/bit_filter_test.c counts them).
 */
#include "state/bit_filter.h"

#include <asm-generic/errno-base.h>

#include "base/pages.h"

#define LINE_WORDS 8u
#define LINE_BITS (LINE_WORDS * 64)
#define BITS 4u

static u64 scatter(u64 x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

static u64 *line_of(const struct bit_filter *f, struct fingerprint fp)
{
	u64 hash = scatter(fp.lo ^ fp.hi * 0x9fb21c651e98df25ull);
	return f->words + (u64)((unsigned __int128)hash * f->lines >> 64) * LINE_WORDS;
}

/* Without __builtin_popcount, which calls libgcc. */
static u64 ones_in(const u64 *line)
{
	u64 ones = 0;
	for (u32 i = 0; i < LINE_WORDS; i++)
		for (u64 left = line[i]; left; left &= left - 1)
			ones++;
	return ones;
}

/* Sets the bits; were they all set? */
static bool set_bits(u64 *line, struct fingerprint fp)
{
	u64 places = scatter(fp.hi + fp.lo * 0xff51afd7ed558ccdull);
	bool all = true;
	for (u32 i = 0; i < BITS; i++, places >>= 9) {
		u64 *word = &line[places >> 6 & (LINE_WORDS - 1)], bit = 1ull << (places & 63);
		if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
			all &= (__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit) != 0;
	}
	return all;
}

int bit_filter_begin(struct bit_filter *f, u64 bytes)
{
	u64 lines = bytes / (LINE_WORDS * sizeof(u64));
	u64 *words = lines ? pages_map(lines * LINE_WORDS * sizeof(u64)) : NULL;
	if (!words)
		return -ENOMEM;
	*f = (struct bit_filter){.words = words, .lines = lines};
	return 0;
}

void bit_filter_lend(struct bit_filter *f, void *memory, u64 bytes)
{
	*f = (struct bit_filter){.words = memory, .lines = bytes / (LINE_WORDS * sizeof(u64)), .lent = true};
}

int bit_filter_insert(struct bit_filter *f, struct fingerprint fp)
{
	u64 *line = line_of(f, fp), ones = ones_in(line);
	if (set_bits(line, fp))
		return 0;
	/* ones < LINE_BITS, for some bit was not set; nothing overflows: ones^BITS < 2^36. */
	ones = HD_MIN(ones, (u64)LINE_BITS - 1); /* others may have set some meanwhile */
	u64 all = (u64)LINE_BITS * LINE_BITS * LINE_BITS * LINE_BITS, known = ones * ones * ones * ones;
	f->missed += known * BIT_FILTER_UNIT / (all - known);
	return 1;
}

void bit_filter_add(struct bit_filter *f, struct fingerprint fp)
{
	set_bits(line_of(f, fp), fp);
}

void bit_filter_reset(struct bit_filter *f)
{
	if (!f->lent)
		pages_unmap(f->words, bit_filter_bytes(f));
	*f = (struct bit_filter){0};
}

u64 bit_filter_bytes(const struct bit_filter *f)
{
	return f->lines * LINE_WORDS * sizeof(u64);
}
