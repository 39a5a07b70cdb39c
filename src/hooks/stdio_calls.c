/*
 * stdio_calls.c: formatted and unformatted input and output. The arguments of a format are found by reading
 * it: each %s is a string that is read, each %n and each conversion of scanf an object that is written.
 */
#include <stdarg.h>

#include "hooks/tell.h"

typedef void FILE;

/* ---- formats ---- */

struct conversion {
	char kind;            /* the letter; 0: the format is at its end */
	int wide;             /* %ls, %S and the like: of wide characters */
	int size;             /* of an object written by scanf or %n */
	int skip;             /* scanf: %* */
	int allocates;        /* scanf: %m */
	int width, precision; /* -1: none; -2: an argument (*) */
};

static const char *read_number(const char *f, int *value)
{
	if (*f == '*') {
		*value = -2;
		return f + 1;
	}
	for (*value = 0; *f >= '0' && *f <= '9'; f++)
		*value = *value * 10 + (*f - '0');
	return f;
}

static const char *read_size(const char *f, int *size)
{
	*size = sizeof(int);
	for (;; f++)
		switch (*f) {
		case 'h':
			*size = *size == sizeof(short) ? 1 : sizeof(short);
			continue;
		case 'l':
		case 'q':
		case 'j':
		case 'z':
		case 't':
			*size = 8;
			continue;
		case 'L':
			*size = 16;
			continue;
		default:
			return f;
		}
}

/* From behind a % to behind the conversion. A format with numbered arguments (%1$s)
   is not followed: kind '$'. */
static const char *read_conversion(const char *f, struct conversion *c, int scan)
{
	*c = (struct conversion){.width = -1, .precision = -1};
	while (*f == '-' || *f == '+' || *f == ' ' || *f == '#' || *f == '0' || *f == '\'' || *f == 'I')
		f++;
	if (scan && *f == '*') {
		c->skip = 1;
		f++;
	}
	if (*f == '*' || (*f >= '0' && *f <= '9'))
		f = read_number(f, &c->width);
	if (*f == '$') {
		c->kind = '$';
		return f;
	}
	if (*f == '.')
		f = read_number(f + 1, &c->precision);
	if (scan && *f == 'm') {
		c->allocates = 1;
		f++;
	}
	f = read_size(f, &c->size);
	c->wide = c->size == 8 || *f == 'S' || *f == 'C';
	c->kind = *f == 'S' ? 's' : *f == 'C' ? 'c' : *f;
	return *f ? f + 1 : f;
}

/* The arguments of such a format are not followed. */
static void tell_numbered(const void *pc)
{
	if (heddle_rt_unseen)
		heddle_rt_unseen("a format with numbered arguments (%1$s)", pc, 0);
}

typedef __WCHAR_TYPE__ wide;

static usize wide_length(const wide *s, usize n)
{
	usize length = 0;

	while (length < n && s[length])
		length++;
	return length;
}

/* As tell_string does it. */
static void tell_wide_string(const wide *s, usize n, const void *pc)
{
	usize told = 0;

	for (;;) {
		usize length = wide_length(s, n), reach = length < n ? length + 1 : n;

		if (reach <= told)
			return;
		heddle_rt_access(s + told, (reach - told) * sizeof(*s), HOW_READ, pc);
		told = reach;
	}
}

static void tell_print_argument(const struct conversion *c, va_list ap, const void *pc)
{
	int precision = c->precision;

	if (c->width == -2)
		(void)va_arg(ap, int);
	if (precision == -2)
		precision = va_arg(ap, int);
	switch (c->kind) {
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		if (c->size != 16) {
			(void)va_arg(ap, double);
			return;
		}
		(void)va_arg(ap, long double);
		return;
	case 's': {
		const void *s = va_arg(ap, const void *);
		usize most = precision >= 0 ? (usize)precision : TELL_WHOLE;

		if (s && c->wide)
			tell_wide_string(s, most, pc);
		else if (s)
			tell_string(s, most, pc);
		return;
	}
	case 'n':
		tell_range(va_arg(ap, void *), (usize)c->size, HOW_WRITE, pc);
		return;
	case '%':
	case 'm':
		return;
	default:
		(void)va_arg(ap, long);
	}
}

