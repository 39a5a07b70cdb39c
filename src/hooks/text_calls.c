/*
 * text_calls.c: numbers from text, pieces of strings, searches, sorting: what they
 * look at, told before they do.
 */
#include "hooks/tell.h"

/* ---- numbers: read up to the first character that is no part of one ---- */

#define NUMBER_BODY(real_call) \
	const char *pc = HERE, *start = s; \
	char *stop; \
	usize told = 0, reach; \
\
	for (;;) { \
		typeof(real_call) value = real_call; \
		reach = (usize)(stop - start) + 1; \
		if (stop == start) { \
			for (reach = 0; start[reach] == ' ' || (start[reach] >= 9 && start[reach] <= 13);) \
				reach++; \
			reach++; \
		} \
		if (!heddle_rt_access || reach <= told) { \
			if (end) { \
				tell_range(end, sizeof(*end), HOW_WRITE, pc); \
				*end = stop; \
			} \
			return value; \
		} \
		heddle_rt_access(start + told, reach - told, HOW_READ, pc); \
		told = reach; \
	}
#define INTEGER(type, name) \
	WRAP(type, name, (const char *s, char **end, int base)) \
	{ \
		NUMBER_BODY(__real_##name(s, &stop, base)) \
	}
#define FLOATING(type, name) \
	WRAP(type, name, (const char *s, char **end)) \
	{ \
		NUMBER_BODY(__real_##name(s, &stop)) \
	}
INTEGER(long, strtol)
INTEGER(unsigned long, strtoul)
INTEGER(long long, strtoll)
INTEGER(unsigned long long, strtoull)
INTEGER(long, strtoimax)
INTEGER(unsigned long, strtoumax)
INTEGER(long, __isoc23_strtol)
INTEGER(unsigned long, __isoc23_strtoul)
INTEGER(long long, __isoc23_strtoll)
INTEGER(unsigned long long, __isoc23_strtoull)
FLOATING(double, strtod)
FLOATING(float, strtof)
FLOATING(long double, strtold)

#define TO_NUMBER(type, name, real) \
	HOOK_WEAK type __wrap_##name(const char *s); \
	HOOK_WEAK type __wrap_##name(const char *s) \
	{ \
		char **end = 0; \
		NUMBER_BODY(real) \
	}
TO_NUMBER(int, atoi, (int)__real_strtol(s, &stop, 10))
TO_NUMBER(long, atol, __real_strtol(s, &stop, 10))
TO_NUMBER(long long, atoll, __real_strtoll(s, &stop, 10))
TO_NUMBER(double, atof, __real_strtod(s, &stop))

/* ---- pieces ---- */

usize __real_strspn(const char *s, const char *set);
usize __real_strcspn(const char *s, const char *set);

/* Up to and with the first character (not) in the set. */
#define SPAN(name) \
	HOOK_WEAK usize __wrap_##name(const char *s, const char *set); \
	HOOK_WEAK usize __wrap_##name(const char *s, const char *set) \
	{ \
		usize told = 0, n; \
\
		tell_text(set, HERE); \
		while ((n = __real_##name(s, set)), heddle_rt_access && n + 1 > told) { \
			TELL(s + told, n + 1 - told, HOW_READ); \
			told = n + 1; \
		} \
		return n; \
	}
SPAN(strspn)
SPAN(strcspn)

WRAP(char *, strpbrk, (const char *s, const char *set))
{
	usize told = 0, n;

	tell_text(set, HERE);
	while (heddle_rt_access && (n = __real_strcspn(s, set)) + 1 > told) {
		TELL(s + told, n + 1 - told, HOW_READ);
		told = n + 1;
	}
	return __real_strpbrk(s, set);
}

/* A piece from `s` on: what is skipped and taken is read, the character behind it is overwritten. */
static inline __attribute__((always_inline)) void tell_token(char *s, const char *set, int skips,
							     const void *pc)
{
	usize from = skips ? __real_strspn(s, set) : 0, n = __real_strcspn(s + from, set);

	tell_range(s, from + n + 1, HOW_READ, pc);
	if (s[from + n])
		tell_range(s + from + n, 1, HOW_WRITE, pc);
}

#define TOKEN_R(name) \
	WRAP(char *, name, (char *s, const char *set, char **rest)) \
	{ \
		if (heddle_rt_access) { \
			tell_text(set, HERE); \
			if (!s) \
				TELL(rest, sizeof(*rest), HOW_READ); \
			if (s || *rest) \
				tell_token(s ? s : *rest, set, 1, HERE); \
			TELL(rest, sizeof(*rest), HOW_WRITE); \
		} \
		return __real_##name(s, set, rest); \
	}
TOKEN_R(strtok_r)
TOKEN_R(__strtok_r)

/* Where libc stands in the string: one place for all threads. */
static char place_of_strtok;

/* What it reads there is told when the piece is known. */
WRAP(char *, strtok, (char *s, const char *set))
{
	char *piece;

	TELL(&place_of_strtok, sizeof(place_of_strtok), HOW_WRITE);
	tell_text(set, HERE);
	if (s && heddle_rt_access)
		tell_token(s, set, 1, HERE);
	piece = __real_strtok(s, set);
	if (!s && piece)
		tell_range(piece, __real_strlen(piece) + 1, HOW_WRITE, HERE);
	return piece;
}

WRAP(char *, strsep, (char **s, const char *set))
{
	if (heddle_rt_access) {
		tell_text(set, HERE);
		TELL(s, sizeof(*s), HOW_READ);
		if (*s) {
			tell_token(*s, set, 0, HERE);
			TELL(s, sizeof(*s), HOW_WRITE);
		}
	}
	return __real_strsep(s, set);
}

/* ---- searches that look at all of it, at most ---- */

WRAP(char *, strcasestr, (const char *s, const char *what))
{
	tell_text(s, HERE);
	tell_text(what, HERE);
	return __real_strcasestr(s, what);
}
WRAP(void *, memmem, (const void *s, usize n, const void *what, usize m))
{
	tell_range(s, n, HOW_READ, HERE);
	tell_range(what, m, HOW_READ, HERE);
	return __real_memmem(s, n, what, m);
}
WRAP(void *, rawmemchr, (const void *s, int c))
{
	const char *hit = __real_rawmemchr(s, c);

	tell_range(s, (usize)(hit + 1 - (const char *)s), HOW_READ, HERE);
	return __real_rawmemchr(s, c);
}
WRAP(int, strcoll, (const char *a, const char *b))
{
	tell_text(a, HERE);
	tell_text(b, HERE);
	return __real_strcoll(a, b);
}
WRAP(usize, strxfrm, (char *to, const char *from, usize n))
{
	usize length;

	tell_text(from, HERE);
	length = __real_strxfrm(to, from, n);
	tell_range(to, length < n ? length + 1 : n, HOW_WRITE, HERE);
	return length;
}
WRAP(void *, memccpy, (void *to, const void *from, int c, usize n))
{
	const char *end = __builtin_memchr(from, c, n);
	usize size = end ? (usize)(end + 1 - (const char *)from) : n;

	tell_range(from, size, HOW_READ, HERE);
	tell_range(to, size, HOW_WRITE, HERE);
	return __real_memccpy(to, from, c, n);
}

/* ---- arrays ---- */

/* libc moves the elements about; what the comparison reads, it tells itself. */
WRAP(void, qsort, (void *base, usize n, usize size, int (*compare)(const void *, const void *)))
{
	tell_range(base, n * size, HOW_READ, HERE);
	tell_range(base, n * size, HOW_WRITE, HERE);
	__real_qsort(base, n, size, compare);
}
WRAP(void, qsort_r,
     (void *base, usize n, usize size, int (*compare)(const void *, const void *, void *), void *arg))
{
	tell_range(base, n * size, HOW_READ, HERE);
	tell_range(base, n * size, HOW_WRITE, HERE);
	__real_qsort_r(base, n, size, compare, arg);
}

/* ---- wide characters ---- */

usize __real_wcslen(const int *s);
HOOK_WEAK usize __wrap_wcslen(const int *s);
HOOK_WEAK usize __wrap_wcslen(const int *s)
{
	usize n = __real_wcslen(s);

	tell_range(s, (n + 1) * sizeof(*s), HOW_READ, HERE);
	return __real_wcslen(s);
}
#define WIDE_COPY(name) \
	WRAP(int *, name, (int *to, const int *from, usize n)) \
	{ \
		tell_range(from, n * sizeof(*from), HOW_READ, HERE); \
		tell_range(to, n * sizeof(*to), HOW_WRITE, HERE); \
		return __real_##name(to, from, n); \
	}
WIDE_COPY(wmemcpy)
WIDE_COPY(wmemmove)
WRAP(int *, wmemset, (int *to, int c, usize n))
{
	tell_range(to, n * sizeof(*to), HOW_WRITE, HERE);
	return __real_wmemset(to, c, n);
}
WRAP(int *, wcscpy, (int *to, const int *from))
{
	usize size = (__real_wcslen(from) + 1) * sizeof(*from);

	tell_range(from, size, HOW_READ, HERE);
	tell_range(to, size, HOW_WRITE, HERE);
	return __real_wcscpy(to, from);
}
WRAP(int, wcscmp, (const int *a, const int *b))
{
	tell_range(a, (__real_wcslen(a) + 1) * sizeof(*a), HOW_READ, HERE);
	tell_range(b, (__real_wcslen(b) + 1) * sizeof(*b), HOW_READ, HERE);
	return __real_wcscmp(a, b);
}
