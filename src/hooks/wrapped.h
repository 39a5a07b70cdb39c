/*
 * wrapped.h: functions of the C library that access memory on behalf of instrumented code. Programs are linked with
 * --wrap for each, so that the calls go to __wrap_NAME (memory.c, strings.c), which tells the runtime what is
 * accessed and calls the real one.
 */
#ifndef HEDDLE_HOOKS_WRAPPED_H
#define HEDDLE_HOOKS_WRAPPED_H

/* clang-format would indent a list without commas further on every line. */
/* clang-format off */
#define HOOKS_WRAPPED(X) \
	X(memcpy) X(memmove) X(mempcpy) X(memset) X(memcmp) X(memchr) X(memrchr) X(bcopy) \
	X(bzero) X(bcmp) X(strlen) X(strnlen) X(strcpy) X(stpcpy) X(strncpy) X(stpncpy) \
	X(strcat) X(strncat) X(strcmp) X(strncmp) X(strcasecmp) X(strncasecmp) X(strchr) \
	X(strrchr) X(strchrnul) X(strstr) X(strdup) X(strndup)

/* The same with the compiler's checks of sizes (_FORTIFY_SOURCE). */
#define HOOKS_WRAPPED_CHECKED(X) \
	X(__memcpy_chk) X(__memmove_chk) X(__mempcpy_chk) X(__memset_chk) X(__strcpy_chk) \
	X(__stpcpy_chk) X(__strncpy_chk) X(__stpncpy_chk) X(__strcat_chk) X(__strncat_chk)
/* clang-format on */

#endif
