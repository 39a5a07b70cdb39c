/*
 * scenario.c: heddle.yaml. Says what the options say, grouped:
 *
 *   sut: [./phil, 5]            or a string, split at blanks
 *   strategy: dfs               or {name: pct, seed: 7, depth: 3}
 *   limits: {states: 1000000, depth: 500, time: 5m, memory: 4G, runs: 100, heap: 64M, horizon: 10s}
 *   properties: {deadlock: yes, exit-status: no, hang-time: 10s, invariant: [used <= capacity], step: …}
 *   env: {NAME: value}          or [NAME=value]
 *   format: [junit, html]
 *   server: ./backend {port:80} or a list; client likewise
 *   clients: 3                  with one client: command; or a list of commands
 *   peers: {server: …, client: …, clients: …, identical: yes, timeout: 10s, …}
 *   cache: branching            or {mode: branching, save: FILE, load: FILE}
 *   any option: value           keep-going: yes
 *
 * Names of files and programs count from the scenario's own folder; what is not there, from the current one.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "cli/check_options.h"
#include "launch/similar.h"
#include "cli/values.h"

struct scenario {
	yaml_document_t doc;
	const char *path;
	char dir[2048]; /* its folder, with a slash; "": here */
	struct check_options *options;
	struct problem *problem;
};

/* Keys inside sections, and the options they mean. */
static const struct {
	const char *section, *key, *option;
	bool inverted; /* "deadlock: no" is --no-deadlock */
} section_keys[] = {
	{"limits", "states", "max-states", false},
	{"limits", "depth", "max-depth", false},
	{"limits", "time", "max-time", false},
	{"limits", "memory", "max-memory", false},
	{"limits", "runs", "runs", false},
	{"limits", "heap", "heap-limit", false},
	{"limits", "horizon", "time-horizon", false},
	{"properties", "deadlock", "no-deadlock", true},
	{"properties", "invariant", "invariant", false},
	{"properties", "step", "step", false},
	{"properties", "invariant-file", "invariant-file", false},
	{"properties", "exit-status", "check-exit", false},
	{"properties", "hang-time", "hang-time", false},
	{"properties", "fds", "check-fds", false},
	{"strategy", "name", "strategy", false},
	{"strategy", "seed", "seed", false},
	{"strategy", "depth", "pct-depth", false},
	{"strategy", "runs", "runs", false},
	{"strategy", "por", "por", false},
	{"peers", "server", "server", false},
	{"peers", "servers", "server", false},
	{"peers", "client", "client", false},
	{"peers", "identical", "identical-clients", false},
	{"peers", "order", "client-order", false},
	{"network", "short-io", "short-io", false},
	{"network", "accept", "accept", false},
	{"network", "read", "read", false},
	{"network", "write", "write", false},
	{"network", "connect", "connect", false},
	{"network", "retries", "retries", false},
	{"network", "faults", "net-faults", false},
	{"network", "fault-budget", "fault-budget", false},
	{"network", "ready-subsets", "ready-subsets", false},
	{"peers", "model", "peers", false},
	{"peers", "checkpoint", "checkpoint", false},
	{"peers", "checkpoint-backend", "checkpoint-backend", false},
	{"peers", "branches", "peer-branches", false},
	{"peers", "recheck", "recheck", false},
	{"peers", "ask-again", "ask-again", false},
	{"peers", "allow-refused", "allow-refused", false},
	{"peers", "timeout", "peer-timeout", false},
	{"peers", "response-timeout", "response-timeout", false},
	{"cache", "mode", "cache", false},
	{"cache", "save", "save-trees", false},
	{"cache", "load", "load-trees", false},
};

static const char *const groups[] = {"sut", "limits", "properties", "peers", "network", "strategy", "cache"};

static int wrong(struct scenario *s, const yaml_node_t *at, const char *what, const char *detail)
{
	return problem_set(s->problem, "%s:%zu: %s%s", s->path, at->start_mark.line + 1, what, detail);
}

