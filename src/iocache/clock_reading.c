/*
 * A peer that tells the time (the Date of a web server) answers the same question with other bytes a second
 * later. That is not what the comparison of answers looks for: whether an answer depends on more than its
 * connection. So where an answer differs from the recorded one in a reading of the clock alone, of the same
 * length, it counts as the same, and the recorded reading is put in its place: the program sees one time, and
 * a note says so.
 *
 * What counts as a reading is narrow, so that a counter is none: the new one must tell the present time, in
 * one of two forms:
 *
 *     12:34:56     and a fraction. Time zones differ by quarters of an hour, so hours are not looked at.
 *     1794823779   seconds since 1970, and a fraction; or milli-, micro-, nanoseconds since then
 *
 * Given up: the date, which changes at midnight, and answers whose length changes.
 */
#include "cache_priv.h"

#include <string.h>

#define LATE_S 30u /* between the moment that the peer looked at its clock and ours */
#define EARLY_S 1u
#define ZONES_S (15u * 60)
#define READING_MAX 32u

static bool is_digit(u8 c)
{
	return c >= '0' && c <= '9';
}

static bool is_part(u8 c)
{
	return is_digit(c) || c == ':' || c == '.';
}

/* The digits from s on, at most n of them; returns how many. */
static size_t number(const u8 *s, size_t n, u64 *value)
{
	size_t i = 0;
	*value = 0;
	for (; i < n && is_digit(s[i]); i++)
		*value = *value * 10 + (u64)(s[i] - '0');
	return i;
}

static bool is_fraction(const u8 *s, size_t n)
{
	u64 value;
	return n == 0 || (n > 1 && s[0] == '.' && number(s + 1, n - 1, &value) == n - 1);
}

/* 12:34:56.789; the second of a quarter of an hour. */
static bool time_of_day(const u8 *s, size_t n, u64 *second)
{
	u64 h, m, sec;
	if (n < 8 || number(s, 2, &h) != 2 || s[2] != ':' || number(s + 3, 2, &m) != 2 || s[5] != ':' ||
	    number(s + 6, 2, &sec) != 2 || h > 23 || m > 59 || sec > 60)
		return false;
	*second = (m * 60 + sec) % ZONES_S;
	return is_fraction(s + 8, n - 8);
}

static bool since_1970(const u8 *s, size_t n, u64 *second)
{
	u64 value;
	size_t digits = number(s, n, &value);
	if (digits < 10 || digits > 19 || (digits - 10) % 3)
		return false;
	for (size_t i = 10; i < digits; i++)
		value /= 10;
	*second = value;
	return is_fraction(s + digits, n - digits);
}

static bool tells_now(const u8 *recorded, const u8 *said, size_t n, u64 now)
{
	u64 before, then;
	if (time_of_day(said, n, &then) && time_of_day(recorded, n, &before))
		return (now % ZONES_S + EARLY_S + ZONES_S - then) % ZONES_S <= LATE_S + EARLY_S;
	return since_1970(said, n, &then) && since_1970(recorded, n, &before) && before <= then &&
	       then <= now + EARLY_S && now <= then + LATE_S;
}

void clock_readings_adopt(struct cache *c, const struct tree_at *at, u64 said, u64 known)
{
	u8 *data = c->reply.data;
	u64 n = HD_MIN(known, c->reply.len), i = 0;
	while ((i += tree_reply_same(c->t, at, said + i, data + i, n - i)) < n) {
		u8 recorded[READING_MAX];
		u64 from = i, end = i;
		while (from > 0 && is_part(data[from - 1]))
			from--;
		while (end < n && is_part(data[end]))
			end++;
		while (end > i + 1 && !is_digit(data[end - 1])) /* the end of a sentence */
			end--;
		size_t len = (size_t)(end - from);
		if (end == i || len > sizeof(recorded))
			return;
		tree_reply_copy(c->t, at, said + from, recorded, len);
		if (!tells_now(recorded, data + from, len, c->reply.now))
			return;
		memcpy(data + from, recorded, len);
		c->common->clock_readings++;
		i = end;
	}
}
