/*
 * text.h: building short messages without libc. A text never overflows: what
 * does not fit is cut, and the buffer is always terminated.
 */
#ifndef HEDDLE_BASE_TEXT_H
#define HEDDLE_BASE_TEXT_H

#include "base/base.h"

struct text {
	char *buf;
	size_t cap; /* at least 1 */
	size_t len;
};

void text_init(struct text *t, char *buf, size_t cap);
void text_str(struct text *t, const char *s);
void text_bytes(struct text *t, const char *s, size_t n);
void text_dec(struct text *t, long value);
void text_hex(struct text *t, u64 value);
/* An address for people: written as {0x…}; reports replace it by a name. */
void text_addr(struct text *t, u64 address);
/*
 * As printf, as far as messages need it: %s %c %%; %d %i %u %x with an optional l, ll or z; %#x writes 0x,
 * always (also before 0); a width with or without a leading 0 (%02x, %4u); %.*s and %.8s for at most so many
 * bytes.
 */
void text_fmt(struct text *t, const char *format, ...) HD_PRINTF(2, 3);
/* Bytes of any kind for people, as in a C string but without the quotes: \n \r \t \" \\, others as \xNN. */
void text_escaped(struct text *t, const void *bytes, size_t n);

size_t str_len(const char *s);
bool str_equal(const char *a, const char *b);
bool str_starts(const char *s, const char *prefix);
void str_copy(char *to, size_t cap, const char *from);

#endif