static void tell_print(const char *format, va_list original, const void *pc)
{
	struct conversion c;
	va_list ap;

	if (!heddle_rt_access || !format)
		return;
	tell_string(format, TELL_WHOLE, pc);
	va_copy(ap, original);
	while (*format) {
		if (*format++ != '%')
			continue;
		format = read_conversion(format, &c, 0);
		if (c.kind == '$')
			tell_numbered(pc);
		if (!c.kind || c.kind == '$')
			break;
		tell_print_argument(&c, ap, pc);
	}
	va_end(ap);
}

/* What is told of the output: `count` characters and a NUL, but no more than `room`. */
static void tell_printed(char *to, int count, usize room, const void *pc)
{
	if (count >= 0 && room)
		tell_range(to, (usize)count < room ? (usize)count + 1 : room, HOW_WRITE, pc);
}

#define VPRINT(name, parameters, arguments, behind) \
	HOOK_WEAK int __wrap_##name parameters; \
	HOOK_WEAK int __wrap_##name parameters \
	{ \
		int count; \
\
		tell_print(format, ap, HERE); \
		count = arguments; \
		behind; \
		return count; \
	}

int __real_vprintf(const char *format, va_list ap);
int __real_vfprintf(FILE *f, const char *format, va_list ap);
int __real_vdprintf(int fd, const char *format, va_list ap);
int __real_vsprintf(char *to, const char *format, va_list ap);
int __real_vsnprintf(char *to, usize n, const char *format, va_list ap);
int __real_vasprintf(char **to, const char *format, va_list ap);
void vsyslog(int priority, const char *format, va_list ap);

#define PRINT_BODY(call, behind) \
	va_list ap; \
	int count; \
\
	va_start(ap, format); \
	tell_print(format, ap, HERE); \
	count = call; \
	va_end(ap); \
	behind; \
	return count;

HOOK_WEAK int __wrap_printf(const char *format, ...);
HOOK_WEAK int __wrap_printf(const char *format, ...){PRINT_BODY(__real_vprintf(format, ap), )} HOOK_WEAK
	int __wrap_fprintf(FILE *f, const char *format, ...);
HOOK_WEAK int __wrap_fprintf(FILE *f, const char *format,
			     ...){PRINT_BODY(__real_vfprintf(f, format, ap), )} HOOK_WEAK
	int __wrap_dprintf(int fd, const char *format, ...);
HOOK_WEAK int __wrap_dprintf(int fd, const char *format,
			     ...){PRINT_BODY(__real_vdprintf(fd, format, ap), )} HOOK_WEAK
	int __wrap_sprintf(char *to, const char *format, ...);
HOOK_WEAK int __wrap_sprintf(char *to, const char *format, ...){
	PRINT_BODY(__real_vsprintf(to, format, ap), tell_printed(to, count, TELL_WHOLE, HERE))} HOOK_WEAK
	int __wrap_snprintf(char *to, usize n, const char *format, ...);
HOOK_WEAK int __wrap_snprintf(char *to, usize n, const char *format, ...){
	PRINT_BODY(__real_vsnprintf(to, n, format, ap), tell_printed(to, count, n, HERE))} HOOK_WEAK
	int __wrap_asprintf(char **to, const char *format, ...);
HOOK_WEAK int __wrap_asprintf(char **to, const char *format, ...){
	PRINT_BODY(__real_vasprintf(to, format, ap), tell_range(to, sizeof(*to), HOW_WRITE, HERE))} HOOK_WEAK
	void __wrap_syslog(int priority, const char *format, ...);
HOOK_WEAK void __wrap_syslog(int priority, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	tell_print(format, ap, HERE);
	vsyslog(priority, format, ap);
	va_end(ap);
}

