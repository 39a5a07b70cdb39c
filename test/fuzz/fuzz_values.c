/* Numbers, sizes and times as typed: refused, or what a calculation in floating point says, without
   overflow. */
#include <stdlib.h>
#include <string.h>

#include "cli/values.h"
#include "fuzz.h"

static long double factor_of(const char *unit, bool time)
{
	static const struct {
		const char *name;
		long double factor;
	} sizes[] = {{"", 1},        {"k", 1024},  {"K", 1024},     {"M", 1048576},    {"G", 1073741824},
		     {"T", 0x1p40L}, {"kB", 1024}, {"MB", 1048576}, {"GB", 1073741824}},
	  times[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000}, {"min", 60000}, {"h", 3600000}};
	size_t i, n = time ? HD_ARRAY_LEN(times) : HD_ARRAY_LEN(sizes);

	for (i = 0; i < n; i++)
		if (!strcmp(unit, time ? times[i].name : sizes[i].name))
			return time ? times[i].factor : sizes[i].factor;
	return 0;
}

static void expect_near(const char *text, bool time, u64 got)
{
	char *unit;
	long double value = strtold(text, &unit), factor = factor_of(unit, time);
	long double off = value * factor - (long double)got,
		    most = 1.001L + factor / 1e9L; /* nine places count */

	fuzz_expect(text[0] >= '0' && text[0] <= '9');
	fuzz_expect(off > -most && off < most);
	fuzz_accepted++;
}

static void expect_number(const char *text, u64 got)
{
	fuzz_expect(strspn(text, "0123456789") == strlen(text) && text[0]);
	fuzz_expect(got == strtoull(text, NULL, 10));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz_string(data, size);
	bool on;
	u64 v;

	if (value_number(text, &v))
		expect_number(text, v);
	if (value_size(text, &v))
		expect_near(text, false, v);
	if (value_time_ms(text, &v))
		expect_near(text, true, v);
	if (value_bool(text, &on))
		fuzz_expect(!strcmp(text, on ? "yes" : "no") || !strcmp(text, on ? "true" : "false") ||
			    !strcmp(text, on ? "on" : "off"));
	free(text);
	return 0;
}
