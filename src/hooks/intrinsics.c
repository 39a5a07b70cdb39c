/* intrinsics.c: what newer compilers call instead of memcpy, memmove and memset. */
#include "hooks/hooks.h"

void *__real_memcpy(void *to, const void *from, usize n);
void *__real_memmove(void *to, const void *from, usize n);
void *__real_memset(void *to, int c, usize n);

#define COPY(name) \
	HOOK void *__tsan_##name(void *to, const void *from, usize n); \
	HOOK void *__tsan_##name(void *to, const void *from, usize n) \
	{ \
		if (n) { \
			TELL(from, n, HOW_READ); \
			TELL(to, n, HOW_WRITE); \
		} \
		return __real_##name(to, from, n); \
	}

COPY(memcpy)
COPY(memmove)

HOOK void *__tsan_memset(void *to, int c, usize n);
HOOK void *__tsan_memset(void *to, int c, usize n)
{
	if (n)
		TELL(to, n, HOW_WRITE);
	return __real_memset(to, c, n);
}
