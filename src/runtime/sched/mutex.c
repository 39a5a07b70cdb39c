#include "runtime/sched/mutex.h"

#include <errno.h>
#include <pthread.h>

#include "base/small_set.h"
#include "runtime/sched/access.h"
#include "runtime/sched/aside.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/freed.h"
#include "runtime/sched/held.h"
#include "runtime/sched/op_classes.h"

static u32 my_number(void)
{
	return sched_self_slot() + 1;
}

static int kind_of(const struct vmutex *m)
{
	return m->kind & 3; /* above: elision and protocol flags */
}

static HD_NORETURN void misuse(const struct vmutex *m, const char *what, u64 pc)
{
	char buf[256];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	text_str(&t, what);
	mutex_describe((u64)m, &t);
	sched_violation(VIOLATION_LOCK_MISUSE, pc, (u64)m, buf);
}

static void check_alive(const struct vmutex *m, u64 pc)
{
	freed_check((u64)m, "a mutex", pc);
	if (hd_unlikely(m->kind == -1))
		misuse(m, "use of a destroyed ", pc);
}

bool mutex_mine(u64 mutex)
{
	const struct vmutex *m = (const struct vmutex *)mutex;
	return m->held && m->owner == my_number();
}

/* ---- robust ones: a fiber remembers which it holds, for its end ---- */

static bool is_robust(const struct vmutex *m)
{
	return hd_unlikely(m->kind > 0 && m->kind & MUTEX_ROBUST);
}

static void robust_taken(u64 mutex)
{
	if (!small_set_add(sched_self()->robust, FIBER_ROBUST, mutex))
		sched_refused("limit: more than 4 robust mutexes held at once", 0);
}

/* 0, EOWNERDEAD, or ENOTRECOVERABLE: then it was not taken. */
static int mutex_take(struct vmutex *m)
{
	if (hd_unlikely(m->damage == MUTEX_LOST))
		return ENOTRECOVERABLE;
	access_wrote((u64)m, sizeof(*m));
	m->held = 1;
	m->owner = my_number();
	m->count = 0;
	held_locked((u64)m, true);
	if (!is_robust(m))
		return 0;
	robust_taken((u64)m);
	if (m->damage != MUTEX_OWNER_DIED)
		return 0;
	m->damage = MUTEX_TO_MEND;
	return EOWNERDEAD;
}

static void let_go(struct vmutex *m, enum mutex_damage damage)
{
	access_wrote((u64)m, sizeof(*m));
	m->held = m->count = m->owner = 0;
	m->damage = damage;
	held_unlocked((u64)m);
	if (is_robust(m))
		small_set_remove(sched_self()->robust, FIBER_ROBUST, (u64)m);
}

static void release(struct vmutex *m)
{
	let_go(m, m->damage == MUTEX_TO_MEND ? MUTEX_LOST : (enum mutex_damage)m->damage);
}

void mutex_owner_ends(void)
{
	const struct fiber *f = sched_self();
	while (hd_unlikely(f->robust[0])) {
		struct vmutex *m = (struct vmutex *)f->robust[0];
		if (access_use((u64)m, ACCESS_RELEASE)) {
			struct op o = {.kind = OP_MUTEX_UNLOCK, .object = (u64)m};
			sched_step(&o);
		}
		freed_check((u64)m, "a mutex", 0);
		let_go(m, MUTEX_OWNER_DIED);
	}
}

int mutex_consistent(struct vmutex *m, u64 pc)
{
	check_alive(m, pc);
	if (!is_robust(m) || m->damage != MUTEX_TO_MEND || !mutex_mine((u64)m))
		return EINVAL;
	access_wrote((u64)m, sizeof(*m));
	m->damage = MUTEX_SOUND;
	return 0;
}

bool mutex_release_once(struct vmutex *m)
{
	if (!m->count) {
		release(m);
		return true;
	}
	m->count--;
	return false;
}

bool mutex_free_for(u64 mutex, const struct fiber *f)
{
	const struct vmutex *m = (const struct vmutex *)mutex;
	return !m->held || (kind_of(m) == PTHREAD_MUTEX_RECURSIVE_NP && m->owner == fiber_slot(f) + 1);
}

int mutex_take_again(struct vmutex *m)
{
	if (!mutex_mine((u64)m))
		return mutex_take(m);
	m->count++;
	return 0;
}

static void clear(struct vmutex *m, int kind)
{
	for (u32 i = 0; i < sizeof(pthread_mutex_t) / 8; i++)
		((u64 *)m)[i] = 0;
	m->kind = kind;
}

int mutex_init(struct vmutex *m, int kind)
{
	access_declare((u64)m, 1, ACCESS_WRITE);
	clear(m, kind);
	return 0;
}

/* A second lock by the owner; -1: go on and wait (for ever, for a normal mutex). */
static int relock(struct vmutex *m)
{
	switch (kind_of(m)) {
	case PTHREAD_MUTEX_RECURSIVE_NP:
		if (m->count == (u32)-1)
			return EAGAIN;
		m->count++;
		return 0;
	case PTHREAD_MUTEX_ERRORCHECK_NP:
		return EDEADLK;
	default:
		return -1;
	}
}

/* What can be said before waiting: 0 or an error; -1: wait. */
static HD_NOINLINE int lock_at_once(struct vmutex *m, bool timed, u64 pc)
{
	check_alive(m, pc);
	if (mutex_mine((u64)m)) {
		int r = relock(m);
		if (r >= 0)
			return r;
	}
	access_learn((u64)m, timed ? ACCESS_TRY : ACCESS_ACQUIRE);
	return -1;
}

