/*
 * The hash behind fingerprints.
 *
 * h(address, value) = four rounds of AES, keys K1 … K4, of (address, value) xor K0; 0 for value 0.
 *
 * Collisions. Two states differ in n words.
 *   n = 1   h is a permutation of 128-bit blocks, so the two sums differ for certain (but for a non-zero
 *           value whose hash is 0: one block of 2^128).
 *   n > 1   the differences of n pairs of hashes must add up to 0 in both halves. Were h a random function,
 *           that would have probability 2^-128 for each pair of states. Four rounds of AES map any given
 *           xor of two inputs to any given xor of outputs with probability at most 2^-113, on average over
 *           the keys: that is proven, and for sums a yardstick. Who writes programs has no reason to work
 *           against our keys.
 * A search of 10^12 states has 2^79 pairs: 2^-49 for a collision, and 2^-34 by the yardstick.
 *
 * The keys are the first digits of pi, so nothing is hidden in them.
 */
#include "state/fingerprint.h"

#include <immintrin.h>

#include "base/cpu.h"

#define ROUNDS 4

static const u64 keys[ROUNDS + 1][2] = {
	{0x243f6a8885a308d3, 0x13198a2e03707344}, {0xa4093822299f31d0, 0x082efa98ec4e6c89},
	{0x452821e638d01377, 0xbe5466cf34e90c6c}, {0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917},
	{0x9216d5d98979fb1b, 0xd1310ba698dfb5ac},
};

/* --- without AES instructions --- */

static u8 times_2(u8 x)
{
	return (u8)(x << 1 ^ (x >> 7) * 0x1b);
}

static u8 times(u8 x, u8 y)
{
	u8 product = 0;
	for (; y; y >>= 1, x = times_2(x))
		product ^= y & 1 ? x : 0;
	return product;
}

static u8 rotate(u8 x, u32 by)
{
	return (u8)(x << by | x >> (8 - by));
}

static u8 substitute[256];

static void make_substitute(void)
{
	for (u32 x = 0; x < 256; x++) {
		u8 inverse = 0;
		for (u32 y = 1; x && y < 256 && !inverse; y++)
			inverse = times((u8)x, (u8)y) == 1 ? (u8)y : 0;
		substitute[x] = inverse ^ rotate(inverse, 1) ^ rotate(inverse, 2) ^ rotate(inverse, 3) ^
				rotate(inverse, 4) ^ 0x63;
	}
}

union block {
	u64 word[2];
	u8 byte[16];
};

/* What the instruction aesenc does. */
static union block aes_round(union block in, const u64 *key)
{
	union block out;
	for (u32 column = 0; column < 4; column++) {
		u8 a[4];
		for (u32 row = 0; row < 4; row++)
			a[row] = substitute[in.byte[(column + row) % 4 * 4 + row]];
		for (u32 row = 0; row < 4; row++) {
			u8 next = a[(row + 1) % 4];
			out.byte[column * 4 + row] = times_2(a[row]) ^ times_2(next) ^ next ^
						     a[(row + 2) % 4] ^ a[(row + 3) % 4];
		}
	}
	out.word[0] ^= key[0];
	out.word[1] ^= key[1];
	return out;
}

static struct fingerprint portable_word(u64 address, u64 value)
{
	if (!value)
		return (struct fingerprint){0, 0};
	if (!substitute[0])
		make_substitute();
	union block b = {.word = {address ^ keys[0][0], value ^ keys[0][1]}};
	for (u32 i = 1; i <= ROUNDS; i++)
		b = aes_round(b, keys[i]);
	return (struct fingerprint){b.word[0], b.word[1]};
}

void fingerprint_changes_portable(struct fingerprint *f, u64 address, const u64 *now, const u32 *place,
				  const u64 *diff, u64 n)
{
	for (u64 i = 0; i < n; i++) {
		u32 word = place[i] % 512;
		struct fingerprint in = portable_word(address + word * 8, now[word]);
		struct fingerprint out = portable_word(address + word * 8, now[word] ^ diff[i]);
		f->lo += in.lo - out.lo;
		f->hi += in.hi - out.hi;
	}
}

/* --- with them --- */

#define WITH_AES __attribute__((target("aes")))

WITH_AES static inline __m128i key_of(u32 i)
{
	return _mm_loadu_si128((const __m128i *)keys[i]);
}

/* 0 if there is no value. */
WITH_AES static inline __m128i block_hash(u64 address, u64 value)
{
	__m128i b = _mm_xor_si128(_mm_set_epi64x((long long)value, (long long)address), key_of(0));
	for (u32 i = 1; i <= ROUNDS; i++)
		b = _mm_aesenc_si128(b, key_of(i));
	return _mm_and_si128(b, _mm_set1_epi64x(-(long long)(value != 0)));
}

/* The hashes of two words do not wait for each other, so the processor works on several at a time. */
WITH_AES static void changes_aes(struct fingerprint *f, u64 address, const u64 *now, const u32 *place,
				 const u64 *diff, u64 n)
{
	__m128i sum = _mm_loadu_si128((const __m128i *)f);
	for (u64 i = 0; i < n; i++) {
		u32 word = place[i] % 512;
		u64 at = address + word * 8;
		sum = _mm_add_epi64(sum, block_hash(at, now[word]));
		sum = _mm_sub_epi64(sum, block_hash(at, now[word] ^ diff[i]));
	}
	_mm_storeu_si128((__m128i *)f, sum);
}

/* --- either --- */

fingerprint_changes_fn fingerprint_select(void)
{
	return cpu_has_aes() ? changes_aes : fingerprint_changes_portable;
}

void fingerprint_change(struct fingerprint *f, u64 address, u64 was, u64 is)
{
	static fingerprint_changes_fn changes;
	if (!changes)
		changes = fingerprint_select();
	u32 place = 0;
	u64 diff = was ^ is;
	changes(f, address, &is, &place, &diff, 1);
}

struct fingerprint fingerprint_word(u64 address, u64 value)
{
	struct fingerprint f = {0, 0};
	fingerprint_change(&f, address, 0, value);
	return f;
}
