/* Memory for the engine: mappings that grow, and the array on top of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/pages.h"

/* More than any address space holds. */
#define TOO_MUCH ((size_t)1 << 60)

static bool all_bytes_are(const unsigned char *p, unsigned char value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != value)
			return false;
	return true;
}

static void mappings_are_zero_and_aligned(void **state)
{
	(void)state;
	static const size_t sizes[] = {1, HD_PAGE - 1, HD_PAGE, HD_PAGE + 1, 3u << 20};
	for (size_t i = 0; i < HD_ARRAY_LEN(sizes); i++) {
		unsigned char *p = pages_map(sizes[i]);
		assert_non_null(p);
		assert_int_equal((uintptr_t)p & HD_PAGE_MASK, 0);
		assert_true(all_bytes_are(p, 0, HD_ROUND_UP(sizes[i], HD_PAGE)));
		memset(p, 0xab, HD_ROUND_UP(sizes[i], HD_PAGE));
		pages_unmap(p, sizes[i]);
	}
}

static void mappings_do_not_overlap(void **state)
{
	(void)state;
	unsigned char *p[16];
	for (unsigned i = 0; i < 16; i++) {
		p[i] = pages_map((i + 1) * 1000);
		assert_non_null(p[i]);
		memset(p[i], (int)i + 1, (i + 1) * 1000);
	}
	for (unsigned i = 0; i < 16; i++) {
		assert_true(all_bytes_are(p[i], (unsigned char)(i + 1), (i + 1) * 1000));
		pages_unmap(p[i], (i + 1) * 1000);
	}
}

static void growing_keeps_the_contents(void **state)
{
	(void)state;
	size_t size = HD_PAGE;
	unsigned char *p = pages_grow(NULL, 0, size);
	assert_non_null(p);
	memset(p, 1, size);
	for (unsigned round = 2; round <= 8; round++) {
		unsigned char *q = pages_grow(p, size, 2 * size);
		assert_non_null(q);
		assert_int_equal(q[0], 1);
		assert_int_equal(q[size - 1], round - 1);
		assert_true(all_bytes_are(q + size, 0, size));
		memset(q + size, (int)round, size);
		p = q;
		size *= 2;
	}
	pages_unmap(p, size);
}

static void no_memory_is_null(void **state)
{
	(void)state;
	assert_null(pages_map(TOO_MUCH));
	unsigned char *p = pages_map(HD_PAGE);
	assert_non_null(p);
	memset(p, 7, HD_PAGE);
	assert_null(pages_grow(p, HD_PAGE, TOO_MUCH));
	assert_true(all_bytes_are(p, 7, HD_PAGE));
	pages_unmap(p, HD_PAGE);
	p = pages_map(HD_PAGE);
	assert_non_null(p);
	pages_unmap(p, HD_PAGE);
	pages_unmap(NULL, HD_PAGE);
}

static void a_vector_grows(void **state)
{
	(void)state;
	struct pages_vec v = {0};
	for (u64 i = 0; i < 300000; i++) {
		u64 *slot = pages_vec_push(&v, sizeof(*slot));
		assert_non_null(slot);
		*slot = i * i;
	}
	assert_int_equal(v.len, 300000 * sizeof(u64));
	for (u64 i = 0; i < 300000; i++)
		assert_int_equal(((u64 *)v.data)[i], i * i);
	v.len -= sizeof(u64);
	assert_ptr_equal(pages_vec_push(&v, sizeof(u64)), v.data + 299999 * sizeof(u64));
	pages_vec_free(&v);
	assert_null(v.data);
	assert_int_equal(v.len + v.cap, 0);
}

static void a_vector_takes_large_pieces(void **state)
{
	(void)state;
	struct pages_vec v = {0};
	char *p = pages_vec_push(&v, 1000001);
	assert_non_null(p);
	memset(p, 3, 1000001);
	p = pages_vec_push(&v, 5000003);
	assert_non_null(p);
	memset(p, 4, 5000003);
	assert_int_equal(v.data[1000000], 3);
	assert_int_equal(v.data[1000001], 4);
	assert_int_equal(v.len, 6000004);
	pages_vec_free(&v);
}

static void a_vector_survives_no_memory(void **state)
{
	(void)state;
	struct pages_vec v = {0};
	assert_null(pages_vec_push(&v, TOO_MUCH));
	*(u64 *)pages_vec_push(&v, sizeof(u64)) = 42;
	assert_null(pages_vec_push(&v, TOO_MUCH));
	assert_int_equal(v.len, sizeof(u64));
	assert_int_equal(*(u64 *)v.data, 42);
	pages_vec_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_are_zero_and_aligned),
		cmocka_unit_test(mappings_do_not_overlap),
		cmocka_unit_test(growing_keeps_the_contents),
		cmocka_unit_test(no_memory_is_null),
		cmocka_unit_test(a_vector_grows),
		cmocka_unit_test(a_vector_takes_large_pieces),
		cmocka_unit_test(a_vector_survives_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
