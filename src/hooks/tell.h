/*
 * tell.h: how wrappers of libc functions tell the runtime what these access on behalf of instrumented code.
 *
 * What a function reads is told before the call. What it writes is told before the call where the size is
 * known, and behind it, with the size that was really written, where only the call knows (read, fgets,
 * sscanf): a race is then still a state in which two threads stand before their accesses.
 */
#ifndef HEDDLE_HOOKS_TELL_H
#define HEDDLE_HOOKS_TELL_H

#include "hooks/hooks.h"

usize __real_strlen(const char *s);
usize __real_strnlen(const char *s, usize n);

#define HERE __builtin_return_address(0)
#define TELL_WHOLE (~(usize)0 >> 1)

static inline __attribute__((always_inline)) void tell_range(const void *p, usize n, unsigned how,
							     const void *pc)
{
	if (heddle_rt_access && p && n)
		heddle_rt_access(p, n, how, pc);
}

/* Tells that s is read up to its end, or n bytes of it. Its length now. string_calls.c says why it loops. */
static inline __attribute__((always_inline)) usize tell_string(const char *s, usize n, const void *pc)
{
	usize told = 0;

	if (!heddle_rt_access)
		return __real_strnlen(s, n);
	for (;;) {
		usize length = __real_strnlen(s, n), reach = length < n ? length + 1 : n;

		if (reach <= told)
			return length;
		heddle_rt_access(s + told, reach - told, HOW_READ, pc);
		told = reach;
	}
}

/* The same for a string that may be missing. */
static inline __attribute__((always_inline)) void tell_text(const char *s, const void *pc)
{
	if (heddle_rt_access && s)
		tell_string(s, TELL_WHOLE, pc);
}

/*
 * Of functions that are done here, in the place of a library's: one word of memory at a time. pc: where the
 * program called.
 */
#define TELL_GET(place) (tell_range(&(place), sizeof(place), HOW_READ, pc), (place))
#define TELL_SET(place, value) (tell_range(&(place), sizeof(place), HOW_WRITE, pc), (void)((place) = (value)))

/* A function that wrappers call is in the section of hooks as well, which reports leave out. */
#define HELPER static __attribute__((section(HOOK_SECTION)))

/* A wrapper with its real function. */
#define WRAP(type, name, parameters) \
	extern type __real_##name parameters __attribute__((weak)); \
	HOOK_WEAK type __wrap_##name parameters; \
	HOOK_WEAK type __wrap_##name parameters

#endif
