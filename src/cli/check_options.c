#include "cli/check_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/option_peers.h"
#include "cli/values.h"

#define DEFAULT_HANG_MS 10000
#define DEFAULT_RUNS 1000
#define DEFAULT_PCT_DEPTH 3

static u64 default_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (u64)pages * (u64)size / 10 * 8 : 0;
}

void check_options_init(struct check_options *o)
{
	memset(o, 0, sizeof(*o));
	snprintf(o->out, sizeof(o->out), "heddle-out");
	o->config.hang_ms = DEFAULT_HANG_MS;
	o->config.check_deadlock = 1;
	o->config.atomics = 1;
	o->config.races = 1;
	o->config.search.max_memory = default_memory();
	o->config.search.pct_depth = DEFAULT_PCT_DEPTH;
	option_peers_init(o);
}

static void free_list(char **list)
{
	size_t i;

	for (i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void check_options_free(struct check_options *o)
{
	free_list(o->extra);
	free_list(o->setting);
	suppressions_free(&o->suppressions);
	option_peers_free(o);
	if (o->own_argv)
		free_list(o->argv);
	memset(o, 0, sizeof(*o));
}

/* Remembers what was given, for result.json. */
static int note_setting(struct check_options *o, const struct option_spec *spec, const char *value)
{
	char **grown = realloc(o->setting, (o->settings + 2) * sizeof(*grown));

	if (!grown)
		return -1;
	o->setting = grown;
	if (asprintf(&grown[o->settings], "--%s%s%s", spec->name, value ? "=" : "", value ? value : "") < 0) {
		grown[o->settings] = NULL;
		return -1;
	}
	grown[++o->settings] = NULL;
	return 0;
}

int option_apply(struct check_options *o, const struct option_spec *spec, const char *value,
		 struct problem *p)
{
	void *at = (char *)o + spec->offset;
	bool good = true;

	switch (spec->kind) {
	case OPTION_BOOL:
		*(bool *)at = true;
		break;
	case OPTION_FLAG:
		*(u32 *)at = 1;
		break;
	case OPTION_CLEAR:
		*(u32 *)at = 0;
		break;
	case OPTION_NUMBER:
		good = value_number(value, at);
		break;
	case OPTION_SIZE:
		good = value_size(value, at);
		break;
	case OPTION_TIME:
		good = value_time_ms(value, at);
		break;
	case OPTION_CALL:
		if (spec->apply(o, spec, value, p))
			return -1;
		break;
	}
	if (!good)
		return problem_set(p, "--%s: %s is not a %s", spec->name, value,
				   spec->kind == OPTION_SIZE   ? "size (like 512M or 8G)"
				   : spec->kind == OPTION_TIME ? "time (like 90, 5m or 2h)"
							       : "whole number");
	if (note_setting(o, spec, value))
		return problem_set(p, "out of memory");
	return 0;
}

/* One option with its value; *at moves over what was used. */
struct parsed {
	const struct option_spec *spec;
	const char *value;
};

static int take_value(struct parsed *out, int argc, char **argv, int *at, const char *attached,
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

static int parse_one(struct parsed *out, int argc, char **argv, int *at, struct problem *p)
{
	const char *arg = argv[*at], *attached = NULL;

	out->value = NULL;
	if (arg[1] == '-') {
		size_t len = strcspn(arg + 2, "=");

		out->spec = option_by_name(arg + 2, len);
		attached = arg[2 + len] ? arg + 2 + len + 1 : NULL;
	} else {
		out->spec = option_by_letter(arg[1]);
		attached = arg[1] && arg[2] ? arg + 2 + (arg[2] == '=') : NULL;
	}
	if (!out->spec)
		return problem_set(p, "unknown option %s", arg);
	return take_value(out, argc, argv, at, attached, p);
}

/* Index of the program in argv: behind --, or the first word that is no option. */
static int walk_options(int argc, char **argv, struct problem *p,
			int (*each)(struct check_options *, const struct parsed *, struct problem *),
			struct check_options *o)
{
	struct parsed one;
	int at;

	for (at = 1; at < argc; at++) {
		if (!strcmp(argv[at], "--"))
			return at + 1;
		if (argv[at][0] != '-' || !argv[at][1])
			return at;
		if (parse_one(&one, argc, argv, &at, p) || each(o, &one, p))
			return -1;
	}
	return at;
}

bool check_options_ask_help(int argc, char **argv)
{
	struct parsed skipped;
	struct problem ignored;
	int at;

	for (at = 1; at < argc && argv[at][0] == '-' && strcmp(argv[at], "--"); at++) {
		if (help_word(argv[at]))
			return true;
		if (!argv[at][1] || parse_one(&skipped, argc, argv, &at, &ignored))
			return false;
	}
	return false;
}

static int each_scenario(struct check_options *o, const struct parsed *one, struct problem *p)
{
	return one->spec->letter == 'f' ? scenario_load(o, one->value, p) : 0;
}

static int each_option(struct check_options *o, const struct parsed *one, struct problem *p)
{
	return option_apply(o, one->spec, one->value, p);
}

static int settle(struct check_options *o, struct problem *p)
{
	struct search_options *s = &o->config.search;
	bool samples = s->strategy == SEARCH_RANDOM || s->strategy == SEARCH_PCT;

	if (samples && !s->max_runs && !s->max_time_ms)
		s->max_runs = DEFAULT_RUNS;
	return option_peers_settle(o, p);
}

int check_options_parse(struct check_options *o, int argc, char **argv, struct problem *p)
{
	int program;

	/* Scenario files first, wherever they stand: the command line wins. */
	if (walk_options(argc, argv, p, each_scenario, o) < 0)
		return -1;
	option_peers_scenario_read(o);
	program = walk_options(argc, argv, p, each_option, o);
	if (program < 0)
		return -1;
	if (program < argc) {
		if (o->own_argv)
			free_list(o->argv);
		o->own_argv = false;
		o->argv = argv + program;
	}
	if (!o->argv)
		return problem_set(p, "no program given: heddle check [options] -- PROGRAM ARGUMENTS");
	return settle(o, p);
}
