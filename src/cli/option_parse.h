/*
 * option_parse.h: one manner of options for all verbs. A table describes each verb's options; the parser,
 * the scenario reader and the help text read it. --name VALUE, --name=VALUE, -x VALUE, -xVALUE and -x=VALUE
 * are the same.
 */
#ifndef HEDDLE_CLI_OPTION_PARSE_H
#define HEDDLE_CLI_OPTION_PARSE_H

#include "launch/problem.h"

struct check_options;

enum option_kind {
	OPTION_BOOL,   /* bool becomes true */
	OPTION_FLAG,   /* u32 becomes 1 */
	OPTION_CLEAR,  /* u32 becomes 0 */
	OPTION_NUMBER, /* u64 */
	OPTION_SIZE,   /* u64, bytes */
	OPTION_TIME,   /* u64, milliseconds */
	OPTION_TEXT,   /* const char *, the word itself */
	OPTION_CALL,   /* apply(); heddle check alone has such */
};

struct option_spec {
	const char *name; /* without -- */
	char letter;      /* 0: none */
	enum option_kind kind;
	const char *value; /* its name in the help text; NULL: takes none */
	const char *help;  /* NULL: hidden */
	size_t offset;     /* in the verb's struct of options */
	int (*apply)(struct check_options *o, const struct option_spec *spec, const char *value,
		     struct problem *p);
};

/* The options of one verb; option_table.c has them all. */
struct option_list {
	const struct option_spec *spec;
	size_t count;
};
extern const struct option_list check_option_list, replay_option_list, shrink_option_list, tree_option_list,
	certify_option_list, partition_option_list, no_option_list;

/* An option as it was given. */
struct option_given {
	const struct option_spec *spec;
	const char *value; /* NULL for those that take none */
};

/* The option at argv[*at], which starts with -; *at moves on to its value if that is a word of its own. */
int option_take(const struct option_list *l, int argc, char **argv, int *at, struct option_given *out,
		struct problem *p);
/* Sets the member of `options` that the option is about. Not for OPTION_CALL. */
int option_set(void *options, const struct option_given *given, struct problem *p);
const struct option_spec *option_by_name(const struct option_list *l, const char *name, size_t len);

/* A verb with one operand, options before and behind it, and perhaps a program after --. */
struct verb_words {
	const char *operand; /* NULL: none was given */
	char **program;      /* what follows --, NULL-terminated; NULL: nothing */
};
int option_parse_verb(const struct option_list *l, void *options, int argc, char **argv,
		      struct verb_words *out, struct problem *p);

#endif
