/*
 * engine_audit.h: the engine's part of the audit of footprints (search/audit.h): which object a word of model
 * memory belongs to, what steps changed, and whether the program races.
 */
#ifndef HEDDLE_RUNTIME_ENGINE_AUDIT_H
#define HEDDLE_RUNTIME_ENGINE_AUDIT_H

#include "runtime/sched/owner.h"
#include "search/target.h"

extern const struct target_audit engine_audit;
/* Before the program starts, and while libc may be called. */
void engine_audit_setup(void);
/*
 * The program uses an atomic read-modify-write instruction there: what it does to that word is
 * synchronisation, also where it only loads it.
 */
void engine_audit_atomic(u64 address, u32 bytes);
/* Is this a word that libraries share by locks of their own? No news to the user (engine_libraries.c). */
bool engine_shared_by_libraries(u64 address);
/* Is this code of libraries that lock in ways of their own, so that nothing can be said between two steps? */
bool engine_library_code(u64 pc);
/* Memory that the runtime alone writes; and whose a byte of it is. */
bool engine_in_model(u64 address);
bool engine_owner_of(u64 address, struct owner *o);
/* Is a step being tried out in a state that is none of the program's? It may never end. */
bool engine_experiments(void);
/* … and this one did not. */
void engine_experiment_hung(void);

#endif