static const char *scalar(const yaml_node_t *n)
{
	return n && n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
}

static bool is_file_option(const struct option_spec *spec)
{
	static const char *const names[] = {"stdin",      "suppressions", "load-trees",
					    "save-trees", "graph",        "out"};

	for (size_t i = 0; i < HD_ARRAY_LEN(names); i++)
		if (!strcmp(spec->name, names[i]))
			return true;
	return false;
}

/* Of a command, the first word counts, if it has a slash: others are found in PATH, or are arguments. */
static bool is_command_option(const struct option_spec *spec)
{
	return !strcmp(spec->name, "server") || !strcmp(spec->name, "client");
}

/* The folder to put before a name: it is there, or what is to be written goes there. */
static const char *folder_for(const struct scenario *s, const char *name, size_t len, bool written)
{
	char path[4096];

	if (!s->dir[0] || name[0] == '/')
		return "";
	snprintf(path, sizeof(path), "%s%.*s", s->dir, (int)len, name);
	return written || access(path, F_OK) == 0 ? s->dir : "";
}

static const char *folder_for_option(const struct scenario *s, const struct option_spec *spec,
				     const char *text)
{
	size_t len = strcspn(text, " \t");

	if (is_file_option(spec))
		return folder_for(s, text, strlen(text),
				  !strcmp(spec->name, "out") || !strcmp(spec->name, "graph") ||
					  !strcmp(spec->name, "save-trees"));
	if (is_command_option(spec) && memchr(text, '/', len))
		return folder_for(s, text, len, false);
	return "";
}

/* Applies one option and puts file and line before what is wrong with it. */
static int apply(struct scenario *s, const struct option_spec *spec, const yaml_node_t *value, bool inverted)
{
	const char *text = scalar(value);
	struct problem inner;
	char moved[4096];
	bool on;

	if (!text)
		return wrong(s, value, spec->name, ": a single value is expected");
	if (spec->letter == 'f')
		return wrong(s, value, "a scenario cannot include another", "");
	if (!spec->value) {
		if (!value_bool(text, &on))
			return wrong(s, value, spec->name, ": yes or no is expected");
		if (on == inverted)
			return 0;
		text = NULL;
	}
	if (text) {
		snprintf(moved, sizeof(moved), "%s%s", folder_for_option(s, spec, text), text);
		text = moved;
	}
	if (option_apply(s->options, &(struct option_given){spec, text}, &inner))
		return wrong(s, value, inner.text, "");
	return 0;
}

typedef int (*pair_handler)(struct scenario *s, const yaml_node_t *key, yaml_node_t *value,
			    const char *section);

static int each_pair(struct scenario *s, yaml_node_t *map, const char *section, pair_handler handle)
{
	if (map->type != YAML_MAPPING_NODE)
		return wrong(s, map, section ? section : "scenario", ": keys and values are expected");
	for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top;
	     pair++) {
		yaml_node_t *key = yaml_document_get_node(&s->doc, pair->key);
		yaml_node_t *value = yaml_document_get_node(&s->doc, pair->value);

		if (!scalar(key))
			return wrong(s, key, "a key must be a word", "");
		if (handle(s, key, value, section))
			return -1;
	}
	return 0;
}

/* A scalar, or each element of a list. */
static int apply_each(struct scenario *s, const struct option_spec *spec, yaml_node_t *value, bool inverted)
{
	if (value->type != YAML_SEQUENCE_NODE)
		return apply(s, spec, value, inverted);
	for (yaml_node_item_t *item = value->data.sequence.items.start; item < value->data.sequence.items.top;
	     item++)
		if (apply(s, spec, yaml_document_get_node(&s->doc, *item), inverted))
			return -1;
	return 0;
}

