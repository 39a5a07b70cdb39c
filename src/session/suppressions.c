#include "session/suppressions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does the pattern fit a beginning of the text? */
static bool fits_here(const char *pattern, const char *text)
{
	for (; *pattern && *pattern != '*'; pattern++, text++) {
		if (*pattern == '$' && !pattern[1])
			return !*text;
		if (*pattern != *text)
			return false;
	}
	if (!*pattern)
		return true;
	while (*pattern == '*')
		pattern++;
	for (;; text++) {
		if (fits_here(pattern, text))
			return true;
		if (!*text)
			return false;
	}
}

bool suppression_fits(const char *pattern, const char *name)
{
	if (!*name)
		return false;
	if (*pattern == '^')
		return fits_here(pattern + 1, name);
	for (; *name; name++)
		if (fits_here(pattern, name))
			return true;
	return false;
}

static int add(struct suppressions *s, const char *pattern, bool top)
{
	struct suppression *grown = realloc(s->list, (s->count + 1) * sizeof(*grown));
	char *copy = strdup(pattern);

	if (grown)
		s->list = grown;
	if (!grown || !copy) {
		free(copy);
		return -1;
	}
	s->list[s->count++] = (struct suppression){copy, top};
	return 0;
}

static int add_line(struct suppressions *s, char *line, const char *path, unsigned number, struct problem *p)
{
	static const char race[] = "race:", race_top[] = "race_top:";
	bool top;

	line += strspn(line, " \t");
	line[strcspn(line, "#\r\n")] = 0;
	for (size_t n = strlen(line); n > 0 && strchr(" \t", line[n - 1]); n--)
		line[n - 1] = 0;
	if (!*line)
		return 0;
	top = !strncmp(line, race_top, strlen(race_top));
	if (!top && strncmp(line, race, strlen(race)))
		return problem_set(p, "%s:%u: %s is neither race:NAME nor race_top:NAME", path, number, line);
	line += top ? strlen(race_top) : strlen(race);
	if (!*line)
		return problem_set(p, "%s:%u: a name must follow the colon", path, number);
	return add(s, line, top) ? problem_set(p, "out of memory") : 0;
}

int suppressions_load(struct suppressions *s, const char *path, struct problem *p)
{
	FILE *f = fopen(path, "r");
	unsigned number = 0;
	size_t room = 0;
	char *line = NULL;
	int ret = 0;

	if (!f)
		return problem_set(p, "--suppressions: %s: %s", path, strerror(errno));
	while (!ret && getline(&line, &room, f) >= 0)
		ret = add_line(s, line, path, ++number, p);
	if (!ret && ferror(f))
		ret = problem_set(p, "--suppressions: %s: %s", path, strerror(errno));
	free(line);
	fclose(f);
	return ret;
}

void suppressions_free(struct suppressions *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->list[i].pattern);
	free(s->list);
	memset(s, 0, sizeof(*s));
}

static bool fits_stack(const struct suppression *one, const struct log_entry *l)
{
	for (u32 i = 0; l && i < l->frames && (i == 0 || !one->top); i++) {
		const struct frame *f = &l->frame[i];

		if (suppression_fits(one->pattern, f->function))
			return true;
		if (!one->top &&
		    (suppression_fits(one->pattern, f->file) || suppression_fits(one->pattern, f->module)))
			return true;
	}
	return false;
}

enum suppression_match suppressions_match(const struct suppressions *s, const struct suppressed_race *race)
{
	for (size_t i = 0; i < s->count; i++)
		if (fits_stack(&s->list[i], race->side[0]) || fits_stack(&s->list[i], race->side[1]))
			return SUPPRESSION_CODE;
	for (size_t i = 0; i < s->count; i++)
		if (!s->list[i].top && suppression_fits(s->list[i].pattern, race->variable))
			return SUPPRESSION_VARIABLE;
	return SUPPRESSION_NONE;
}
