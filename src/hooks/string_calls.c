/*
 * string_calls.c: functions of strings. How much they access depends on the bytes themselves, which may
 * change while the runtime is told (hooks.h, 2); so the length is taken again afterwards, and what has become
 * longer is told, too.
 */
#include "hooks/tell.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))

HOOK_WEAK usize __wrap_strlen(const char *s);
HOOK_WEAK usize __wrap_strlen(const char *s)
{
	if (heddle_rt_access)
		tell_string(s, TELL_WHOLE, HERE);
	return __real_strlen(s);
}

HOOK_WEAK usize __wrap_strnlen(const char *s, usize n);
HOOK_WEAK usize __wrap_strnlen(const char *s, usize n)
{
	return tell_string(s, n, HERE);
}

/* Copies: `read` bytes at most are looked at; `start` and `size` say what is written,
   `n` being the length found. */
#define STRING_COPY(name, parameters, arguments, read, start, size) \
	char *__real_##name parameters; \
	HOOK_WEAK char *__wrap_##name parameters; \
	HOOK_WEAK char *__wrap_##name parameters \
	{ \
		if (heddle_rt_access) { \
			usize length = tell_string(from, read, HERE); \
\
			(void)length; \
			if (size) \
				TELL(start, size, HOW_WRITE); \
		} \
		return __real_##name arguments; \
	}

#define TO_FROM (char *to, const char *from)
#define TO_FROM_N (char *to, const char *from, usize n)
#define TO_FROM_CHECKED (char *to, const char *from, usize room)
#define TO_FROM_N_CHECKED (char *to, const char *from, usize n, usize room)

STRING_COPY(strcpy, TO_FROM, (to, from), TELL_WHOLE, to, length + 1)
STRING_COPY(stpcpy, TO_FROM, (to, from), TELL_WHOLE, to, length + 1)
STRING_COPY(strncpy, TO_FROM_N, (to, from, n), n, to, n)
STRING_COPY(stpncpy, TO_FROM_N, (to, from, n), n, to, n)
STRING_COPY(__strcpy_chk, TO_FROM_CHECKED, (to, from, room), TELL_WHOLE, to, MIN(length + 1, room))
STRING_COPY(__stpcpy_chk, TO_FROM_CHECKED, (to, from, room), TELL_WHOLE, to, MIN(length + 1, room))
STRING_COPY(__strncpy_chk, TO_FROM_N_CHECKED, (to, from, n, room), n, to, MIN(n, room))
STRING_COPY(__stpncpy_chk, TO_FROM_N_CHECKED, (to, from, n, room), n, to, MIN(n, room))
/* What is appended to is read up to its end first. */
STRING_COPY(strcat, TO_FROM, (to, from), TELL_WHOLE, to + tell_string(to, TELL_WHOLE, HERE), length + 1)
STRING_COPY(strncat, TO_FROM_N, (to, from, n), n, to + tell_string(to, TELL_WHOLE, HERE), length + 1)
STRING_COPY(__strcat_chk, TO_FROM_CHECKED, (to, from, room), TELL_WHOLE, to + tell_string(to, room, HERE),
	    MIN(length + 1, room))
STRING_COPY(__strncat_chk, TO_FROM_N_CHECKED, (to, from, n, room), n, to + tell_string(to, room, HERE),
	    MIN(length + 1, room))

/* Up to the first difference, the byte behind it not included: neither string need end there. */
static inline usize common(const char *a, const char *b, usize n)
{
	usize i = 0;

	while (i < n && a[i] == b[i] && a[i])
		i++;
	return i < n ? i + 1 : n;
}

static inline u8 lower(char c)
{
	return (u8)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static inline usize common_letters(const char *a, const char *b, usize n)
{
	usize i = 0;

	while (i < n && lower(a[i]) == lower(b[i]) && a[i])
		i++;
	return i < n ? i + 1 : n;
}

#define STRING_COMPARE(name, parameters, arguments, n, reaches) \
	int __real_##name parameters; \
	HOOK_WEAK int __wrap_##name parameters; \
	HOOK_WEAK int __wrap_##name parameters \
	{ \
		usize told = 0, reach; \
\
		while (heddle_rt_access && (reach = reaches(a, b, n)) > told) { \
			TELL(a + told, reach - told, HOW_READ); \
			TELL(b + told, reach - told, HOW_READ); \
			told = reach; \
		} \
		return __real_##name arguments; \
	}

STRING_COMPARE(strcmp, (const char *a, const char *b), (a, b), TELL_WHOLE, common)
STRING_COMPARE(strncmp, (const char *a, const char *b, usize n), (a, b, n), n, common)
STRING_COMPARE(strcasecmp, (const char *a, const char *b), (a, b), TELL_WHOLE, common_letters)
STRING_COMPARE(strncasecmp, (const char *a, const char *b, usize n), (a, b, n), n, common_letters)

/* Searches that stop at the first hit; behind it others may write. */
char *__real_strchrnul(const char *s, int c);

#define STRING_SEARCH(name) \
	char *__real_##name(const char *s, int c); \
	HOOK_WEAK char *__wrap_##name(const char *s, int c); \
	HOOK_WEAK char *__wrap_##name(const char *s, int c) \
	{ \
		usize told = 0, reach; \
\
		while (heddle_rt_access && (reach = (usize)(__real_strchrnul(s, c) + 1 - s)) > told) { \
			TELL(s + told, reach - told, HOW_READ); \
			told = reach; \
		} \
		return __real_##name(s, c); \
	}

STRING_SEARCH(strchr)
STRING_SEARCH(strchrnul)

char *__real_strrchr(const char *s, int c);
HOOK_WEAK char *__wrap_strrchr(const char *s, int c);
HOOK_WEAK char *__wrap_strrchr(const char *s, int c)
{
	if (heddle_rt_access)
		tell_string(s, TELL_WHOLE, HERE);
	return __real_strrchr(s, c);
}

char *__real_strstr(const char *s, const char *what);

static inline usize reach_of_search(const char *s, const char *what)
{
	const char *hit = __real_strstr(s, what);

	return hit ? (usize)(hit - s) + __real_strlen(what) : __real_strlen(s) + 1;
}

HOOK_WEAK char *__wrap_strstr(const char *s, const char *what);
HOOK_WEAK char *__wrap_strstr(const char *s, const char *what)
{
	usize told = 0, reach;

	if (heddle_rt_access)
		tell_string(what, TELL_WHOLE, HERE);
	while (heddle_rt_access && (reach = reach_of_search(s, what)) > told) {
		TELL(s + told, reach - told, HOW_READ);
		told = reach;
	}
	return __real_strstr(s, what);
}

/* The copy is nobody else's yet. */
char *__real_strdup(const char *s);
HOOK_WEAK char *__wrap_strdup(const char *s);
HOOK_WEAK char *__wrap_strdup(const char *s)
{
	if (heddle_rt_access)
		tell_string(s, TELL_WHOLE, HERE);
	return __real_strdup(s);
}

char *__real_strndup(const char *s, usize n);
HOOK_WEAK char *__wrap_strndup(const char *s, usize n);
HOOK_WEAK char *__wrap_strndup(const char *s, usize n)
{
	if (heddle_rt_access)
		tell_string(s, n, HERE);
	return __real_strndup(s, n);
}
