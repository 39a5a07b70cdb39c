/*
 * check_options.h: what heddle check was told, from the command line or a scenario file.
 */
#ifndef HEDDLE_CLI_CHECK_OPTIONS_H
#define HEDDLE_CLI_CHECK_OPTIONS_H

#include "broker/broker.h"
#include "cli/option_parse.h"
#include "session/suppressions.h"
#include "launch/problem.h"
#include "checkpoint/checkpoint.h"
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
	bool out_given;     /* --out was */
	bool scenario_read; /* -f was given */
	const struct format *format[OPTIONS_FORMATS];
	size_t formats;
	struct suppressions suppressions;
	struct wire_properties *properties; /* --invariant, --step; NULL: none; owned */
	bool quiet, verbose, no_progress;
	bool por_given, jobs_given, save_given; /* these options were */
	u32 jobs;                               /* workers that search together, */
	u64 join_ms;                            /* all but the first after this time */
	u64 save_ms;                            /* --save-every; 0: the search is not saved */
	char resume[2048];                      /* --resume; "": not given */
	struct peer_options peers;
	struct broker_options broker;
	struct checkpoint_options checkpoint;
	u32 peer_branches;                       /* worlds of peers that act by chance; 0: one */
	bool confirm;                            /* violations are played once more with fresh peers */
	u64 clients;                             /* --clients; 0: as many as there are commands */
	bool scenario_servers, scenario_clients; /* commands of a scenario: the command line's replace them */
	char graph[2048];                        /* "": not given */
	char script[2048];                       /* --script; "": not given */
	bool script_trustful;
	char save_trees[2048], load_trees[2048]; /* "": not given */
	char **setting;                          /* "--name=value" of everything given, NULL-terminated */
	size_t settings;
};

/* Sets what the option is about, and remembers that it was given. */
int option_apply(struct check_options *o, const struct option_given *given, struct problem *p);

void check_options_init(struct check_options *o);
void check_options_free(struct check_options *o);
/* argv[0] is the verb. */
int check_options_parse(struct check_options *o, int argc, char **argv, struct problem *p);
/* Without -j: what $HEDDLE_JOBS says, or all cores, for a search that lasts. */
int check_options_default_jobs(struct check_options *o, struct problem *p);
/* Is --help or -h among the options? Behind the program's name it is the program's. */
bool check_options_ask_help(int argc, char **argv);
/* A heddle.yaml; scenario.c. */
#define SCENARIO_NAME "heddle.yaml"
int scenario_load(struct check_options *o, const char *path, struct problem *p);
/* The nearest one here or in a folder above; false: there is none. */
bool scenario_find(char *out, size_t cap);

#endif
