/*
 * ranks_option.h: heddle check as one rank of many. Set by heddle-mpi alone.
 */
#ifndef HEDDLE_CLI_RANKS_OPTION_H
#define HEDDLE_CLI_RANKS_OPTION_H

#include "cli/check_options.h"
#include "session/ranks.h"

/* NULL: this is heddle. */
extern const struct session_ranks *cli_ranks;
/* Does another rank report? */
bool ranks_is_helper(void);
/* Rank 0 says it; the exit code. */
int ranks_complain(const struct problem *p);
int ranks_complain_usage(const char *verb, const struct problem *p);
/* Refuses what many ranks can't do, and sets what they need. */
int ranks_settle(struct check_options *o, struct problem *p);

#endif
