/*
 * mpi_ranks.h: controllers that talk over MPI (session/ranks.h). Messages of the workers go in batches, one
 * MPI message for each other rank and round; the tag is the epoch.
 */
#ifndef HEDDLE_MPI_MPI_RANKS_H
#define HEDDLE_MPI_MPI_RANKS_H

#include "session/ranks.h"

/* After MPI_Init. NULL: out of memory. */
const struct session_ranks *mpi_ranks_open(void);
void mpi_ranks_close(const struct session_ranks *ranks);

#endif