VPRINT(vprintf, (const char *format, va_list ap), __real_vprintf(format, ap), )
VPRINT(vfprintf, (FILE * f, const char *format, va_list ap), __real_vfprintf(f, format, ap), )
VPRINT(vdprintf, (int fd, const char *format, va_list ap), __real_vdprintf(fd, format, ap), )
VPRINT(vsprintf, (char *to, const char *format, va_list ap), __real_vsprintf(to, format, ap),
       tell_printed(to, count, TELL_WHOLE, HERE))
VPRINT(vsnprintf, (char *to, usize n, const char *format, va_list ap), __real_vsnprintf(to, n, format, ap),
       tell_printed(to, count, n, HERE))
VPRINT(vasprintf, (char **to, const char *format, va_list ap), __real_vasprintf(to, format, ap),
       tell_range(to, sizeof(*to), HOW_WRITE, HERE))

/* With the compiler's checks (_FORTIFY_SOURCE; heddle cc takes it back for gcc). */
HOOK_WEAK int __wrap___printf_chk(int flag, const char *format, ...);
HOOK_WEAK int __wrap___printf_chk(int flag, const char *format, ...)
{
	(void)flag;
	PRINT_BODY(__real_vprintf(format, ap), )
}
HOOK_WEAK int __wrap___fprintf_chk(FILE *f, int flag, const char *format, ...);
HOOK_WEAK int __wrap___fprintf_chk(FILE *f, int flag, const char *format, ...)
{
	(void)flag;
	PRINT_BODY(__real_vfprintf(f, format, ap), )
}
int __vsprintf_chk(char *to, int flag, usize room, const char *format, va_list ap);
HOOK_WEAK int __wrap___sprintf_chk(char *to, int flag, usize room, const char *format, ...);
HOOK_WEAK int __wrap___sprintf_chk(char *to, int flag, usize room, const char *format, ...)
{
	PRINT_BODY(__vsprintf_chk(to, flag, room, format, ap), tell_printed(to, count, TELL_WHOLE, HERE))
}
int __vsnprintf_chk(char *to, usize n, int flag, usize room, const char *format, va_list ap);
HOOK_WEAK int __wrap___snprintf_chk(char *to, usize n, int flag, usize room, const char *format, ...);
HOOK_WEAK int __wrap___snprintf_chk(char *to, usize n, int flag, usize room, const char *format, ...)
{
	PRINT_BODY(__vsnprintf_chk(to, n, flag, room, format, ap), tell_printed(to, count, n, HERE))
}

/* ---- scanf ---- */

static const char *skip_set(const char *f)
{
	if (*f == '^')
		f++;
	if (*f == ']')
		f++;
	while (*f && *f != ']')
		f++;
	return *f ? f + 1 : f;
}

static void tell_scanned_argument(const struct conversion *c, void *to, const void *pc)
{
	int width = c->width > 0 ? c->width : 1;

	if (c->allocates) {
		tell_range(to, sizeof(char *), HOW_WRITE, pc);
		return;
	}
	switch (c->kind) {
	case 's':
	case '[':
		if (c->wide)
			tell_range(to, (wide_length(to, TELL_WHOLE) + 1) * sizeof(wide), HOW_WRITE, pc);
		else
			tell_range(to, __real_strlen(to) + 1, HOW_WRITE, pc);
		return;
	case 'c':
		tell_range(to, (usize)width * (c->wide ? sizeof(wide) : 1), HOW_WRITE, pc);
		return;
	case 'a':
	case 'e':
	case 'f':
	case 'g':
	case 'A':
	case 'E':
	case 'F':
	case 'G':
		tell_range(to, (usize)c->size, HOW_WRITE, pc); /* int stands for float: both have 4 bytes */
		return;
	case 'p':
		tell_range(to, sizeof(void *), HOW_WRITE, pc);
		return;
	default:
		tell_range(to, (usize)c->size, HOW_WRITE, pc);
	}
}

