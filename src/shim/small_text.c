/*
 * small_text.c: the little that the shim does with text.
 */
#include "shim/shim_priv.h"

size_t text_length(const char *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}

void text_add(char *out, size_t cap, const char *more)
{
	size_t at = text_length(out);
	for (; *more && at + 1 < cap; at++)
		out[at] = *more++;
	out[at] = 0;
}

void text_add_number(char *out, size_t cap, long n)
{
	char digits[24];
	u32 at = sizeof(digits) - 1;
	unsigned long rest = n < 0 ? -(unsigned long)n : (unsigned long)n;
	digits[at] = 0;
	do
		digits[--at] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (n < 0)
		digits[--at] = '-';
	text_add(out, cap, digits + at);
}

bool text_starts(const char *s, const char *with)
{
	while (*with)
		if (*s++ != *with++)
			return false;
	return true;
}

/* The number behind these words; 0: they are not there. */
u64 text_number(const char *s, const char *behind, u32 base)
{
	for (; *s; s++) {
		if (!text_starts(s, behind))
			continue;
		u64 n = 0;
		s += text_length(behind);
		while (*s == ' ' || *s == '\t' || *s == '(')
			s++;
		for (;; s++) {
			u32 digit = *s >= '0' && *s <= '9'   ? (u32)(*s - '0')
				    : *s >= 'a' && *s <= 'f' ? (u32)(*s - 'a') + 10
							     : 99;
			if (digit >= base)
				return n;
			n = n * base + digit;
		}
	}
	return 0;
}

void text_proc(char *out, size_t cap, const char *part, int number)
{
	out[0] = 0;
	text_add(out, cap, "self/");
	text_add(out, cap, part);
	text_add(out, cap, "/");
	text_add_number(out, cap, number);
}
