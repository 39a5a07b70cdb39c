/*
 * Reader-writer locks. glibc's default lets readers in while writers wait; the
 * writer-preferring kind does not, so there a writer first queues (a step of its own) and readers
 * stay out while one is queued: a reader that locks twice can deadlock then.
 */
#include "runtime/sched/rwlock.h"

#include <errno.h>
#include <pthread.h>

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

static HD_NORETURN void misuse(const struct vrwlock *l, const char *what, u64 pc)
{
	sched_misuse(what, "rwlock", (u64)l, pc);
}

static void check_alive(const struct vrwlock *l, u64 pc)
{
	freed_check((u64)l, "a rwlock", pc);
	if (hd_unlikely(l->destroyed))
		misuse(l, "use of a destroyed", pc);
}

int rwlock_init(struct vrwlock *l, u32 kind)
{
	access_declare((u64)l, 1, ACCESS_WRITE);
	for (u32 i = 0; i < sizeof(pthread_rwlock_t) / 8; i++)
		((u64 *)l)[i] = 0;
	l->kind = kind;
	return 0;
}

static bool prefers_writers(const struct vrwlock *l)
{
	return l->kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static bool can_read(const struct vrwlock *l)
{
	return !l->writer && !(prefers_writers(l) && l->queued);
}

static bool can_write(const struct vrwlock *l)
{
	return !l->writer && !l->readers;
}

static void read_locked(struct vrwlock *l)
{
	access_wrote((u64)l, sizeof(*l));
	l->readers++;
	held_locked((u64)l, false);
}

static void write_locked(struct vrwlock *l)
{
	access_wrote((u64)l, sizeof(*l));
	l->writer = my_number();
	held_locked((u64)l, true);
}

static HD_NOINLINE int before_lock(struct vrwlock *l, bool timed, u64 pc)
{
	check_alive(l, pc);
	if (l->writer == my_number())
		return EDEADLK;
	access_learn((u64)l, timed ? ACCESS_TRY : ACCESS_ACQUIRE);
	return 0;
}

int rwlock_rdlock(struct vrwlock *l, u64 deadline, u64 pc)
{
	if (before_lock(l, deadline != 0, pc))
		return EDEADLK;
	struct op o = {.kind = OP_RW_RDLOCK, .object = (u64)l, .deadline = deadline};
	if (sched_step(&o) == ALT_TIMEOUT)
		return ETIMEDOUT;
	check_alive(l, pc);
	read_locked(l);
	return 0;
}

/* Returns true when the lock was free and is taken already. */
static HD_NOINLINE bool announce(struct vrwlock *l, u64 pc)
{
	struct op o = {.kind = OP_RW_ANNOUNCE, .object = (u64)l};
	sched_step(&o);
	check_alive(l, pc);
	if (can_write(l)) {
		write_locked(l);
		return true;
	}
	access_wrote((u64)l, sizeof(*l));
	l->queued++;
	return false;
}

int rwlock_wrlock(struct vrwlock *l, u64 deadline, u64 pc)
{
	if (before_lock(l, deadline != 0, pc))
		return EDEADLK;
	bool queues = prefers_writers(l);
	if (queues && announce(l, pc))
		return 0;
	struct op o = {.kind = OP_RW_WRLOCK, .object = (u64)l, .deadline = deadline};
	u32 alt = sched_step(&o);
	check_alive(l, pc);
	if (queues) {
		access_wrote((u64)l, sizeof(*l));
		l->queued--;
	}
	if (alt == ALT_TIMEOUT)
		return ETIMEDOUT;
	write_locked(l);
	return 0;
}

int rwlock_tryrdlock(struct vrwlock *l, u64 pc)
{
	check_alive(l, pc);
	access_learn((u64)l, ACCESS_TRY);
	struct op o = {.kind = OP_RW_TRYRDLOCK, .object = (u64)l};
	sched_step(&o);
	check_alive(l, pc);
	if (!can_read(l))
		return EBUSY;
	read_locked(l);
	return 0;
}

int rwlock_trywrlock(struct vrwlock *l, u64 pc)
{
	check_alive(l, pc);
	access_learn((u64)l, ACCESS_TRY);
	struct op o = {.kind = OP_RW_TRYWRLOCK, .object = (u64)l};
	sched_step(&o);
	check_alive(l, pc);
	if (!can_write(l))
		return EBUSY;
	write_locked(l);
	return 0;
}

static HD_NOINLINE bool unlock_is_step(struct vrwlock *l, u64 pc)
{
	check_alive(l, pc);
	if (!l->readers && !l->writer)
		misuse(l, "unlock of an unlocked", pc);
	if (l->writer && l->writer != my_number())
		misuse(l, "unlock by another thread of write-locked", pc);
	return access_release_shared((u64)l);
}

int rwlock_unlock(struct vrwlock *l, u64 pc)
{
	if (unlock_is_step(l, pc)) {
		struct op o = {.kind = OP_RW_UNLOCK, .object = (u64)l};
		sched_step(&o);
		check_alive(l, pc);
	} else {
		aside(OP_RW_UNLOCK, (u64)l, 0);
	}
	access_wrote((u64)l, sizeof(*l));
	if (l->writer)
		l->writer = 0;
	else
		l->readers--;
	held_unlocked((u64)l);
	return 0;
}

int rwlock_destroy(struct vrwlock *l, u64 pc)
{
	check_alive(l, pc);
	if (access_destroy((u64)l)) {
		struct op o = {.kind = OP_RW_DESTROY, .object = (u64)l};
		sched_step(&o);
		check_alive(l, pc);
	}
	if (l->readers || l->writer || l->queued)
		misuse(l, "destroy of a locked", pc);
	l->destroyed = 1;
	return 0;
}

/* --- spin locks --- */

static HD_NORETURN void spin_misuse(const struct vspin *s, const char *what, u64 pc)
{
	sched_misuse(what, "spin lock", (u64)s, pc);
}

static void spin_taken(struct vspin *s)
{
	access_wrote((u64)s, sizeof(*s));
	s->owner = my_number();
	held_locked((u64)s, true);
}

int spin_init(struct vspin *s)
{
	access_declare((u64)s, 1, ACCESS_WRITE);
	s->owner = 0;
	return 0;
}

int spin_lock(struct vspin *s, u64 pc)
{
	freed_check((u64)s, "a spin lock", pc);
	access_learn((u64)s, ACCESS_ACQUIRE);
	struct op o = {.kind = OP_SPIN_LOCK, .object = (u64)s};
	sched_step(&o);
	freed_check((u64)s, "a spin lock", pc);
	spin_taken(s);
	return 0;
}

int spin_trylock(struct vspin *s, u64 pc)
{
	freed_check((u64)s, "a spin lock", pc);
	access_learn((u64)s, ACCESS_TRY);
	struct op o = {.kind = OP_SPIN_TRYLOCK, .object = (u64)s};
	sched_step(&o);
	freed_check((u64)s, "a spin lock", pc);
	if (s->owner)
		return EBUSY;
	spin_taken(s);
	return 0;
}

static HD_NOINLINE bool spin_unlock_is_step(struct vspin *s, u64 pc)
{
	freed_check((u64)s, "a spin lock", pc);
	if (s->owner != my_number())
		spin_misuse(s, s->owner ? "unlock by another thread of" : "unlock of an unlocked", pc);
	return access_use((u64)s, ACCESS_RELEASE);
}

int spin_unlock(struct vspin *s, u64 pc)
{
	if (spin_unlock_is_step(s, pc)) {
		struct op o = {.kind = OP_SPIN_UNLOCK, .object = (u64)s};
		sched_step(&o);
		freed_check((u64)s, "a spin lock", pc);
	} else {
		aside(OP_SPIN_UNLOCK, (u64)s, 0);
	}
	access_wrote((u64)s, sizeof(*s));
	s->owner = 0;
	held_unlocked((u64)s);
	return 0;
}

int spin_destroy(struct vspin *s, u64 pc)
{
	freed_check((u64)s, "a spin lock", pc);
	access_destroy((u64)s);
	if (s->owner)
		spin_misuse(s, "destroy of a locked", pc);
	return 0;
}

/* --- for the engine --- */

static u32 rdlock_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return can_read((const struct vrwlock *)o->object);
}

