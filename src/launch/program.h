/*
 * program.h: which file is to be checked, and whether it can be. Everything
 * that would make the run fail in an obscure way later (no dynamic linker to preload the
 * runtime, privileges that switch LD_PRELOAD off) is found here, before the start.
 */
#ifndef HEDDLE_LAUNCH_PROGRAM_H
#define HEDDLE_LAUNCH_PROGRAM_H

#include <limits.h>

#include "launch/problem.h"

struct program {
	char path[PATH_MAX]; /* absolute, without symbolic links */
	/*
	 * The linker's build-id in hexadecimal; for a program without one "content-" and a hash of its
	 * bytes.
	 */
	char identity[80];
	bool has_hooks; /* built with heddle cc; not kept in traces */
	bool openmp;    /* uses a library for OpenMP; likewise */
};

/* Finds (in PATH, when the name has no slash), checks and identifies. */
int program_open(const char *name, struct program *out, struct problem *p);

#endif
