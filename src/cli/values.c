#include "cli/values.h"

#include <string.h>

struct unit {
	const char *suffix;
	u64 factor;
};

bool value_number(const char *text, u64 *out)
{
	u64 v = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		u64 digit = (u64)(*text - '0');

		if (*text < '0' || *text > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, digit, &v))
			return false;
	}
	*out = v;
	return true;
}

/* A decimal with up to nine places, as thousand-millionths. */
static bool parse_decimal(const char *text, size_t len, u64 *whole, u64 *billionths)
{
	u64 scale = 1000000000;
	size_t i;

	*whole = *billionths = 0;
	for (i = 0; i < len && text[i] != '.'; i++)
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*whole, 10, whole) ||
		    __builtin_add_overflow(*whole, (u64)(text[i] - '0'), whole))
			return false;
	if (i == 0 || i + 1 == len)
		return false;
	for (i++; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		scale /= 10;
		*billionths += scale * (u64)(text[i] - '0');
	}
	return true;
}

static bool parse_with_unit(const char *text, const struct unit *units, size_t n, u64 *out)
{
	size_t len = strspn(text, "0123456789."), i;
	u64 whole, billionths, part, v;

	if (!parse_decimal(text, len, &whole, &billionths))
		return false;
	for (i = 0; i < n; i++) {
		if (strcmp(text + len, units[i].suffix))
			continue;
		part = (u64)((double)billionths * (double)units[i].factor / 1e9);
		/* Traces keep such values as signed numbers. */
		if (__builtin_mul_overflow(whole, units[i].factor, &v) ||
		    __builtin_add_overflow(v, part, &v) || v > INT64_MAX)
			return false;
		*out = v;
		return true;
	}
	return false;
}

bool value_size(const char *text, u64 *out)
{
	static const struct unit units[] = {{"", 1},         {"k", 1 << 10},  {"K", 1 << 10},
					    {"M", 1 << 20},  {"G", 1 << 30},  {"T", 1UL << 40},
					    {"kB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}};

	return parse_with_unit(text, units, HD_ARRAY_LEN(units), out);
}

bool value_time_ms(const char *text, u64 *out)
{
	static const struct unit units[] = {{"", 1000},   {"s", 1000},    {"ms", 1},
					    {"m", 60000}, {"min", 60000}, {"h", 3600000}};

	return parse_with_unit(text, units, HD_ARRAY_LEN(units), out);
}

bool value_bool(const char *text, bool *out)
{
	static const char *const words[] = {"yes", "no", "true", "false", "on", "off"};

	for (size_t i = 0; i < HD_ARRAY_LEN(words); i++)
		if (!strcmp(text, words[i])) {
			*out = i % 2 == 0;
			return true;
		}
	return false;
}
