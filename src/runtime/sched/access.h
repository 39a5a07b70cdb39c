/*
 * access.h: the one door through which the runtime says what the running step touches.
 *
 * Every visible operation, and every use that is merged into a longer step, passes here. A use does two things: it
 * joins the footprint of the step (search/footprint.h), and it teaches: when fibers use one object in modes of
 * which one could tell where in its step the other did it, the object becomes observed, for good, and the search
 * starts again with shorter steps ("What is a step", docs/ARCHITECTURE.md).
 */
#ifndef HEDDLE_RUNTIME_ACCESS_H
#define HEDDLE_RUNTIME_ACCESS_H

#include "search/footprint.h"

/* The running fiber uses `object`. True: others can tell when; the use must be a step of its own. */
bool access_use(u64 object, enum access_mode mode);
/* The same for a use that is part of an operation which is a step anyway: declared, and nothing to be learnt from it. */
void access_declare(u64 object, u32 bytes, enum access_mode mode);

/* ---- for the engine ---- */

/* A step begins: its footprint is empty. */
void access_step_begins(void);
const struct footprint *access_footprint(void);

#endif
