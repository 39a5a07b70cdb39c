/*
 * rwlock.h: reader-writer locks and spin locks, in the SUT's own objects.
 * Functions return 0 or an errno value.
 */
#ifndef HEDDLE_RUNTIME_RWLOCK_H
#define HEDDLE_RUNTIME_RWLOCK_H

#include "runtime/sched/sched.h"

struct vrwlock {
	u32 readers;
	u32 writer; /* thread number */
	u32 queued; /* writers that wait, counted for writer-preferring locks only */
	u32 destroyed;
	u64 unused[4];
	u32 kind; /* PTHREAD_RWLOCK_*, where glibc's initialiser puts it */
};
_Static_assert(offsetof(struct vrwlock, kind) == 48, "as in glibc");

int rwlock_init(struct vrwlock *l, u32 kind);
int rwlock_rdlock(struct vrwlock *l, u64 deadline, u64 pc);
int rwlock_wrlock(struct vrwlock *l, u64 deadline, u64 pc);
int rwlock_tryrdlock(struct vrwlock *l, u64 pc);
int rwlock_trywrlock(struct vrwlock *l, u64 pc);
int rwlock_unlock(struct vrwlock *l, u64 pc);
int rwlock_destroy(struct vrwlock *l, u64 pc);

struct vspin {
	u32 owner; /* thread number, 0 = free */
};

int spin_init(struct vspin *s);
int spin_lock(struct vspin *s, u64 pc);
int spin_trylock(struct vspin *s, u64 pc);
int spin_unlock(struct vspin *s, u64 pc);
int spin_destroy(struct vspin *s, u64 pc);

#endif
