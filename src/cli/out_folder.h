/*
 * out_folder.h: the folder that a check writes its results into. It is one run's alone while that lasts: two
 * at a time never mix.
 */
#ifndef HEDDLE_CLI_OUT_FOLDER_H
#define HEDDLE_CLI_OUT_FOLDER_H

#include "launch/problem.h"

/* With the communication trees, where the network was used. */
#define OUT_TREES "trees.bin"

/*
 * Makes the folder, takes it for this process, and removes what an earlier run left: an old result must not
 * be taken for the new one when this run fails. If another run has it: an error, or, with `may_move`, the
 * first of DIR-2, DIR-3 … that is free, whose name then stands in dir.
 */
int out_folder_take(char *dir, size_t cap, bool may_move, struct problem *p);

#endif
