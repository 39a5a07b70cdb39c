/*
 * unseen.h: calls of instrumented programs that are not looked into. A function of a library that is neither
 * instrumented nor wrapped (wire/wrapped.h) may read and write the program's memory, and nobody is told.
 * Those that are called while other threads exist are named in the report.
 *
 * The slots through which a module with hooks calls other modules are made to point to stubs, one for each
 * function in question, that write down their caller and go on to the function.
 */
#ifndef HEDDLE_RUNTIME_UNSEEN_H
#define HEDDLE_RUNTIME_UNSEEN_H

#include "base/base.h"

/*
 * Functions that are known (told.h) are called through a gate (interpose/libc_state_doors.S), which tells
 * what they touch. r11 holds the stub.
 */
struct stub;
extern const char unseen_gate[] __attribute__((visibility("hidden")));
void unseen_use(const struct stub *s, const u64 *args, u64 pc);

/* Before the program starts; its modules are loaded, and bound. */
void unseen_setup(void);
/* The step is over, or a thread is going to be made: was one called? What is called alone does not count. */
bool unseen_look(void);
/* Something else that is not looked into; pc 0: nowhere in particular. */
void unseen_add(const char *what, u64 pc);
/* The same for what may be told many times; it counts if the program has threads. `what` is kept. */
void unseen_note(const char *what, u64 pc);
/* The search is over. */
void unseen_tell_notes(void);

#endif
