/*
 * options.h: what heddle check was told, from the command line or a scenario file. One table describes every
 * option; the parser, the scenario reader and the help text read it.
 */
#ifndef HEDDLE_CLI_OPTIONS_H
#define HEDDLE_CLI_OPTIONS_H

#include "broker/broker.h"
#include "session/suppressions.h"
#include "launch/problem.h"
#include "peer/peer.h"
#include "report/formats.h"
#include "wire/wire.h"

#define OPTIONS_FORMATS 8

struct check_options {
	struct wire_config config;
	char **argv;   /* the program and its arguments, NULL-terminated; NULL: not given */
	bool own_argv; /* from a scenario: to be freed */
	char **extra;  /* --env, NULL-terminated */
	size_t extras;
	char out[2048];
	const struct format *format[OPTIONS_FORMATS];
	size_t formats;
	struct suppressions suppressions;
	bool quiet, verbose, no_progress;
	struct peer_options peers;
	struct broker_options broker;
	u64 clients;                             /* --clients; 0: as many as there are commands */
	bool scenario_servers, scenario_clients; /* commands of a scenario: the command line's replace them */
	char save_trees[2048], load_trees[2048]; /* "": not given */
	char **setting;                          /* "--name=value" of everything given, NULL-terminated */
	size_t settings;
};

enum option_kind {
	OPTION_BOOL,   /* bool becomes true */
	OPTION_FLAG,   /* u32 becomes 1 */
	OPTION_CLEAR,  /* u32 becomes 0 */
	OPTION_NUMBER, /* u64 */
	OPTION_SIZE,   /* u64, bytes */
	OPTION_TIME,   /* u64, milliseconds */
	OPTION_CALL,   /* apply() */
};

struct option_spec {
	const char *name; /* without -- */
	char letter;      /* 0: none */
	enum option_kind kind;
	const char *value; /* its name in the help text; NULL: takes none */
	const char *help;  /* NULL: hidden */
	size_t offset;     /* in struct check_options */
	int (*apply)(struct check_options *o, const struct option_spec *spec, const char *value,
		     struct problem *p);
};

const struct option_spec *option_by_name(const char *name, size_t len);
const struct option_spec *option_by_letter(char letter);
/* The n-th, NULL behind the last. */
const struct option_spec *option_at(size_t n);
/* value is NULL for options that take none. */
int option_apply(struct check_options *o, const struct option_spec *spec, const char *value,
		 struct problem *p);

void check_options_init(struct check_options *o);
void check_options_free(struct check_options *o);
/* argv[0] is the verb. */
int check_options_parse(struct check_options *o, int argc, char **argv, struct problem *p);
/* Is --help or -h among the options? Behind the program's name it is the program's. */
bool check_options_ask_help(int argc, char **argv);
/* A heddle.yaml; scenario.c. */
int scenario_load(struct check_options *o, const char *path, struct problem *p);

#endif
