#include "cli/option_parse.h"

#include <string.h>

#include "launch/similar.h"
#include "cli/values.h"

const struct option_spec *option_by_name(const struct option_list *l, const char *name, size_t len)
{
	for (size_t i = 0; i < l->count; i++)
		if (strlen(l->spec[i].name) == len && !memcmp(l->spec[i].name, name, len))
			return &l->spec[i];
	return NULL;
}

static const struct option_spec *option_by_letter(const struct option_list *l, char letter)
{
	for (size_t i = 0; i < l->count; i++)
		if (letter && l->spec[i].letter == letter)
			return &l->spec[i];
	return NULL;
}

static int take_value(struct option_given *out, int argc, char **argv, int *at, const char *attached,
		      struct problem *p)
{
	if (!out->spec->value) {
		if (attached)
			return problem_set(p, "--%s takes no value", out->spec->name);
		return 0;
	}
	if (!attached && (*at + 1 >= argc || !strcmp(argv[*at + 1], "--")))
		return problem_set(p, "%s needs a value (%s)", argv[*at], out->spec->value);
	out->value = attached ? attached : argv[++*at];
	return 0;
}

static int unknown_option(const struct option_list *l, const char *arg, struct problem *p)
{
	struct similar best = SIMILAR_NONE;
	char meant[128];
	size_t len = strcspn(arg, "=");

	/* -max-time is meant as --max-time, too. */
	for (size_t i = 0, dashes = strspn(arg, "-"); i < l->count && len > dashes + 1; i++)
		if (l->spec[i].help)
			similar_try(&best, arg + dashes, len - dashes, l->spec[i].name);
	return problem_set(p, "unknown option %s%s", arg, similar_text(&best, "--", meant, sizeof(meant)));
}

int option_take(const struct option_list *l, int argc, char **argv, int *at, struct option_given *out,
		struct problem *p)
{
	const char *arg = argv[*at], *attached;

	out->value = NULL;
	if (arg[1] == '-') {
		size_t len = strcspn(arg + 2, "=");

		out->spec = option_by_name(l, arg + 2, len);
		attached = arg[2 + len] ? arg + 2 + len + 1 : NULL;
	} else {
		out->spec = option_by_letter(l, arg[1]);
		attached = arg[1] && arg[2] ? arg + 2 + (arg[2] == '=') : NULL;
	}
	if (!out->spec)
		return unknown_option(l, arg, p);
	return take_value(out, argc, argv, at, attached, p);
}

int option_set(void *options, const struct option_given *given, struct problem *p)
{
	const struct option_spec *spec = given->spec;
	void *at = (char *)options + spec->offset;

	switch (spec->kind) {
	case OPTION_BOOL:
		*(bool *)at = true;
		return 0;
	case OPTION_FLAG:
		*(u32 *)at = 1;
		return 0;
	case OPTION_CLEAR:
		*(u32 *)at = 0;
		return 0;
	case OPTION_TEXT:
		*(const char **)at = given->value;
		return 0;
	case OPTION_NUMBER:
		if (value_number(given->value, at))
			return 0;
		return problem_set(p, "--%s: %s is not a whole number", spec->name, given->value);
	case OPTION_SIZE:
		if (value_size(given->value, at))
			return 0;
		return problem_set(p, "--%s: %s is not a size (like 512M or 8G)", spec->name, given->value);
	case OPTION_TIME:
		if (value_time_ms(given->value, at))
			return 0;
		return problem_set(p, "--%s: %s is not a time (like 90, 5m or 2h)", spec->name, given->value);
	case OPTION_CALL:
		break;
	}
	hd_panic(__FILE__, __LINE__, "an option with a function of its own");
}

int option_parse_verb(const struct option_list *l, void *options, int argc, char **argv,
		      struct verb_words *out, struct problem *p)
{
	*out = (struct verb_words){0};
	for (int at = 1; at < argc; at++) {
		struct option_given given;

		if (!strcmp(argv[at], "--")) {
			out->program = at + 1 < argc ? argv + at + 1 : NULL;
			return 0;
		}
		if (argv[at][0] == '-' && argv[at][1]) {
			if (option_take(l, argc, argv, &at, &given, p) || option_set(options, &given, p))
				return -1;
		} else if (out->operand) {
			return problem_set(p, "%s: one at a time", argv[at]);
		} else {
			out->operand = argv[at];
		}
	}
	return 0;
}