/* `count` conversions were made: their arguments were written. */
static void tell_scan(const char *format, va_list ap, int count, const void *pc)
{
	struct conversion c;

	while (heddle_rt_access && *format && count > 0) {
		if (*format++ != '%')
			continue;
		format = read_conversion(format, &c, 1);
		if (c.kind == '$')
			tell_numbered(pc);
		if (!c.kind || c.kind == '$')
			return;
		if (c.kind == '[')
			format = skip_set(format);
		if (c.kind == '%' || c.skip)
			continue;
		tell_scanned_argument(&c, va_arg(ap, void *), pc);
		count -= c.kind != 'n';
	}
}

#define SCAN_BODY(call) \
	va_list ap, again; \
	int count; \
\
	tell_text(format, HERE); \
	va_start(ap, format); \
	va_copy(again, ap); \
	count = call; \
	tell_scan(format, again, count, HERE); \
	va_end(again); \
	va_end(ap); \
	return count;
#define SCAN(prefix) \
	int prefix##vscanf(const char *format, va_list ap) __attribute__((weak)); \
	int prefix##vfscanf(FILE *f, const char *format, va_list ap) __attribute__((weak)); \
	int prefix##vsscanf(const char *s, const char *format, va_list ap) __attribute__((weak)); \
	HOOK_WEAK int __wrap_##prefix##scanf(const char *format, ...); \
	HOOK_WEAK int __wrap_##prefix##scanf(const char *format, ...){SCAN_BODY(prefix##vscanf( \
		format, ap))} HOOK_WEAK int __wrap_##prefix##fscanf(FILE *f, const char *format, ...); \
	HOOK_WEAK int __wrap_##prefix##fscanf(FILE *f, const char *format, ...){SCAN_BODY(prefix##vfscanf( \
		f, format, ap))} HOOK_WEAK int __wrap_##prefix##sscanf(const char *s, const char *format, \
								       ...); \
	HOOK_WEAK int __wrap_##prefix##sscanf(const char *s, const char *format, ...) \
	{ \
		tell_text(s, HERE); \
		SCAN_BODY(prefix##vsscanf(s, format, ap)) \
	}

SCAN()
SCAN(__isoc99_)
SCAN(__isoc23_)

/* ---- whole strings, lines and blocks ---- */

WRAP(int, puts, (const char *s))
{
	tell_text(s, HERE);
	return __real_puts(s);
}
WRAP(int, fputs, (const char *s, FILE *f))
{
	tell_text(s, HERE);
	return __real_fputs(s, f);
}
WRAP(void, perror, (const char *s))
{
	tell_text(s, HERE);
	__real_perror(s);
}
WRAP(usize, fwrite, (const void *from, usize size, usize n, FILE *f))
{
	tell_range(from, size * n, HOW_READ, HERE);
	return __real_fwrite(from, size, n, f);
}
WRAP(usize, fread, (void *to, usize size, usize n, FILE *f))
{
	usize got = __real_fread(to, size, n, f);

	tell_range(to, size * got, HOW_WRITE, HERE);
	return got;
}
WRAP(char *, fgets, (char *to, int n, FILE *f))
{
	char *got = __real_fgets(to, n, f);

	if (got)
		tell_range(to, __real_strlen(to) + 1, HOW_WRITE, HERE);
	return got;
}

#define LINE(name, parameters, arguments) \
	WRAP(long, name, parameters) \
	{ \
		long got; \
\
		tell_range(line, sizeof(*line), HOW_READ, HERE); \
		tell_range(n, sizeof(*n), HOW_READ, HERE); \
		got = __real_##name arguments; \
		if (got >= 0) { \
			tell_range(line, sizeof(*line), HOW_WRITE, HERE); \
			tell_range(n, sizeof(*n), HOW_WRITE, HERE); \
			tell_range(*line, (usize)got + 1, HOW_WRITE, HERE); \
		} \
		return got; \
	}
LINE(getline, (char **line, usize *n, FILE *f), (line, n, f))
LINE(getdelim, (char **line, usize *n, int delimiter, FILE *f), (line, n, delimiter, f))
LINE(__getdelim, (char **line, usize *n, int delimiter, FILE *f), (line, n, delimiter, f))
