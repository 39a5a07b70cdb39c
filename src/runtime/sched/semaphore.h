/*
 * semaphore.h: unnamed semaphores, barriers and once-only initialisation.
 * sem_*: 0 or an errno value. In the SUT's own objects.
 */
#ifndef HEDDLE_RUNTIME_SEMAPHORE_H
#define HEDDLE_RUNTIME_SEMAPHORE_H

#include "runtime/sched/sched.h"

struct vsem {
	u32 value;
	u32 destroyed;
};

int semaphore_init(struct vsem *s, u32 value);
int semaphore_wait(struct vsem *s, u64 deadline, u64 pc);
int semaphore_trywait(struct vsem *s, u64 pc);
int semaphore_post(struct vsem *s, u64 pc);
int semaphore_value(struct vsem *s, int *value, u64 pc);
int semaphore_destroy(struct vsem *s, u64 pc);

struct vbarrier {
	u32 count; /* 0: not initialised */
	u32 arrived;
};

int barrier_init(struct vbarrier *b, u32 count);
/* PTHREAD_BARRIER_SERIAL_THREAD for the last one to arrive. */
int barrier_wait(struct vbarrier *b, u64 pc);
int barrier_destroy(struct vbarrier *b, u64 pc);

enum { ONCE_NEW = 0, ONCE_RUNNING = 1, ONCE_DONE = 2 };
/* True: the caller shall run the initialiser and then call once_end. */
bool once_begin(int *control, u64 pc);
void once_end(int *control, bool done);

#endif
