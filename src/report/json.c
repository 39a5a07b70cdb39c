#include "report/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t utf8_length(const char *text)
{
	const u8 *s = (const u8 *)text;
	static const u32 least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80 ? 1 : (s[0] >> 5) == 6 ? 2 : (s[0] >> 4) == 14 ? 3 : (s[0] >> 3) == 30 ? 4 : 0;
	u32 code = n == 1 ? s[0] : s[0] & (0x7fu >> n);

	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3fu);
	}
	if (n == 0 || code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return n;
}

json_t *json_text(const char *text)
{
	const u8 *s = (const u8 *)(text ? text : "");
	char *clean = malloc(3 * strlen((const char *)s) + 1), *to = clean;
	json_t *j;

	if (!clean)
		return NULL;
	while (*s) {
		size_t n = utf8_length((const char *)s);

		memcpy(to, n ? (const char *)s : "\xef\xbf\xbd", n ? n : 3);
		to += n ? n : 3;
		s += n ? n : 1;
	}
	*to = 0;
	j = json_string(clean);
	free(clean);
	return j;
}

json_t *json_texts(char *const *list)
{
	json_t *j = json_array();

	for (; list && *list; list++)
		json_array_append_new(j, json_text(*list));
	return j;
}

json_t *json_hex(u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%lx", value);
	return json_string(text);
}

bool json_hex_value(const json_t *j, u64 *out)
{
	const char *s = json_string_value(j);
	char *end;

	if (!s || strncmp(s, "0x", 2))
		return false;
	*out = strtoull(s, &end, 16);
	return end > s + 2 && !*end;
}
