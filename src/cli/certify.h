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

/* What a part, or all, of a script has to say; part NULL: all, or what the file is. */
int certify_follow(struct certify_options *o, const struct program *program,
		   const struct partition_part *part, u32 number, u32 parts, const char *map,
		   struct outcome *out, struct problem *p);
struct outcome *certify_outcome_new(struct certify_options *o, const struct program *program);
/* Writes and tells what was found; the exit code. */
int certify_report(struct certify_options *o, struct outcome *out, struct problem *p);

/* Parts that are followed by one process each, and the files with their maps. */
struct certify_team {
	char dir[64];
	char **map; /* of each part */
	struct partition parts;
};
int certify_team_begin(struct certify_team *t, struct script *s, u32 jobs, struct problem *p);
void certify_team_end(struct certify_team *t);
/* Can it be followed in o->check.jobs parts? */
bool certify_divisible(const struct certify_options *o, const struct script *s);
/* All parts were certified: do their maps agree? Reports; the exit code. started: as certify_now_s says. */
int certify_conclude(struct certify_options *o, const struct program *program, const struct certify_team *t,
		     u32 jobs, const struct script *s, double started);
double certify_now_s(void);
/* All of it, by this process. */
int certify_one(struct certify_options *o, const struct program *program);

/* certify_ranks.c: as one rank of many. */
int certify_refuse_ranks(const struct certify_options *o, struct problem *p);
int certify_on_ranks(struct certify_options *o);

/* Watches a session, as heddle check does. */
int check_run(const struct check_options *opts, const struct launch *l, struct script_plan *script,
	      struct outcome *o, struct problem *p);
int check_write_reports(const struct check_options *opts, const struct outcome *o, struct problem *p);

int check_prepare_out(struct check_options *opts, struct problem *p);

#endif
