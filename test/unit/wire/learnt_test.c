/* What the workers of a run learn: they agree on it, however their additions fall together. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>

#include "wire/wire.h"

#define WORKERS 4
#define THREADS 200 /* that each of them names */

static struct wire_learnt *learnt;
static pthread_barrier_t together;

static int setup(void **state)
{
	(void)state;
	learnt = calloc(1, sizeof(*learnt));
	learnt->names = 1;
	return learnt ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(learnt);
	return 0;
}

static void a_name_keeps_its_slot(void **state)
{
	(void)state;
	assert_int_equal(learnt_slot(learnt, 0, 0), 1);
	assert_int_equal(learnt_slot(learnt, 0, 1), 2);
	assert_int_equal(learnt_slot(learnt, 1, 0), 3);
	assert_int_equal(learnt_slot(learnt, 0, 1), 2);
	assert_int_equal(learnt->names, 4);
	assert_int_equal(WIRE_NAME_PARENT(learnt->name[3]), 1);
	assert_int_equal(WIRE_NAME_INDEX(learnt->name[3]), 0);
}

static void too_many_threads_get_none(void **state)
{
	(void)state;
	for (u32 i = 1; i < LAYOUT_MAX_FIBERS; i++)
		assert_int_equal(learnt_slot(learnt, 0, i), i);
	assert_int_equal(learnt_slot(learnt, 0, LAYOUT_MAX_FIBERS), 0);
	assert_int_equal(learnt_slot(learnt, 0, 7), 7);
	assert_int_equal(learnt->names, LAYOUT_MAX_FIBERS);
}

static void lessons_are_limited(void **state)
{
	(void)state;
	for (u64 i = 0; i < WIRE_MAX_OBSERVED; i++)
		assert_true(learnt_observe(learnt, 16 * i + 16));
	assert_int_equal(learnt->observed, WIRE_MAX_OBSERVED);
	assert_false(learnt_observe(learnt, 8));
	assert_true(learnt_cells(learnt, 8));
	assert_int_equal(learnt->cells, 1);
}

struct worker_names {
	u32 number;
	u32 slot[THREADS];
};

/* All name the same threads, each in an order of its own. */
static void *name_threads(void *arg)
{
	struct worker_names *w = arg;

	pthread_barrier_wait(&together);
	for (u32 i = 0; i < THREADS; i++) {
		u32 which = (i * 7 + w->number * 50) % THREADS;

		w->slot[which] = learnt_slot(learnt, which % 3, which);
		learnt_observe(learnt, 64 + which);
	}
	return NULL;
}

static void workers_agree(void **state)
{
	static struct worker_names names[WORKERS];
	pthread_t id[WORKERS];

	(void)state;
	pthread_barrier_init(&together, NULL, WORKERS);
	for (u32 i = 0; i < WORKERS; i++) {
		names[i].number = i;
		assert_int_equal(pthread_create(&id[i], NULL, name_threads, &names[i]), 0);
	}
	for (u32 i = 0; i < WORKERS; i++)
		pthread_join(id[i], NULL);
	pthread_barrier_destroy(&together);
	assert_int_equal(learnt->names, THREADS + 1);
	for (u32 i = 0; i < THREADS; i++) {
		u32 slot = names[0].slot[i];

		assert_true(learnt->name[slot] == WIRE_NAME(i % 3, i));
		for (u32 k = 1; k < WORKERS; k++)
			assert_int_equal(names[k].slot[i], slot);
	}
	/* Lessons may be there twice, but none is missing, and there is no gap. */
	for (u32 which = 0; which < THREADS; which++) {
		bool there = false;

		for (u32 i = 0; i < learnt->observed; i++) {
			assert_true(learnt->observed_addr[i] != 0);
			there |= learnt->observed_addr[i] == 64 + which;
		}
		assert_true(there);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_name_keeps_its_slot, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_threads_get_none, setup, teardown),
		cmocka_unit_test_setup_teardown(lessons_are_limited, setup, teardown),
		cmocka_unit_test_setup_teardown(workers_agree, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
