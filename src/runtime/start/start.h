/*
 * start.h: from exec to the initial state.
 */
#ifndef HEDDLE_RUNTIME_START_H
#define HEDDLE_RUNTIME_START_H

#include "base/base.h"

#define START_PID 1000 /* what the SUT believes its process id to be */

/* Wire, tracked regions, heap, fault handlers: on the first malloc, or in __libc_start_main. Idempotent. */
void start_early(void);
/* Not yet: constructors of libraries run, on the system's own kernel. */
bool start_taken_over(void);
/* Fiber 0: the real start-up code of the C library, then main. */
HD_NORETURN void start_run_main(void);
/* The initial state is reached: protect everything. */
void start_tracking(void);
/* The mapping around this address is not the SUT's. */
void start_exclude(u64 address);
/* The run can't be: one sentence for the user, exit. */
HD_NORETURN void start_fail(const char *a, const char *b, const char *c);
void start_arch_set_fs(u64 tcb);

/* Was the program compiled by heddle cc with clang? */
bool start_compiled_by_clang(void);

/* The last bytes the present transition wrote to stderr: libraries explain there why they abort. */
void start_output_reset(void);
void start_output_keep(int fd, const void *data, size_t n);
const char *start_output_tail(void);

#endif
