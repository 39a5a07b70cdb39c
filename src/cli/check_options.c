#include "cli/check_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/option_peers.h"

#define DEFAULT_HANG_MS 10000
#define DEFAULT_SAVE_MS 60000
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
	o->config.net.short_io = 1;
	o->config.search.reduce = true;
	o->config.search.walks = true;
	o->config.search.max_memory = default_memory();
	o->config.search.pct_depth = DEFAULT_PCT_DEPTH;
	o->jobs = 1;
	o->save_ms = DEFAULT_SAVE_MS;
	option_peers_init(o);
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void check_options_free(struct check_options *o)
{
	free_list(o->extra);
	free_list(o->setting);
	suppressions_free(&o->suppressions);
	free(o->properties);
	option_peers_free(o);
	if (o->own_argv)
		free_list(o->argv);
	memset(o, 0, sizeof(*o));
}

/* Remembers what was given, for result.json. */
static int note_setting(struct check_options *o, const struct option_given *given)
{
	char **grown = realloc(o->setting, (o->settings + 2) * sizeof(*grown));

	if (!grown)
		return -1;
	o->setting = grown;
	if (asprintf(&grown[o->settings], "--%s%s%s", given->spec->name, given->value ? "=" : "",
		     given->value ? given->value : "") < 0) {
		grown[o->settings] = NULL;
		return -1;
	}
	grown[++o->settings] = NULL;
	return 0;
}

int option_apply(struct check_options *o, const struct option_given *given, struct problem *p)
{
	const struct option_spec *spec = given->spec;
	int ret = spec->kind == OPTION_CALL ? spec->apply(o, spec, given->value, p) : option_set(o, given, p);

	if (ret)
		return -1;
	return note_setting(o, given) ? problem_set(p, "out of memory") : 0;
}

/* Index of the program in argv: behind --, or the first word that is no option. */
static int walk_options(int argc, char **argv, struct problem *p,
			int (*each)(struct check_options *, const struct option_given *, struct problem *),
			struct check_options *o)
{
	struct option_given one;
	int at;

	for (at = 1; at < argc; at++) {
		if (!strcmp(argv[at], "--"))
			return at + 1;
		if (argv[at][0] != '-' || !argv[at][1])
			return at;
		if (option_take(&check_option_list, argc, argv, &at, &one, p) || each(o, &one, p))
			return -1;
	}
	return at;
}

bool check_options_ask_help(int argc, char **argv)
{
	struct option_given skipped;
	struct problem unused;

	for (int at = 1; at < argc && argv[at][0] == '-' && strcmp(argv[at], "--"); at++) {
		if (help_word(argv[at]))
			return true;
		if (!argv[at][1] || option_take(&check_option_list, argc, argv, &at, &skipped, &unused))
			return false;
	}
	return false;
}

static int each_scenario(struct check_options *o, const struct option_given *one, struct problem *p)
{
	if (one->spec->letter != 'f')
		return 0;
	o->scenario_read = true;
	return scenario_load(o, one->value, p);
}

/* Neither program nor scenario was given. */
static int take_found_scenario(struct check_options *o, struct problem *p)
{
	char path[2048];

	if (!scenario_find(path, sizeof(path)))
		return 0;
	say("taking %s", path);
	return scenario_load(o, path, p);
}

static int settle(struct check_options *o, struct problem *p)
{
	struct search_options *s = &o->config.search;
	bool samples = s->strategy == SEARCH_RANDOM || s->strategy == SEARCH_PCT;

	/* Who asks for bfs wants the shortest way to a violation, which may be one that is left out. */
	if (s->strategy == SEARCH_BFS && !o->por_given)
		s->reduce = false;
	if (samples && !s->max_runs && !s->max_time_ms)
		s->max_runs = DEFAULT_RUNS;
	if (o->script[0] && samples)
		return problem_set(
			p, "--script: random and pct make no script of all transitions; use --strategy "
			   "dfs or bfs");
	if (o->script[0] && s->no_matching)
		return problem_set(p, "--script: a script numbers states, which --no-matching does not know");
	if (o->script[0] && s->max_depth)
		return problem_set(
			p, "--script: a depth-first script has no bound on the depth; use --max-states "
			   "or --max-time instead of --max-depth");
	return option_peers_settle(o, p);
}

int check_options_parse(struct check_options *o, int argc, char **argv, struct problem *p)
{
	int program;

	/* Scenario files first, wherever they stand: the command line wins. */
	program = walk_options(argc, argv, p, each_scenario, o);
	if (program < 0 || (program >= argc && !o->scenario_read && take_found_scenario(o, p)))
		return -1;
	option_peers_scenario_read(o);
	program = walk_options(argc, argv, p, option_apply, o);
	if (program < 0)
		return -1;
	if (program < argc) {
		if (o->own_argv)
			free_list(o->argv);
		o->own_argv = false;
		o->argv = argv + program;
	}
	if (!o->argv)
		return problem_set(p, "no program given, and no " SCENARIO_NAME
				      " here: heddle check [options] -- PROGRAM ARGUMENTS, or "
				      "heddle init");
	return settle(o, p);
}