/* A number, or the commands themselves. */
static int clients(struct scenario *s, yaml_node_t *value)
{
	const char *name = value->type == YAML_SEQUENCE_NODE ? "client" : "clients";

	return apply_each(s, option_by_name(&check_option_list, name, strlen(name)), value, false);
}

static int unknown_key(struct scenario *s, const yaml_node_t *key, const char *section)
{
	struct similar best = SIMILAR_NONE;
	const char *name = scalar(key);
	char meant[128], text[256];

	for (size_t i = 0; section && i < HD_ARRAY_LEN(section_keys); i++)
		if (!strcmp(section_keys[i].section, section))
			similar_try(&best, name, strlen(name), section_keys[i].key);
	for (size_t i = 0; !section && i < check_option_list.count; i++)
		if (check_option_list.spec[i].help)
			similar_try(&best, name, strlen(name), check_option_list.spec[i].name);
	for (size_t i = 0; !section && i < HD_ARRAY_LEN(groups); i++)
		similar_try(&best, name, strlen(name), groups[i]);
	snprintf(text, sizeof(text), "%.100s%s", name, similar_text(&best, "", meant, sizeof(meant)));
	return wrong(s, key, "unknown key ", text);
}

static int section_pair(struct scenario *s, const yaml_node_t *key, yaml_node_t *value, const char *section)
{
	if (!strcmp(section, "peers") && !strcmp(scalar(key), "clients"))
		return clients(s, value);
	for (size_t i = 0; i < HD_ARRAY_LEN(section_keys); i++)
		if (!strcmp(section_keys[i].section, section) && !strcmp(section_keys[i].key, scalar(key))) {
			const char *name = section_keys[i].option;

			return apply_each(s, option_by_name(&check_option_list, name, strlen(name)), value,
					  section_keys[i].inverted);
		}
	return unknown_key(s, key, section);
}

static int env_pair(struct scenario *s, const yaml_node_t *key, yaml_node_t *value, const char *section)
{
	const struct option_spec *spec = option_by_name(&check_option_list, "env", 3);
	struct problem inner;
	char *variable;
	int ret;

	(void)section;
	if (!scalar(value))
		return wrong(s, value, scalar(key), ": a single value is expected");
	if (asprintf(&variable, "%s=%s", scalar(key), scalar(value)) < 0)
		return wrong(s, value, "out of memory", "");
	ret = option_apply(s->options, &(struct option_given){spec, variable}, &inner);
	free(variable);
	return ret ? wrong(s, key, inner.text, "") : 0;
}

static int add_word(struct check_options *o, size_t *n, const char *folder, const char *word, size_t len)
{
	char **grown = realloc(o->argv, (*n + 2) * sizeof(*grown));

	if (!grown)
		return -1;
	o->argv = grown;
	o->own_argv = true;
	if (asprintf(&grown[*n], "%s%.*s", folder, (int)len, word) < 0)
		grown[*n] = NULL;
	grown[*n + 1] = NULL;
	return grown[(*n)++] ? 0 : -1;
}

/* For the program itself, if it is named by a path. */
static const char *folder_for_word(const struct scenario *s, size_t n, const char *word, size_t len)
{
	return n == 0 && memchr(word, '/', len) ? folder_for(s, word, len, false) : "";
}

static int sut_words(struct scenario *s, const char *text)
{
	size_t n = 0;

	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
		size_t len = strcspn(text, " \t");

		if (add_word(s->options, &n, folder_for_word(s, n, text, len), text, len))
			return -1;
		text += len;
	}
	return n ? 0 : -1;
}

/* Of an earlier file, or an earlier line: the last one counts. */
static void drop_sut(struct check_options *o)
{
	for (size_t i = 0; o->own_argv && o->argv && o->argv[i]; i++)
		free(o->argv[i]);
	if (o->own_argv)
		free(o->argv);
	o->argv = NULL;
	o->own_argv = false;
}

