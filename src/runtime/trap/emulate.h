/*
 * emulate.h: instructions whose results would differ from run to run are answered by us: rdtsc and rdtscp
 * from the virtual clock (the kernel lets them fault: PR_SET_TSC), rdrand and rdseed from the seeded stream
 * (they are patched, as atomic instructions are).
 */
#ifndef HEDDLE_RUNTIME_EMULATE_H
#define HEDDLE_RUNTIME_EMULATE_H

#include <ucontext.h>

#include "wire/wire.h"

/* From now on rdtsc faults. */
void emulate_setup(void);
/* In the SIGSEGV handler: was it rdtsc or rdtscp? Then it has been executed. */
bool emulate_rdtsc(greg_t *g);
/* In the SIGTRAP handler, at a site that rolls dice: execute it. */
void emulate_random(greg_t *g, const struct wire_site *s);

#endif