static u32 wrlock_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return can_write((const struct vrwlock *)o->object);
}

static u32 spin_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return !((const struct vspin *)o->object)->owner;
}

/* Readers are not known by name. */
static struct op_wait rw_wait(const struct op *o)
{
	u32 writer = ((const struct vrwlock *)o->object)->writer;
	return (struct op_wait){.what = writer ? WAIT_FIBER : WAIT_ANYONE, .slot = writer - 1};
}

static struct op_wait spin_wait(const struct op *o)
{
	return (struct op_wait){.what = WAIT_FIBER, .slot = ((const struct vspin *)o->object)->owner - 1};
}

static void state_describe(const struct vrwlock *l, struct text *t)
{
	if (l->writer) {
		text_str(t, ", write-locked by thread ");
		text_dec(t, (long)l->writer);
	} else if (l->readers) {
		text_fmt(t, ", read-locked %u time%s", l->readers, l->readers == 1 ? "" : "s");
	}
}

static void rw_describe(const struct op *o, u32 alt, const char *how, struct text *t)
{
	bool pending = alt == OP_DESCRIBE_PENDING;
	text_fmt(t, "%s%s%s",
		 pending              ? "waits to "
		 : alt == ALT_TIMEOUT ? "gives up waiting to "
				      : "",
		 how, pending || alt == ALT_TIMEOUT ? "-lock rwlock " : "-locks rwlock ");
	text_addr(t, o->object);
	if (pending)
		state_describe((const struct vrwlock *)o->object, t);
}

