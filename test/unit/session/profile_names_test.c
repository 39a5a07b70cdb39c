/* Where the states come from, told by several workers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "session/profile_names.h"

static struct wire_profile one(u64 key, u64 values, u32 thread)
{
	struct wire_profile p = {.every = 1, .places = 1, .words = 1, .locks = 1, .fresh = 10, .met = 20};

	p.place[0] = (struct wire_profile_place){
		.key = key, .threads = 1ull << thread, .fresh = 4, .met = 5, .outcomes = 6};
	p.word[0] = (struct wire_profile_word){
		.address = 0x1000, .changes = 100, .values = values, .only_grows = 1};
	p.lock[0] = (struct wire_profile_lock){.object = 0x2000, .uses = 3, .thread = thread};
	return p;
}

static void test_sums(void **state)
{
	struct wire_profile all = {0}, a = one(7, 40, 2), b = one(7, 60, 2), c = one(8, 50, 2);

	(void)state;
	profile_add(&all, &a);
	profile_add(&all, &b);
	profile_add(&all, &c);
	assert_int_equal(all.fresh, 30);
	assert_int_equal(all.places, 2);
	assert_int_equal(all.place[0].fresh, 8);
	assert_int_equal(all.place[0].outcomes, 12);
	assert_int_equal(all.words, 1);
	assert_int_equal(all.word[0].values, 60);
	assert_int_equal(all.word[0].changes, 300);
	assert_true(all.word[0].only_grows);
}

static u32 lonely(const struct wire_profile *a, const struct wire_profile *b)
{
	static struct profile out;
	struct wire_profile all = {0};

	memset(&out, 0, sizeof(out));
	profile_add(&all, a);
	profile_add(&all, b);
	all.places = all.words = 0; /* these need a process to be named */
	all.lock[0].object = 0;
	profile_name(&all, NULL, &out);
	return out.locks;
}

/* "By one thread only" is what all workers have to say. */
static void test_locks(void **state)
{
	struct wire_profile a = one(7, 40, 2), b = one(7, 40, 3), none = one(7, 40, 2);

	(void)state;
	none.locks = 0;
	assert_int_equal(lonely(&a, &b), 0);
	assert_int_equal(lonely(&a, &none), 0);
	assert_int_equal(lonely(&none, &a), 0);
}

static void test_too_many(void **state)
{
	static struct wire_profile all, more;

	(void)state;
	for (u32 i = 0; i < 3; i++) {
		more = (struct wire_profile){.places = 1000, .words = 1000, .locks = 1000};
		for (u32 k = 0; k < WIRE_PROFILE_MAX; k++) {
			more.place[k].key = more.word[k].address = more.lock[k].object =
				1 + i * WIRE_PROFILE_MAX + k;
			memset(more.place[k].what, 'x', sizeof(more.place[k].what));
			memset(more.word[k].what, 'x', sizeof(more.word[k].what));
		}
		profile_add(&all, &more);
	}
	assert_int_equal(all.places, WIRE_PROFILE_MAX);
	assert_int_equal(all.words, WIRE_PROFILE_MAX);
	assert_int_equal(all.locks, WIRE_PROFILE_MAX);
	assert_int_equal(strlen(all.place[0].what), sizeof(all.place[0].what) - 1);
	assert_int_equal(strlen(all.word[0].what), sizeof(all.word[0].what) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_locks),
		cmocka_unit_test(test_too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
