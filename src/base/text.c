#include "base/text.h"

#include <stdarg.h>

void text_init(struct text *t, char *buf, size_t cap)
{
	t->buf = buf;
	t->cap = cap;
	t->len = 0;
	buf[0] = 0;
}

void text_bytes(struct text *t, const char *s, size_t n)
{
	for (size_t i = 0; i < n && t->len + 1 < t->cap; i++)
		t->buf[t->len++] = s[i];
	t->buf[t->len] = 0;
}

void text_str(struct text *t, const char *s)
{
	text_bytes(t, s, str_len(s));
}

void text_dec(struct text *t, long value)
{
	char digits[24];
	size_t at = sizeof(digits);
	u64 v = value < 0 ? 0 - (u64)value : (u64)value;
	do {
		digits[--at] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (value < 0)
		digits[--at] = '-';
	text_bytes(t, digits + at, sizeof(digits) - at);
}

void text_hex(struct text *t, u64 value)
{
	char digits[20];
	size_t at = sizeof(digits);
	do {
		digits[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	digits[--at] = 'x';
	digits[--at] = '0';
	text_bytes(t, digits + at, sizeof(digits) - at);
}

void text_addr(struct text *t, u64 address)
{
	text_str(t, "{");
	text_hex(t, address);
	text_str(t, "}");
}

/* What stands between the % and its letter. */
struct text_spec {
	bool prefix, zeros; /* # and 0 */
	u32 width;
	bool cut;
	u32 most; /* cut: bytes of a string */
	bool wide;
};

static const char *read_number(const char *at, u32 *out)
{
	for (*out = 0; *at >= '0' && *at <= '9'; at++)
		*out = *out * 10 + (u32)(*at - '0');
	return at;
}

static const char *read_spec(const char *at, struct text_spec *s, va_list *args)
{
	*s = (struct text_spec){0};
	for (; *at == '#' || *at == '0'; at++) {
		s->prefix |= *at == '#';
		s->zeros |= *at == '0';
	}
	at = read_number(at, &s->width);
	if (*at == '.') {
		s->cut = true;
		if (at[1] == '*') {
			s->most = (u32)va_arg(*args, int);
			at += 2;
		} else {
			at = read_number(at + 1, &s->most);
		}
	}
	for (; *at == 'l' || *at == 'z'; at++)
		s->wide = true;
	return at;
}

static void put_number(struct text *t, const struct text_spec *s, u64 value, u32 base, bool negative)
{
	char digits[24];
	size_t at = sizeof(digits), len;

	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	len = sizeof(digits) - at + (negative ? 1 : 0) + (s->prefix ? 2 : 0);
	for (size_t i = len; !s->zeros && i < s->width; i++)
		text_bytes(t, " ", 1);
	text_bytes(t, "-", negative ? 1 : 0);
	text_bytes(t, "0x", s->prefix ? 2 : 0);
	for (size_t i = len; s->zeros && i < s->width; i++)
		text_bytes(t, "0", 1);
	text_bytes(t, digits + at, sizeof(digits) - at);
}

static void put_string(struct text *t, const struct text_spec *s, const char *string)
{
	size_t n = 0;

	/* A string that is cut need not be terminated. */
	while ((!s->cut || n < s->most) && string[n])
		n++;
	for (size_t i = n; i < s->width; i++)
		text_bytes(t, " ", 1);
	text_bytes(t, string, n);
}

static void put_argument(struct text *t, char letter, const struct text_spec *s, va_list *args)
{
	char c = '%';
	long value;

	switch (letter) {
	case 's':
		put_string(t, s, va_arg(*args, const char *));
		return;
	case 'd':
	case 'i':
		value = s->wide ? va_arg(*args, long) : va_arg(*args, int);
		put_number(t, s, value < 0 ? 0 - (u64)value : (u64)value, 10, value < 0);
		return;
	case 'u':
	case 'x':
		put_number(t, s, s->wide ? va_arg(*args, u64) : va_arg(*args, u32), letter == 'x' ? 16 : 10,
			   false);
		return;
	case 'c':
		c = (char)va_arg(*args, int);
		break;
	default:
		hd_assert(letter == '%');
	}
	text_bytes(t, &c, 1);
}

void text_fmt(struct text *t, const char *format, ...)
{
	struct text_spec spec;
	va_list args;

	va_start(args, format);
	for (const char *at = format; *at; at++) {
		const char *start = at;

		while (*at && *at != '%')
			at++;
		text_bytes(t, start, (size_t)(at - start));
		if (!*at)
			break;
		at = read_spec(at + 1, &spec, &args);
		put_argument(t, *at, &spec, &args);
	}
	va_end(args);
}

void text_escaped(struct text *t, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		u8 b = ((const u8 *)bytes)[i];

		if (b == '\n' || b == '\r' || b == '\t')
			text_fmt(t, "\\%c", b == '\n' ? 'n' : b == '\r' ? 'r' : 't');
		else if (b == '"' || b == '\\')
			text_fmt(t, "\\%c", b);
		else
			text_fmt(t, b >= ' ' && b < 0x7f ? "%c" : "\\x%02x", b);
	}
}

size_t str_len(const char *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}

bool str_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

bool str_starts(const char *s, const char *prefix)
{
	while (*prefix && *s == *prefix) {
		s++;
		prefix++;
	}
	return !*prefix;
}

void str_copy(char *to, size_t cap, const char *from)
{
	struct text t;
	text_init(&t, to, cap);
	text_str(&t, from);
}
