#include "state/compare.h"

#include <cpuid.h>
#include <immintrin.h>

u32 compare_sse2(const void *page, const void *copy, u32 from, u32 to)
{
	const __m128i *a = (const __m128i *)page + from * 8, *b = (const __m128i *)copy + from * 8;
	u32 diff = 0;
	for (u32 line = from; line < to; line++, a += 8, b += 8) {
		__m128i x = _mm_setzero_si128();
		for (u32 i = 0; i < 8; i++)
			x = _mm_or_si128(x, _mm_xor_si128(_mm_load_si128(a + i), _mm_load_si128(b + i)));
		if (_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128())) != 0xffff)
			diff |= 1u << line;
	}
	return diff;
}

__attribute__((target("avx2"))) static inline __m256i line_avx2(const __m256i *a, const __m256i *b)
{
	__m256i x = _mm256_xor_si256(_mm256_load_si256(a), _mm256_load_si256(b));
	__m256i y = _mm256_xor_si256(_mm256_load_si256(a + 1), _mm256_load_si256(b + 1));
	__m256i z = _mm256_xor_si256(_mm256_load_si256(a + 2), _mm256_load_si256(b + 2));
	__m256i w = _mm256_xor_si256(_mm256_load_si256(a + 3), _mm256_load_si256(b + 3));
	return _mm256_or_si256(_mm256_or_si256(x, y), _mm256_or_si256(z, w));
}

/* Two lines at a time: most pages are equal almost everywhere, so the branch is on the pair. */
__attribute__((target("avx2"))) static u32 compare_avx2(const void *page, const void *copy, u32 from, u32 to)
{
	from &= ~1u;
	const __m256i *a = (const __m256i *)page + from * 4, *b = (const __m256i *)copy + from * 4;
	u32 diff = 0;
	for (u32 line = from; line < to; line += 2, a += 8, b += 8) {
		__m256i x = line_avx2(a, b), y = line_avx2(a + 4, b + 4);
		__m256i both = _mm256_or_si256(x, y);
		if (__builtin_expect(_mm256_testz_si256(both, both), 1))
			continue;
		diff |= (u32)!_mm256_testz_si256(x, x) << line;
		diff |= (u32)!_mm256_testz_si256(y, y) << (line + 1);
	}
	_mm256_zeroupper();
	return diff;
}

static bool have_avx2(void)
{
	u32 a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return false;
	u32 lo, hi;
	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	return (lo & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}

compare_fn compare_select(void)
{
	return have_avx2() ? compare_avx2 : compare_sse2;
}
