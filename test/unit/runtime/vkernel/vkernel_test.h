/*
 * vkernel_test.h: what the tests of the virtual kernel share: cmocka, and a look at the whole model.
 */
#ifndef HEDDLE_TEST_VKERNEL_TEST_H
#define HEDDLE_TEST_VKERNEL_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "fake_sched.h"
#include "runtime/vkernel/vk_ops.h"
#include "wire/wire.h"

extern struct wire_shared *rt_wire;
extern struct wire_worker *rt_worker;
extern struct vk_model *vk;

/* Everything that is rolled back and fingerprinted, but for file data. */
static inline void *model_copy(void)
{
	void *copy = malloc(vk_model_size());
	memcpy(copy, vk, vk_model_size());
	return copy;
}

/* The model is what it was: nothing remembers what happened in between. */
static inline void assert_model_is(void *copy)
{
	assert_memory_equal(copy, vk, vk_model_size());
	free(copy);
}

static inline void assert_blocked(long ret)
{
	(void)ret;
	assert_int_equal(fake_how(), FAKE_BLOCKED);
}

static inline int fresh_world(void **state)
{
	(void)state;
	memset(&rt_wire->config, 0, sizeof rt_wire->config);
	fake_reset();
	return 0;
}

#define WORLD_TEST(f) cmocka_unit_test_setup(f, fresh_world)

#endif
