/* tell_outcome.h: what a check found, on standard error. */
#ifndef HEDDLE_CLI_TELL_OUTCOME_H
#define HEDDLE_CLI_TELL_OUTCOME_H

#include "cli/check_options.h"
#include "report/outcome.h"

/* What and where first; the line to copy last. Nothing with --quiet. */
void tell_outcome(const struct check_options *opts, const struct outcome *o);

#endif
