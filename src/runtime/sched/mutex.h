/*
 * mutex.h: mutexes. Their state lives in the SUT's own pthread_mutex_t, at the places glibc uses, so static
 * initialisers work and debuggers show something familiar. Functions return 0 or an errno value. deadline:
 * as in struct op, 0 = for ever. pc: the caller, for messages.
 */
#ifndef HEDDLE_RUNTIME_MUTEX_H
#define HEDDLE_RUNTIME_MUTEX_H

#include "runtime/sched/sched.h"

struct vmutex {
	u32 held;
	u32 count; /* recursive: locks beyond the first */
	u32 owner; /* thread number */
	u32 unused;
	int kind;   /* PTHREAD_MUTEX_*, perhaps with MUTEX_ROBUST; -1: destroyed */
	u32 damage; /* enum mutex_damage, of robust ones */
};
#define MUTEX_ROBUST 16
enum mutex_damage {
	MUTEX_SOUND,
	MUTEX_OWNER_DIED, /* free; who takes it is told EOWNERDEAD */
	MUTEX_TO_MEND,    /* held by who was told; sound again with pthread_mutex_consistent */
	MUTEX_LOST,       /* was unlocked without that: ENOTRECOVERABLE for good */
};

int mutex_init(struct vmutex *m, int kind);
int mutex_lock(struct vmutex *m, u64 deadline, u64 pc);
int mutex_trylock(struct vmutex *m, u64 pc);
int mutex_unlock(struct vmutex *m, u64 pc);
int mutex_destroy(struct vmutex *m, u64 pc);
int mutex_consistent(struct vmutex *m, u64 pc);
/* The running fiber ends: the robust mutexes that it holds have lost their owner. */
void mutex_owner_ends(void);

bool mutex_mine(u64 mutex);
/*
 * For condition variables. One level is given up (a recursive mutex that was locked twice stays locked;
 * false), and taken again once it is free, or the fiber's own: 0, or what a robust mutex says.
 */
bool mutex_release_once(struct vmutex *m);
bool mutex_free_for(u64 mutex, const struct fiber *f);
int mutex_take_again(struct vmutex *m);
/* Who holds it, for op_class.wait. */
struct op_wait mutex_wait(u64 mutex);
/* "mutex {0x…}, held by thread 2" */
void mutex_describe(u64 mutex, struct text *t);

#endif
