/* The hash table: against an array that is searched from end to end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/table.h"

struct entry {
	u64 key, value, more;
};

static struct table table = TABLE_OF(struct entry);
static u64 random_state;

static u64 draw(u64 below)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (random_state >> 33) % below;
}

static int fresh(void **state)
{
	table_free(&table);
	random_state = 1;
	return 0;
}

static void an_empty_table_knows_nothing(void **state)
{
	assert_null(table_find(&table, 1));
	assert_null(table_next(&table, NULL));
	assert_int_equal(table_bytes(&table), 0);
	table_free(&table);
}

static void a_new_entry_is_zero(void **state)
{
	struct entry *e = table_add(&table, 42);
	assert_non_null(e);
	assert_true(e->key == 42 && !e->value && !e->more);
	e->value = 7;
	assert_ptr_equal(table_add(&table, 42), e);
	assert_ptr_equal(table_find(&table, 42), e);
	assert_int_equal(table.count, 1);
	assert_null(table_find(&table, 43));
}

/* Neighbours, pages, multiples of 2^32, the largest numbers: what keys look like. */
static u64 key_of(u64 kind, u64 i)
{
	static const u64 step[] = {1, 8, 4096, 1ull << 32, 0x400000000};
	return kind < HD_ARRAY_LEN(step) ? (i + 1) * step[kind] : ~0ull - i;
}

static void keeps_all_entries_while_it_grows(void **state)
{
	enum { N = 50000 };
	for (u64 kind = 0; kind < 6; kind++) {
		table_free(&table);
		for (u64 i = 0; i < N; i++)
			((struct entry *)table_add(&table, key_of(kind, i)))->value = i;
		assert_int_equal(table.count, N);
		for (u64 i = 0; i < N; i++) {
			struct entry *e = table_find(&table, key_of(kind, i));
			assert_non_null(e);
			assert_true(e->value == i && !e->more);
		}
		assert_null(table_find(&table, key_of(kind, N)));
		assert_true(table_bytes(&table) <= N * 4 * sizeof(struct entry) + 65536);
	}
}

static void tells_each_entry_once(void **state)
{
	static u8 met[1000];
	for (u64 i = 0; i < HD_ARRAY_LEN(met); i++)
		table_add(&table, (i + 1) * 64);
	for (struct entry *e = table_next(&table, NULL); e; e = table_next(&table, e))
		met[e->key / 64 - 1]++;
	for (u64 i = 0; i < HD_ARRAY_LEN(met); i++)
		assert_int_equal(met[i], 1);
}

static void random_life(void **state)
{
	static u64 key[700], value[700];
	u64 n = 0;
	for (u32 step = 0; step < 20000; step++) {
		u64 k = draw(1000) + 1, at = 0;
		while (at < n && key[at] != k)
			at++;
		if (at == n && (n == HD_ARRAY_LEN(key) || draw(2))) {
			assert_null(table_find(&table, k));
			continue;
		}
		struct entry *e = table_add(&table, k);
		assert_int_equal(e->value, at < n ? value[at] : 0);
		n += at == n;
		key[at] = k;
		e->value = value[at] = step;
		assert_int_equal(table.count, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_empty_table_knows_nothing, fresh),
		cmocka_unit_test_setup(a_new_entry_is_zero, fresh),
		cmocka_unit_test_setup(keeps_all_entries_while_it_grows, fresh),
		cmocka_unit_test_setup(tells_each_entry_once, fresh),
		cmocka_unit_test_setup(random_life, fresh),
	};
	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