int mutex_lock(struct vmutex *m, u64 deadline, u64 pc)
{
	int r = lock_at_once(m, deadline != 0, pc);
	if (r >= 0)
		return r;
	struct op o = {.kind = OP_MUTEX_LOCK, .object = (u64)m, .deadline = deadline};
	if (sched_step(&o) == ALT_TIMEOUT)
		return ETIMEDOUT;
	check_alive(m, pc);
	return mutex_take(m);
}

static HD_NOINLINE int trylock_at_once(struct vmutex *m, u64 pc)
{
	check_alive(m, pc);
	if (mutex_mine((u64)m)) { /* glibc tells the owner of a robust one that it is */
		bool tells = is_robust(m) && kind_of(m) == PTHREAD_MUTEX_ERRORCHECK_NP;
		return tells || kind_of(m) == PTHREAD_MUTEX_RECURSIVE_NP ? relock(m) : EBUSY;
	}
	access_learn((u64)m, ACCESS_TRY);
	return -1;
}

int mutex_trylock(struct vmutex *m, u64 pc)
{
	int r = trylock_at_once(m, pc);
	if (r >= 0)
		return r;
	struct op o = {.kind = OP_MUTEX_TRYLOCK, .object = (u64)m};
	sched_step(&o);
	check_alive(m, pc);
	if (m->held)
		return EBUSY;
	return mutex_take(m);
}

/* 0 or an error; -1: release in a step of its own. */
static HD_NOINLINE int unlock_at_once(struct vmutex *m, u64 pc)
{
	check_alive(m, pc);
	if (hd_unlikely(!mutex_mine((u64)m))) {
		if (kind_of(m) == PTHREAD_MUTEX_RECURSIVE_NP || kind_of(m) == PTHREAD_MUTEX_ERRORCHECK_NP)
			return EPERM;
		misuse(m, m->held ? "unlock by another thread of " : "unlock of an unlocked ", pc);
	}
	if (m->count) {
		m->count--;
		return 0;
	}
	if (hd_unlikely(access_use((u64)m, ACCESS_RELEASE)))
		return -1;
	aside(OP_MUTEX_UNLOCK, (u64)m, 0);
	release(m);
	return 0;
}

int mutex_unlock(struct vmutex *m, u64 pc)
{
	int r = unlock_at_once(m, pc);
	if (hd_likely(r >= 0))
		return r;
	struct op o = {.kind = OP_MUTEX_UNLOCK, .object = (u64)m};
	sched_step(&o);
	freed_check((u64)m, "a mutex", pc);
	release(m);
	return 0;
}

/* Will a fiber that waits for something else come back to this mutex? */
static HD_NOINLINE bool waited_for(u64 mutex)
{
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		const struct fiber *f = sched_fiber(i);
		if (!f || f == sched_self())
			continue;
		const struct op_class *c = op_class_of(fiber_op(f));
		if (c->returns_to && c->returns_to(fiber_op(f)) == mutex)
			return true;
	}
	return false;
}

int mutex_destroy(struct vmutex *m, u64 pc)
{
	check_alive(m, pc);
	if (access_destroy((u64)m)) {
		struct op o = {.kind = OP_MUTEX_DESTROY, .object = (u64)m};
		sched_step(&o);
		check_alive(m, pc);
	}
	if (m->held)
		misuse(m, "destroy of a locked ", pc);
	if (waited_for((u64)m))
		misuse(m, "destroy of a ", pc);
	clear(m, -1);
	return 0;
}

static u32 lock_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return !((const struct vmutex *)o->object)->held;
}

struct op_wait mutex_wait(u64 mutex)
{
	return (struct op_wait){.what = WAIT_FIBER, .slot = ((const struct vmutex *)mutex)->owner - 1};
}

static struct op_wait lock_wait(const struct op *o)
{
	return mutex_wait(o->object);
}

void mutex_describe(u64 mutex, struct text *t)
{
	const struct vmutex *m = (const struct vmutex *)mutex;
	text_str(t, "mutex ");
	text_addr(t, mutex);
	if (!m->held)
		return;
	text_str(t, ", held by ");
	const struct fiber *owner = m->owner - 1 < LAYOUT_MAX_FIBERS ? sched_fiber(m->owner - 1) : NULL;
	if (owner) {
		fiber_describe(owner, t);
	} else {
		text_fmt(t, "thread %u, which has ended", m->owner);
	}
}

static void lock_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	if (alt == OP_DESCRIBE_PENDING) {
		text_str(t, mutex_free_for(o->object, f) ? "is about to lock " : "waits for ");
		mutex_describe(o->object, t);
		return;
	}
	text_str(t, alt == ALT_TIMEOUT ? "gives up waiting for mutex " : "locks mutex ");
	text_addr(t, o->object);
}

static void trylock_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	(void)alt;
	text_str(t, "tries to lock ");
	mutex_describe(o->object, t);
}

/* object of all: the pthread_mutex_t */
const struct op_class op_mutex_lock = {
	.name = "lock mutex",
	.outcomes = lock_outcomes,
	.describe = lock_describe,
	.accesses = op_acquires,
	.wait = lock_wait,
	.looks = true,
};
const struct op_class op_mutex_trylock = {
	.name = "try to lock mutex",
	.describe = trylock_describe,
	.accesses = op_tries,
	.busy = true,
};
const struct op_class op_mutex_unlock = {.name = "unlocks mutex", .accesses = op_releases};
const struct op_class op_mutex_destroy = {.name = "destroys mutex", .accesses = op_writes};
