/*
 * environment.h: the SUT's environment: the user's, without what differs from one
 * start or directory to the next, sorted, plus what the runtime needs.
 */
#ifndef HEDDLE_LAUNCH_ENVIRONMENT_H
#define HEDDLE_LAUNCH_ENVIRONMENT_H

#include "base/base.h"

/*
 * `extra`: K=V of the user, NULL-terminated, may be NULL; they win. openmp: threads of OpenMP shall sleep
 * while they wait, unless the user said how: spinning has ever new states. The caller frees. NULL: no memory.
 */
char **environment_build(char *const *user, char *const *extra, const char *runtime_path, bool openmp);
void environment_free(char **env);
/*
 * A number that tells two environments apart (traces remember it; they never hold the variables
 * themselves).
 */
u64 environment_hash(char *const *env);

#endif