static int sut(struct scenario *s, yaml_node_t *value)
{
	size_t n = 0;

	drop_sut(s->options);
	if (scalar(value))
		return sut_words(s, scalar(value)) ? wrong(s, value, "sut: the program is missing", "") : 0;
	if (value->type != YAML_SEQUENCE_NODE ||
	    value->data.sequence.items.start == value->data.sequence.items.top)
		return wrong(s, value, "sut: a list of words is expected", "");
	for (yaml_node_item_t *item = value->data.sequence.items.start; item < value->data.sequence.items.top;
	     item++) {
		const char *word = scalar(yaml_document_get_node(&s->doc, *item));

		if (!word ||
		    add_word(s->options, &n, folder_for_word(s, n, word, strlen(word)), word, strlen(word)))
			return wrong(s, value, "sut: a list of words is expected", "");
	}
	return 0;
}

static int top_pair(struct scenario *s, const yaml_node_t *key, yaml_node_t *value, const char *section)
{
	const char *name = scalar(key);
	const struct option_spec *spec = option_by_name(&check_option_list, name, strlen(name));

	(void)section;
	if (!strcmp(name, "sut"))
		return sut(s, value);
	if (!strcmp(name, "clients"))
		return clients(s, value);
	if (!strcmp(name, "limits") || !strcmp(name, "properties") || !strcmp(name, "peers") ||
	    !strcmp(name, "network"))
		return each_pair(s, value, name, section_pair);
	if ((!strcmp(name, "strategy") || !strcmp(name, "cache")) && value->type == YAML_MAPPING_NODE)
		return each_pair(s, value, name, section_pair);
	if (!strcmp(name, "env") && value->type == YAML_MAPPING_NODE)
		return each_pair(s, value, name, env_pair);
	if (!spec)
		return unknown_key(s, key, NULL);
	return apply_each(s, spec, value, false);
}

static int load_document(struct scenario *s, yaml_parser_t *parser)
{
	yaml_node_t *root;
	int ret;

	if (!yaml_parser_load(parser, &s->doc))
		return problem_set(s->problem, "%s:%zu: %s", s->path, parser->problem_mark.line + 1,
				   parser->problem ? parser->problem : "not YAML");
	root = yaml_document_get_root_node(&s->doc);
	ret = root ? each_pair(s, root, NULL, top_pair) : problem_set(s->problem, "%s is empty", s->path);
	yaml_document_delete(&s->doc);
	return ret;
}

int scenario_load(struct check_options *o, const char *path, struct problem *p)
{
	struct scenario s = {.path = path, .options = o, .problem = p};
	yaml_parser_t parser;
	const char *slash = strrchr(path, '/');
	FILE *f = fopen(path, "re");
	struct stat st;
	int ret;

	if (slash)
		snprintf(s.dir, sizeof(s.dir), "%.*s", (int)(slash - path) + 1, path);
	if (!f)
		return problem_set(p, "the scenario %s cannot be read: %s", path, strerror(errno));
	if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
		fclose(f);
		return problem_set(p, "%s is a folder; give the file in it: -f %s/heddle.yaml", path, path);
	}
	if (!yaml_parser_initialize(&parser)) {
		fclose(f);
		return problem_set(p, "out of memory");
	}
	yaml_parser_set_input_file(&parser, f);
	ret = load_document(&s, &parser);
	yaml_parser_delete(&parser);
	fclose(f);
	return ret;
}

bool scenario_find(char *out, size_t cap)
{
	char here[PATH_MAX];
	size_t depth = 0;

	if (!getcwd(here, sizeof(here)))
		return false;
	for (const char *c = here; *c; c++)
		depth += *c == '/';
	out[0] = 0;
	for (size_t up = 0; up <= depth && strlen(out) + sizeof("../" SCENARIO_NAME) < cap; up++) {
		char *end = out + strlen(out);

		strcpy(end, SCENARIO_NAME);
		if (access(out, F_OK) == 0)
			return true;
		strcpy(end, "../");
	}
	return false;
}
