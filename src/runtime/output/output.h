/*
 * output.h: what the SUT writes to stdout and stderr. Nothing of it reaches the host during a search; some
 * is kept for messages.
 */
#ifndef HEDDLE_RUNTIME_OUTPUT_H
#define HEDDLE_RUNTIME_OUTPUT_H

#include "base/base.h"

/* The running fiber writes to stdout (1) or stderr (2). */
void output_write(int fd, const void *data, size_t n);

/* ---- for the engine ---- */

/* A transition begins: its tail is empty. */
void output_reset(void);
/* The last bytes that the present transition wrote to stderr: libraries explain there why they abort. */
const char *output_tail(void);
/* A hash of all that the present transition wrote, and where to; 0: nothing. */
u64 output_hash(void);
/* Pass all on (in a replay); NULL: nobody listens. */
void output_listen(void (*show)(int fd, const char *data, size_t n));

#endif