static void rdlock_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	rw_describe(o, alt, "read", t);
}

static void wrlock_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	rw_describe(o, alt, "write", t);
}

static void spin_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	const struct vspin *s = (const struct vspin *)o->object;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "spins on spin lock " : "takes spin lock ");
	text_addr(t, o->object);
	if (s->owner) {
		text_str(t, ", held by thread ");
		text_dec(t, (long)s->owner);
	}
}

/*
 * object of all: the pthread_rwlock_t or pthread_spinlock_t. Those who read-lock only count: that commutes.
 */
const struct op_class op_rw_rdlock = {
	.name = "read-lock",
	.outcomes = rdlock_outcomes,
	.describe = rdlock_describe,
	.accesses = op_adds,
	.wait = rw_wait,
	.looks = true,
};
const struct op_class op_rw_wrlock = {
	.name = "write-lock",
	.outcomes = wrlock_outcomes,
	.describe = wrlock_describe,
	.accesses = op_acquires,
	.wait = rw_wait,
	.looks = true,
};
const struct op_class op_rw_tryrdlock = {
	.name = "tries to read-lock rwlock",
	.accesses = op_tries,
	.busy = true,
};
const struct op_class op_rw_trywrlock = {
	.name = "tries to write-lock rwlock",
	.accesses = op_tries,
	.busy = true,
};
const struct op_class op_rw_announce = {.name = "queues as a writer of rwlock", .accesses = op_writes};
const struct op_class op_rw_unlock = {.name = "unlocks rwlock", .accesses = op_releases};
const struct op_class op_rw_destroy = {.name = "destroys rwlock", .accesses = op_writes};
const struct op_class op_spin_lock = {
	.name = "spin lock",
	.outcomes = spin_outcomes,
	.describe = spin_describe,
	.accesses = op_acquires,
	.wait = spin_wait,
	.looks = true,
};
const struct op_class op_spin_trylock = {.name = "tries spin lock", .accesses = op_tries, .busy = true};
const struct op_class op_spin_unlock = {.name = "releases spin lock", .accesses = op_releases};
