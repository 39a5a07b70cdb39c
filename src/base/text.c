#include "base/text.h"

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
	size_t at = sizeof digits;
	u64 v = value < 0 ? 0 - (u64)value : (u64)value;
	do {
		digits[--at] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (value < 0)
		digits[--at] = '-';
	text_bytes(t, digits + at, sizeof digits - at);
}

void text_hex(struct text *t, u64 value)
{
	char digits[20];
	size_t at = sizeof digits;
	do {
		digits[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	digits[--at] = 'x';
	digits[--at] = '0';
	text_bytes(t, digits + at, sizeof digits - at);
}

void text_addr(struct text *t, u64 address)
{
	text_str(t, "{");
	text_hex(t, address);
	text_str(t, "}");
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
