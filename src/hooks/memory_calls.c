/*
 * memory_calls.c: copying, filling and comparing bytes. What is read is told, then what is written, then the
 * function does all of it: within a range threads do not interleave, so a race on one is found, but torn
 * copies are not explored.
 */
#include "hooks/hooks.h"

#define TELL_RANGE(address, size, how) \
	do { \
		if (size) \
			TELL(address, size, how); \
	} while (0)

/* Functions of (to, from, n); the checked ones also get the room at `to`. */
#define COPY(name) \
	void *__real_##name(void *to, const void *from, usize n); \
	HOOK_WEAK void *__wrap_##name(void *to, const void *from, usize n); \
	HOOK_WEAK void *__wrap_##name(void *to, const void *from, usize n) \
	{ \
		TELL_RANGE(from, n, HOW_READ); \
		TELL_RANGE(to, n, HOW_WRITE); \
		return __real_##name(to, from, n); \
	} \
	void *__real___##name##_chk(void *to, const void *from, usize n, usize room); \
	HOOK_WEAK void *__wrap___##name##_chk(void *to, const void *from, usize n, usize room); \
	HOOK_WEAK void *__wrap___##name##_chk(void *to, const void *from, usize n, usize room) \
	{ \
		if (n <= room) { \
			TELL_RANGE(from, n, HOW_READ); \
			TELL_RANGE(to, n, HOW_WRITE); \
		} \
		return __real___##name##_chk(to, from, n, room); \
	}

COPY(memcpy)
COPY(memmove)
COPY(mempcpy)

void *__real_memset(void *to, int c, usize n);
HOOK_WEAK void *__wrap_memset(void *to, int c, usize n);
HOOK_WEAK void *__wrap_memset(void *to, int c, usize n)
{
	TELL_RANGE(to, n, HOW_WRITE);
	return __real_memset(to, c, n);
}

void *__real___memset_chk(void *to, int c, usize n, usize room);
HOOK_WEAK void *__wrap___memset_chk(void *to, int c, usize n, usize room);
HOOK_WEAK void *__wrap___memset_chk(void *to, int c, usize n, usize room)
{
	if (n <= room)
		TELL_RANGE(to, n, HOW_WRITE);
	return __real___memset_chk(to, c, n, room);
}

void __real_bcopy(const void *from, void *to, usize n);
HOOK_WEAK void __wrap_bcopy(const void *from, void *to, usize n);
HOOK_WEAK void __wrap_bcopy(const void *from, void *to, usize n)
{
	TELL_RANGE(from, n, HOW_READ);
	TELL_RANGE(to, n, HOW_WRITE);
	__real_bcopy(from, to, n);
}

void __real_bzero(void *to, usize n);
HOOK_WEAK void __wrap_bzero(void *to, usize n);
HOOK_WEAK void __wrap_bzero(void *to, usize n)
{
	TELL_RANGE(to, n, HOW_WRITE);
	__real_bzero(to, n);
}

/* All n bytes may be read, whatever they are: the standard has both ranges accessible. */
#define COMPARE(name) \
	int __real_##name(const void *a, const void *b, usize n); \
	HOOK_WEAK int __wrap_##name(const void *a, const void *b, usize n); \
	HOOK_WEAK int __wrap_##name(const void *a, const void *b, usize n) \
	{ \
		TELL_RANGE(a, n, HOW_READ); \
		TELL_RANGE(b, n, HOW_READ); \
		return __real_##name(a, b, n); \
	}

COMPARE(memcmp)
COMPARE(bcmp)

/* memchr stops at the first hit, and callers rely on it: n may reach beyond the object.
   string_calls.c says why it loops. */
void *__real_memchr(const void *from, int c, usize n);
HOOK_WEAK void *__wrap_memchr(const void *from, int c, usize n);
HOOK_WEAK void *__wrap_memchr(const void *from, int c, usize n)
{
	const u8 *start = from, *hit;
	usize told = 0, reach;

	for (;;) {
		hit = __real_memchr(from, c, n);
		reach = hit ? (usize)(hit + 1 - start) : n;
		if (!heddle_rt_access || reach <= told)
			return (void *)hit;
		TELL(start + told, reach - told, HOW_READ);
		told = reach;
	}
}

void *__real_memrchr(const void *from, int c, usize n);
HOOK_WEAK void *__wrap_memrchr(const void *from, int c, usize n);
HOOK_WEAK void *__wrap_memrchr(const void *from, int c, usize n)
{
	TELL_RANGE(from, n, HOW_READ);
	return __real_memrchr(from, c, n);
}
