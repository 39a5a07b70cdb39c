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
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "fake_sched.h"
#include "runtime/vkernel/vk_ops.h"
#include "wire/wire.h"

extern struct wire_shared *rt_wire;
extern struct wire_worker *rt_worker;
extern struct vk_model *vk;

/*
 * Everything that is rolled back and fingerprinted, but for file data. Most of it was never touched: only
 * pages that are there are kept and compared.
 */
#define MODEL_PAGE 4096u
struct model_copy {
	size_t pages;
	unsigned char *is_there;
	char (*page)[MODEL_PAGE];
};

/* What of the model lies in a page of it: where, and how many bytes. */
static inline char *model_page(size_t i, size_t *n)
{
	uintptr_t start = ((uintptr_t)vk & ~(uintptr_t)(MODEL_PAGE - 1)) + i * MODEL_PAGE;
	uintptr_t from = start < (uintptr_t)vk ? (uintptr_t)vk : start;
	uintptr_t end = (uintptr_t)vk + vk_model_size();
	*n = (end < start + MODEL_PAGE ? end : start + MODEL_PAGE) - from;
	return (char *)from;
}

static inline unsigned char *model_pages(size_t *pages)
{
	size_t before = (uintptr_t)vk % MODEL_PAGE;
	*pages = (before + vk_model_size() + MODEL_PAGE - 1) / MODEL_PAGE;
	unsigned char *is_there = malloc(*pages);
	assert_int_equal(mincore((char *)vk - before, *pages * MODEL_PAGE, is_there), 0);
	return is_there;
}

static inline struct model_copy *model_copy(void)
{
	struct model_copy *copy = malloc(sizeof(*copy));
	size_t count = 0, n;
	copy->is_there = model_pages(&copy->pages);
	for (size_t i = 0; i < copy->pages; i++)
		count += copy->is_there[i] & 1;
	copy->page = calloc(count + 1, MODEL_PAGE);
	for (size_t i = 0, at = 0; i < copy->pages; i++)
		if (copy->is_there[i] & 1) {
			const char *from = model_page(i, &n);
			memcpy(copy->page[at++], from, n);
		}
	return copy;
}

/* The model is what it was: nothing remembers what happened in between. */
static inline void assert_model_is(struct model_copy *copy)
{
	static const char zeros[MODEL_PAGE];
	size_t pages, n;
	unsigned char *now = model_pages(&pages);
	for (size_t i = 0, at = 0; i < pages; i++) {
		bool was_there = copy->is_there[i] & 1, is_there = now[i] & 1;
		const char *is = model_page(i, &n);
		if (was_there || is_there)
			assert_memory_equal(was_there ? copy->page[at++] : zeros, is_there ? is : zeros, n);
	}
	free(now);
	free(copy->is_there);
	free(copy->page);
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
	memset(&rt_wire->config, 0, sizeof(rt_wire->config));
	fake_reset();
	return 0;
}

#define WORLD_TEST(f) cmocka_unit_test_setup(f, fresh_world)

#endif
