/*
 * thread.h: POSIX threads on fibers, behind the symbol shims in interpose/.
 * Handles are thread control block addresses. Functions return 0 or an errno value.
 */
#ifndef HEDDLE_RUNTIME_THREAD_H
#define HEDDLE_RUNTIME_THREAD_H

#include "base/base.h"
#include "runtime/sched/sched.h"

int thread_create(u64 *tcb, u64 entry, u64 arg, u64 stack_size, bool detached, u64 pc);
int thread_join(u64 tcb, u64 *result, u64 deadline, bool try);
int thread_detach(u64 tcb);
HD_NORETURN void thread_exit(u64 result);
int thread_cancel(u64 tcb);
int thread_testcancel(void);
/* The same where it depends on the system whether a request is seen: both happen. */
void thread_may_cancel(void);
int thread_yield(void);
int thread_cancel_state(int state, int *old);
int thread_cancel_type(int type, int *old);
/* Act on a pending cancellation: unwinds, does not return. */
HD_NORETURN void thread_cancel_now(void);
/* main() with an outermost frame that pthread_exit can unwind to. */
int thread_main(int (*main_fn)(int, char **, char **), int argc, char **argv, char **envp);

int key_create(u32 *key, u64 destructor);
int key_delete(u32 key);
bool key_exists(u32 key);
int key_set(u32 key, u64 value);
u64 key_get(u32 key);

#endif
