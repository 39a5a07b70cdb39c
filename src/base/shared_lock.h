/*
 * shared_lock.h: a lock in memory that several processes map. Zero: it is free. Who dies with it leaves the
 * others waiting: whoever started them has to see to that.
 */
#ifndef HEDDLE_BASE_SHARED_LOCK_H
#define HEDDLE_BASE_SHARED_LOCK_H

#include <linux/futex.h>
#include <sys/syscall.h>

#include "base/sys.h"

/* Who waits looks up now and then, should a wake-up be lost. */
#define SHARED_LOCK_WAIT_NS 50000000L

struct shared_lock {
	u32 word; /* 0 free, 1 held, 2 held, and somebody waits */
};

/* Sleeps while *word is `value`, until woken, and not for long. */
static inline void shared_word_wait(u32 *word, u32 value)
{
	struct {
		long s, ns;
	} timeout = {0, SHARED_LOCK_WAIT_NS};
	sys_call6(SYS_futex, (long)word, FUTEX_WAIT, value, (long)&timeout, 0, 0);
}

static inline void shared_word_wake(u32 *word, u32 sleepers)
{
	sys_call6(SYS_futex, (long)word, FUTEX_WAKE, sleepers, 0, 0, 0);
}

static inline void shared_lock_take(struct shared_lock *l)
{
	u32 was = 0;
	if (__atomic_compare_exchange_n(&l->word, &was, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(&l->word, 2, __ATOMIC_ACQUIRE))
		shared_word_wait(&l->word, 2);
}

static inline void shared_lock_free(struct shared_lock *l)
{
	if (__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) == 2)
		shared_word_wake(&l->word, 1);
}

#endif
