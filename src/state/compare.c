#include "state/compare.h"

#include <immintrin.h>

#include "base/cpu.h"

#define LINE_WORDS (COMPARE_LINE / sizeof(u64))

/* Lines of a set, the lowest first. */
#define FOR_LINES(line, set) \
	for (u32 line##s_left = (set), line; \
	     line##s_left && (line = (u32)__builtin_ctz(line##s_left), true); \
	     line##s_left &= line##s_left - 1)

static const void *line_at(const void *page, u32 line)
{
	return (const u8 *)page + line * COMPARE_LINE;
}

static bool lines_equal_sse2(const __m128i *a, const __m128i *b)
{
	__m128i x = _mm_setzero_si128();
	for (u32 i = 0; i < 8; i++)
		x = _mm_or_si128(x, _mm_xor_si128(_mm_load_si128(a + i), _mm_load_si128(b + i)));
	return _mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128())) == 0xffff;
}

static bool line_is_zero_sse2(const __m128i *a)
{
	__m128i x = _mm_setzero_si128();
	for (u32 i = 0; i < 8; i++)
		x = _mm_or_si128(x, _mm_load_si128(a + i));
	return _mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128())) == 0xffff;
}

static u32 lines_sse2(const void *page, const void *copy, u32 look, u32 zero)
{
	u32 diff = 0;
	FOR_LINES(line, look & ~zero)
	if (hd_unlikely(!lines_equal_sse2(line_at(page, line), line_at(copy, line))))
		diff |= 1u << line;
	FOR_LINES(line, look & zero)
	if (hd_unlikely(!line_is_zero_sse2(line_at(page, line))))
		diff |= 1u << line;
	return diff;
}

/* Most lines are zero already: reading them is cheaper than writing. */
static u32 clear_sse2(void *page, const void *copy, u32 dead, u32 zero)
{
	FOR_LINES(line, dead)
	{
		__m128i *a = (__m128i *)page + line * 8;
		if (hd_unlikely(!line_is_zero_sse2(a)))
			for (u32 i = 0; i < 8; i++)
				_mm_store_si128(a + i, _mm_setzero_si128());
	}
	u32 diff = 0;
	FOR_LINES(line, dead & ~zero)
	diff |= (u32)!line_is_zero_sse2(line_at(copy, line)) << line;
	return diff;
}

static u32 take_sse2(const u64 *page, u64 *copy, u32 lines, u32 place, u32 *places, u64 *diff)
{
	u32 n = 0;
	FOR_LINES(line, lines)
	{
		u32 first = line * LINE_WORDS;
		for (u32 w = first; w < first + LINE_WORDS; w++) {
			if (page[w] == copy[w])
				continue;
			places[n] = place + w;
			diff[n++] = page[w] ^ copy[w];
			copy[w] = page[w];
		}
	}
	return n;
}

const struct compare compare_sse2 = {lines_sse2, clear_sse2, take_sse2};

#define WITH_AVX2 __attribute__((target("avx2")))

WITH_AVX2 static inline bool lines_equal_avx2(const __m256i *a, const __m256i *b)
{
	__m256i x = _mm256_xor_si256(_mm256_load_si256(a), _mm256_load_si256(b));
	__m256i y = _mm256_xor_si256(_mm256_load_si256(a + 1), _mm256_load_si256(b + 1));
	__m256i z = _mm256_xor_si256(_mm256_load_si256(a + 2), _mm256_load_si256(b + 2));
	__m256i w = _mm256_xor_si256(_mm256_load_si256(a + 3), _mm256_load_si256(b + 3));
	__m256i all = _mm256_or_si256(_mm256_or_si256(x, y), _mm256_or_si256(z, w));
	return _mm256_testz_si256(all, all);
}

WITH_AVX2 static inline bool line_is_zero_avx2(const __m256i *a)
{
	__m256i x = _mm256_or_si256(_mm256_load_si256(a), _mm256_load_si256(a + 1));
	__m256i all = _mm256_or_si256(x, _mm256_or_si256(_mm256_load_si256(a + 2), _mm256_load_si256(a + 3)));
	return _mm256_testz_si256(all, all);
}

WITH_AVX2 static u32 lines_avx2(const void *page, const void *copy, u32 look, u32 zero)
{
	u32 diff = 0;
	FOR_LINES(line, look & ~zero)
	if (hd_unlikely(!lines_equal_avx2(line_at(page, line), line_at(copy, line))))
		diff |= 1u << line;
	FOR_LINES(line, look & zero)
	if (hd_unlikely(!line_is_zero_avx2(line_at(page, line))))
		diff |= 1u << line;
	_mm256_zeroupper();
	return diff;
}

WITH_AVX2 static u32 clear_avx2(void *page, const void *copy, u32 dead, u32 zero)
{
	FOR_LINES(line, dead)
	{
		__m256i *a = (__m256i *)page + line * 4;
		if (hd_unlikely(!line_is_zero_avx2(a)))
			for (u32 i = 0; i < 4; i++)
				_mm256_store_si256(a + i, _mm256_setzero_si256());
	}
	u32 diff = 0;
	FOR_LINES(line, dead & ~zero)
	diff |= (u32)!line_is_zero_avx2(line_at(copy, line)) << line;
	_mm256_zeroupper();
	return diff;
}

/* Bit i: word i of the line differs. */
WITH_AVX2 static inline u32 words_avx2(const u64 *a, const u64 *b)
{
	u32 equal = 0;
	for (u32 i = 0; i < 4; i++) {
		__m256i x = _mm256_load_si256((const __m256i *)a + i);
		__m256i y = _mm256_load_si256((const __m256i *)b + i);
		equal |= (u32)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(x, y))) << (i * 4);
	}
	return equal ^ 0xffff;
}

WITH_AVX2 static u32 take_avx2(const u64 *page, u64 *copy, u32 lines, u32 place, u32 *places, u64 *diff)
{
	u32 n = 0;
	FOR_LINES(line, lines)
	{
		u32 first = line * LINE_WORDS;
		for (u32 words = words_avx2(page + first, copy + first); words; words &= words - 1) {
			u32 w = first + (u32)__builtin_ctz(words);
			places[n] = place + w;
			diff[n++] = page[w] ^ copy[w];
			copy[w] = page[w];
		}
	}
	_mm256_zeroupper();
	return n;
}

static const struct compare compare_avx2 = {lines_avx2, clear_avx2, take_avx2};

const struct compare *compare_select(void)
{
	return cpu_has_avx2() ? &compare_avx2 : &compare_sse2;
}
