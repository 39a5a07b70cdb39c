/*
 * certify.h: what heddle certify was told.
 */
#ifndef HEDDLE_CLI_CERTIFY_H
#define HEDDLE_CLI_CERTIFY_H

#include "cli/check_options.h"
#include "script/part.h"
#include "session/script_run.h"

struct certify_options {
	struct check_options check; /* the consumer's settings; out, jobs … */
	bool trustful, live, merge;
	const char *fp_out; /* NULL: not given */
	u32 part, parts;    /* of a whole script, this part alone; 0: all */
	const char **file;  /* the script, or maps to compare */
	u32 files;
};

/* What is certified: a whole script, or one part of one. */
struct certify_input {
	struct script script;
	struct script_part part;
	bool is_part;
	const json_t *index;
	struct wire_learnt *learnt;
	struct trees_blob trees;
	char narrow[1024]; /* what the producer left out, and the consumer did not; "": nothing */
};

/* Opens the file, and settles with whose settings the program runs. */
int certify_open(struct certify_input *in, struct certify_options *o, const struct program *program,
		 struct wire_config *config, struct problem *p);
void certify_close(struct certify_input *in);

/* Watches a session, as heddle check does. */
int check_run(const struct check_options *opts, const struct launch *l, struct script_plan *script,
	      struct outcome *o, struct problem *p);
int check_write_reports(const struct check_options *opts, const struct outcome *o, struct problem *p);

int check_prepare_out(struct check_options *opts, struct problem *p);

#endif
