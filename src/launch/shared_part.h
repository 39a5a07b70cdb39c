/*
 * shared_part.h: what the workers of one run share (struct wire_shared and the communication trees), as a
 * memory file that is made once and handed to each of them.
 */
#ifndef HEDDLE_LAUNCH_SHARED_PART_H
#define HEDDLE_LAUNCH_SHARED_PART_H

#include "launch/problem.h"
#include "wire/wire.h"

struct launch;

struct shared_part {
	int fd;
	int team_fd;              /* memory of several workers (wire/wire_team.h); -1: none */
	struct wire_shared *wire; /* WIRE_SHARED_SIZE bytes; NULL: none */
};

/* Finds the runtime library, then makes the part and fills in what `l` says of the run. */
int shared_part_create(struct shared_part *part, const struct launch *l, u32 workers, struct problem *p);
void shared_part_free(struct shared_part *part);

/* A memory file, mapped. Returns the descriptor; *out is the mapping. */
int memory_file_create(const char *name, u64 size, void **out, struct problem *p);

#endif
