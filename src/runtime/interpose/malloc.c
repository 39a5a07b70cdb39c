/*
 * The malloc family. Blocks come from the calling fiber's arena. A wrong free is a violation,
 * not undefined behaviour.
 */
#include <malloc.h>
#include <stdlib.h>

#include "runtime/rt.h"
#include "runtime/engine/engine_audit.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/sites.h"
#include "runtime/interpose/interpose.h"
#include "runtime/memory/memory.h"
#include "runtime/sched/access.h"
#include "runtime/sched/freed.h"
#include "runtime/sched/recycle.h"
#include "runtime/sched/sched.h"
#include "runtime/start/start.h"

/* libc has locks of its own that it may hold now: nothing there may be a step. */
static HD_NOINLINE void *allocate_freed(size_t size, size_t align, u64 pc)
{
	return engine_library_code(pc) ? NULL : recycle_take(size, align);
}

static __attribute__((noinline)) void *allocate(size_t size, size_t align, u64 pc)
{
	start_early();
	void *p = hd_unlikely(rt_lessons.recycles) ? allocate_freed(size, align, pc) : NULL;
	if (hd_likely(!p)) {
		access_heap_take();
		p = heap_alloc(sched_self_slot(), size, align);
	}
	if (hd_unlikely(!p))
		errno = ENOMEM;
	else
		sites_allocated((u64)p, size, pc);
	return p;
}

static HD_NORETURN void bad_free(const void *p, enum heap_status why, const char *call, u64 pc)
{
	static const char *const what[] = {
		[HEAP_NOT_A_BLOCK] = " of an address that never came from malloc: ",
		[HEAP_INSIDE_BLOCK] = " of an address inside a block: ",
		[HEAP_ALREADY_FREE] = " of memory that is free already (double free): ",
	};
	char buf[320];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	text_str(&t, call);
	text_str(&t, what[why]);
	text_addr(&t, (u64)p);
	if (why == HEAP_ALREADY_FREE)
		sites_describe((u64)p, &t);
	sched_violation(VIOLATION_ABORT, pc, (u64)p, buf);
}

/* This block is about to be given back, which counts as a write to all of it. */
static void giving_back(const void *p, u64 pc)
{
	u64 size = heap_usable(p);
	if (!size)
		return; /* a wrong address: soon a violation */
	memory_access((u64)p, size, MEMORY_WRITE | MEMORY_FREED, pc);
	freed_block((u64)p, size);
	sites_freed((u64)p, pc);
}

static __attribute__((noinline)) int release(void *p, const char *call, u64 pc)
{
	if (!p)
		return 0;
	giving_back(p, pc);
	enum heap_status status;
	if (hd_unlikely(recycle_keeps())) {
		status = access_heap_done(recycle_put(p));
	} else {
		access_heap_give(p);
		status = access_heap_done(heap_free(sched_self_slot(), p));
	}
	if (hd_unlikely(status != HEAP_OK))
		bad_free(p, status, call, pc);
	return 0;
}

DOOR(void *, malloc)(size_t size)
{
	return allocate(size, 1, DOOR_CALLER);
}

DOOR(void, free)(void *p)
{
	release(p, "free", DOOR_CALLER);
}

DOOR(void, cfree)(void *p)
{
	release(p, "cfree", DOOR_CALLER);
}

DOOR(void *, calloc)(size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return allocate(bytes, 1, DOOR_CALLER);
}

static __attribute__((noinline)) void *reallocate(void *p, size_t size, u64 pc)
{
	if (!p)
		return allocate(size, 1, pc);
	if (!size) {
		release(p, "realloc", pc);
		return NULL;
	}
	giving_back(p, pc);
	enum heap_status status;
	access_heap_take();
	access_heap_resize(p);
	void *q = heap_realloc(sched_self_slot(), p, size, &status);
	status = access_heap_done(status);
	if (hd_unlikely(status != HEAP_OK))
		bad_free(p, status, "realloc", pc);
	if (!q)
		errno = ENOMEM;
	if (q)
		sites_allocated((u64)q, size, pc);
	if (q == p)
		memory_kept((u64)q, heap_usable(q));
	return q;
}

DOOR(void *, realloc)(void *p, size_t size)
{
	return reallocate(p, size, DOOR_CALLER);
}

DOOR(void *, reallocarray)(void *p, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return reallocate(p, bytes, DOOR_CALLER);
}

static bool power_of_two(size_t n)
{
	return n && !(n & (n - 1));
}

DOOR(void *, aligned_alloc)(size_t align, size_t size)
{
	if (!power_of_two(align)) {
		errno = EINVAL;
		return NULL;
	}
	return allocate(size, align, DOOR_CALLER);
}

DOOR(void *, memalign)(size_t align, size_t size)
{
	while (!power_of_two(align))
		align++;
	return allocate(size, align, DOOR_CALLER);
}

DOOR(int, posix_memalign)(void **out, size_t align, size_t size)
{
	if (!power_of_two(align) || align % sizeof(void *))
		return EINVAL;
	void *p = allocate(size, align, DOOR_CALLER);
	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

DOOR(void *, valloc)(size_t size)
{
	return allocate(size, HD_PAGE, DOOR_CALLER);
}

DOOR(void *, pvalloc)(size_t size)
{
	return allocate(HD_ROUND_UP(size, HD_PAGE), HD_PAGE, DOOR_CALLER);
}

DOOR(size_t, malloc_usable_size)(void *p)
{
	return p ? heap_usable(p) : 0;
}

DOOR(int, malloc_trim)(size_t pad)
{
	(void)pad;
	return 0;
}

DOOR(int, mallopt)(int parameter, int value)
{
	(void)parameter;
	(void)value;
	return 1;
}
