/*
 * The malloc family. Blocks come from the calling fiber's arena. A wrong free is a violation,
 * not undefined behaviour.
 */
#include <malloc.h>
#include <stdlib.h>

#include "runtime/engine.h"
#include "runtime/heap/heap.h"
#include "runtime/interpose/interpose.h"
#include "runtime/sched/sched.h"
#include "runtime/start/start.h"

static __attribute__((noinline)) void *allocate(size_t size, size_t align)
{
	start_early();
	void *p = heap_alloc(engine_current(), size, align);
	if (hd_unlikely(!p))
		errno = ENOMEM;
	return p;
}

static HD_NORETURN void bad_free(const void *p, enum heap_status why, const char *call, u64 pc)
{
	static const char *const what[] = {
		[HEAP_NOT_A_BLOCK] = " of an address that never came from malloc: ",
		[HEAP_INSIDE_BLOCK] = " of an address inside a block: ",
		[HEAP_ALREADY_FREE] = " of memory that is free already (double free): ",
	};
	char buf[160];
	struct text t;
	text_init(&t, buf, sizeof buf);
	text_str(&t, call);
	text_str(&t, what[why]);
	text_addr(&t, (u64)p);
	sched_violation(VIOLATION_ABORT, pc, (u64)p, buf);
}

static __attribute__((noinline)) int release(void *p, const char *call, u64 pc)
{
	if (!p)
		return 0;
	enum heap_status status = heap_free(p);
	if (hd_unlikely(status != HEAP_OK))
		bad_free(p, status, call, pc);
	return 0;
}

HD_EXPORT void *malloc(size_t size)
{
	return CLEANLY(allocate(size, 1));
}

HD_EXPORT void free(void *p)
{
	CLEANLY(release(p, "free", CALLER));
}

HD_EXPORT void cfree(void *p);
void cfree(void *p)
{
	CLEANLY(release(p, "cfree", CALLER));
}

HD_EXPORT void *calloc(size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return CLEANLY(allocate(bytes, 1));
}

static __attribute__((noinline)) void *reallocate(void *p, size_t size, u64 pc)
{
	if (!p)
		return allocate(size, 1);
	if (!size) {
		release(p, "realloc", pc);
		return NULL;
	}
	enum heap_status status;
	void *q = heap_realloc(engine_current(), p, size, &status);
	if (hd_unlikely(status != HEAP_OK))
		bad_free(p, status, "realloc", pc);
	if (!q)
		errno = ENOMEM;
	return q;
}

HD_EXPORT void *realloc(void *p, size_t size)
{
	return CLEANLY(reallocate(p, size, CALLER));
}

HD_EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return CLEANLY(reallocate(p, bytes, CALLER));
}

static bool power_of_two(size_t n)
{
	return n && !(n & (n - 1));
}

HD_EXPORT void *aligned_alloc(size_t align, size_t size)
{
	if (!power_of_two(align)) {
		errno = EINVAL;
		return NULL;
	}
	return CLEANLY(allocate(size, align));
}

HD_EXPORT void *memalign(size_t align, size_t size)
{
	while (!power_of_two(align))
		align++;
	return CLEANLY(allocate(size, align));
}

HD_EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
	if (!power_of_two(align) || align % sizeof(void *))
		return EINVAL;
	void *p = CLEANLY(allocate(size, align));
	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

HD_EXPORT void *valloc(size_t size)
{
	return CLEANLY(allocate(size, HD_PAGE));
}

HD_EXPORT void *pvalloc(size_t size)
{
	return CLEANLY(allocate(HD_ROUND_UP(size, HD_PAGE), HD_PAGE));
}

HD_EXPORT size_t malloc_usable_size(void *p)
{
	return p ? heap_usable(p) : 0;
}

HD_EXPORT int malloc_trim(size_t pad)
{
	(void)pad;
	return 0;
}

HD_EXPORT int mallopt(int parameter, int value)
{
	(void)parameter;
	(void)value;
	return 1;
}
