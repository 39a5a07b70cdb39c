#include "cli/option_properties.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "property/property.h"

int property_option(struct wire_properties **all, bool step, const char *text, struct problem *p)
{
	if (!*all)
		*all = calloc(1, sizeof(**all));
	if (!*all)
		return problem_set(p, "out of memory");
	return property_add(*all, step, text, p);
}

/* Does the line call next()? Then it is about steps. */
static bool calls_next(const char *line)
{
	for (const char *at = line; (at = strstr(at, "next")); at += strlen("next")) {
		const char *behind = at + strlen("next");

		if (at > line &&
		    (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.' || at[-1] == '>'))
			continue;
		behind += strspn(behind, " \t");
		if (*behind == '(')
			return true;
	}
	return false;
}

int property_file_option(struct wire_properties **all, const char *path, struct problem *p)
{
	FILE *f = fopen(path, "re");
	struct problem why;
	char *line = NULL;
	size_t room = 0, number = 0;
	int ret = 0;

	if (!f)
		return problem_set(p, "--invariant-file: %s cannot be read: %s", path, strerror(errno));
	while (ret == 0 && getline(&line, &room, f) >= 0) {
		char *hash = strchr(line, '#');

		number++;
		if (hash)
			*hash = 0;
		if (!line[strspn(line, " \t\r\n")])
			continue;
		if (property_option(all, calls_next(line), line, &why))
			ret = problem_set(p, "%s:%zu: %.1900s", path, number, why.text);
	}
	if (ret == 0 && ferror(f))
		ret = problem_set(p, "--invariant-file: %s cannot be read: %s", path, strerror(errno));
	free(line);
	fclose(f);
	return ret;
}

int apply_property(struct check_options *o, const struct option_spec *s, const char *value, struct problem *p)
{
	return property_option(&o->properties, !strcmp(s->name, "step"), value, p);
}

int apply_property_file(struct check_options *o, const struct option_spec *s, const char *value,
			struct problem *p)
{
	(void)s;
	return property_file_option(&o->properties, value, p);
}
