/*
 * liveness.h: which general registers are dead at an instruction: no path from there reads them before it
 * overwrites them. What lies in them at a trap is left over from work that is done; it would make equal
 * states of the program look different.
 */
#ifndef HEDDLE_LAUNCH_LIVENESS_H
#define HEDDLE_LAUNCH_LIVENESS_H

#include "launch/elf_image.h"
#include "launch/functions.h"

struct liveness;

/*
 * Of one module; both lists outlive it. unsure: per function, whether its code can't be read with certainty.
 * NULL: out of memory.
 */
struct liveness *liveness_new(const struct elf_image *image, const struct functions *all, const u8 *unsure);
void liveness_free(struct liveness *l);

/* Bit n: register n, as numbered in encodings, is dead before the instruction at `at`, which lies in f. */
u32 liveness_dead(struct liveness *l, const struct function *f, u64 at);
/* Is nothing of f's below the stack pointer? */
bool liveness_no_red_zone(struct liveness *l, const struct function *f);

#endif
