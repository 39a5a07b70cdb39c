#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/trace.h"

char *trace_actions_text(const u32 *path, u64 len)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	u64 run;

	if (!f)
		return NULL;
	for (u64 i = 0; i < len; i += run) {
		for (run = 1; i + run < len && path[i + run] == path[i]; run++)
			;
		fprintf(f, "%s%u", i ? " " : "", ACTION_FIBER(path[i]));
		if (ACTION_ALT(path[i]))
			fprintf(f, ".%u", ACTION_ALT(path[i]));
		if (run > 1)
			fprintf(f, "*%lu", run);
	}
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static bool parse_number(const char **at, u64 most, u64 *out)
{
	u64 v = 0;

	if (**at < '0' || **at > '9')
		return false;
	for (; **at >= '0' && **at <= '9'; (*at)++) {
		v = v * 10 + (u64)(**at - '0');
		if (v > most)
			return false;
	}
	*out = v;
	return true;
}

/* One word: slot[.outcome][*times]. */
static bool parse_word(const char **at, u32 *action, u64 *times)
{
	u64 fiber, alt = 0;

	*times = 1;
	if (!parse_number(at, LAYOUT_MAX_FIBERS - 1, &fiber))
		return false;
	if (**at == '.' && ((*at)++, !parse_number(at, 0xffff, &alt)))
		return false;
	if (**at == '*' && ((*at)++, !parse_number(at, WIRE_MAX_PATH, times)))
		return false;
	*action = ACTION(fiber, alt);
	return **at == ' ' || **at == 0;
}

static bool count_actions(const char *at, u64 *len)
{
	*len = 0;
	while (*at) {
		u64 times;
		u32 action;

		if (!parse_word(&at, &action, &times) || times > WIRE_MAX_PATH - *len)
			return false;
		*len += times;
		if (*at == ' ' && !*++at)
			return false;
	}
	return true;
}

u32 *trace_actions_parse(const char *text, u64 *len)
{
	u32 *path, action;
	u64 n = 0, times;

	if (!count_actions(text, len))
		return NULL;
	path = malloc((*len + 1) * sizeof(*path));
	while (path && *text && parse_word(&text, &action, &times)) {
		while (times--)
			path[n++] = action;
		if (*text == ' ')
			text++;
	}
	return path;
}
