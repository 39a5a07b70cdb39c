/*
 * functions.h: where a module's functions begin and end, from its unwind tables (.eh_frame), which
 * compilers for x86-64 write for every function and which stripping leaves in place.
 */
#ifndef HEDDLE_LAUNCH_FUNCTIONS_H
#define HEDDLE_LAUNCH_FUNCTIONS_H

#include "launch/elf_image.h"

struct function {
	u64 start, size; /* virtual address in the file */
};

struct functions {
	struct function *list; /* by address; no two overlap */
	size_t count;
};

/* What cannot be read is left out. -1: out of memory. */
int functions_read(const struct elf_image *im, struct functions *out);
void functions_free(struct functions *f);

#endif
