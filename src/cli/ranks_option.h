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
/* Has any rank failed? All ask at the same place, so that none waits for one that has gone. */
bool ranks_any(bool failed);
/* Refuses what many ranks can't do, and sets what they need. */
int ranks_settle(struct check_options *o, struct problem *p);

#endif
