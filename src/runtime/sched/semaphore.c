#include "runtime/sched/semaphore.h"

#include <errno.h>
#include <pthread.h>

#include "runtime/sched/access.h"
#include "runtime/sched/aside.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/freed.h"
#include "runtime/sched/op_classes.h"

#define SEM_MAX 0x7fffffffu

static void check_alive(const struct vsem *s, u64 pc)
{
	freed_check((u64)s, "a semaphore", pc);
	if (hd_unlikely(s->destroyed))
		sched_misuse("use of a destroyed", "semaphore", (u64)s, pc);
}

int semaphore_init(struct vsem *s, u32 value)
{
	if (value > SEM_MAX)
		return EINVAL;
	access_declare((u64)s, 1, ACCESS_WRITE);
	for (u32 i = 0; i < 4; i++)
		((u64 *)s)[i] = 0;
	s->value = value;
	return 0;
}

int semaphore_wait(struct vsem *s, u64 deadline, u64 pc)
{
	check_alive(s, pc);
	/* Who may give up, or be interrupted, can tell that there was no post yet. */
	access_learn((u64)s, deadline || access_handler_may_run() ? ACCESS_TRY : ACCESS_ACQUIRE);
	struct op o = {.kind = OP_SEM_WAIT,
		       .object = (u64)s,
		       .deadline = deadline,
		       .flags = OPF_CANCEL | OPF_EINTR | (deadline ? 0 : OPF_RESTART)};
	u32 alt = sched_step(&o);
	if (alt == ALT_TIMEOUT || alt == ALT_EINTR)
		return alt == ALT_EINTR ? EINTR : ETIMEDOUT;
	check_alive(s, pc);
	access_wrote((u64)s, sizeof(*s));
	s->value--;
	return 0;
}

int semaphore_trywait(struct vsem *s, u64 pc)
{
	check_alive(s, pc);
	access_learn((u64)s, ACCESS_TRY);
	struct op o = {.kind = OP_SEM_TRYWAIT, .object = (u64)s};
	sched_step(&o);
	check_alive(s, pc);
	if (!s->value)
		return EAGAIN;
	access_wrote((u64)s, sizeof(*s));
	s->value--;
	return 0;
}

int semaphore_post(struct vsem *s, u64 pc)
{
	check_alive(s, pc);
	if (access_release_shared((u64)s)) {
		struct op o = {.kind = OP_SEM_POST, .object = (u64)s};
		sched_step(&o);
		check_alive(s, pc);
	} else {
		aside(OP_SEM_POST, (u64)s, 0);
	}
	if (s->value == SEM_MAX)
		return EOVERFLOW;
	access_wrote((u64)s, sizeof(*s));
	s->value++;
	return 0;
}

int semaphore_value(struct vsem *s, int *value, u64 pc)
{
	check_alive(s, pc);
	access_learn((u64)s, ACCESS_TRY);
	struct op o = {.kind = OP_SEM_GETVALUE, .object = (u64)s};
	sched_step(&o);
	check_alive(s, pc);
	*value = (int)s->value;
	return 0;
}

int semaphore_destroy(struct vsem *s, u64 pc)
{
	check_alive(s, pc);
	if (access_destroy((u64)s)) {
		struct op o = {.kind = OP_SEM_DESTROY, .object = (u64)s};
		sched_step(&o);
		check_alive(s, pc);
	}
	if (!s->value && sched_find_pending(0, OP_SEM_WAIT, (u64)s))
		sched_misuse("destroy of a waited-on", "semaphore", (u64)s, pc);
	s->destroyed = 1;
	return 0;
}

/* --- barriers --- */

int barrier_init(struct vbarrier *b, u32 count)
{
	if (!count)
		return EINVAL;
	access_declare((u64)b, 1, ACCESS_WRITE);
	for (u32 i = 0; i < sizeof(pthread_barrier_t) / 8; i++)
		((u64 *)b)[i] = 0;
	b->count = count;
	return 0;
}

static void release_all(const struct vbarrier *b)
{
	struct fiber *f = sched_find_pending(0, OP_BARRIER_LEAVE, (u64)b);
	for (; f; f = sched_find_pending(fiber_slot(f) + 1, OP_BARRIER_LEAVE, (u64)b)) {
		access_declare(thread_object(fiber_slot(f)), 1, ACCESS_WRITE);
		fiber_op_mut(f)->n = 1;
	}
}

int barrier_wait(struct vbarrier *b, u64 pc)
{
	freed_check((u64)b, "a barrier", pc);
	struct op o = {.kind = OP_BARRIER_ARRIVE, .object = (u64)b};
	sched_step(&o);
	freed_check((u64)b, "a barrier", pc);
	if (!b->count)
		sched_misuse("use of a destroyed", "barrier", (u64)b, pc);
	access_wrote((u64)b, sizeof(*b));
	if (++b->arrived == b->count) {
		b->arrived = 0;
		release_all(b);
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	struct op leave = {.kind = OP_BARRIER_LEAVE, .object = (u64)b, .flags = OPF_WAITER};
	sched_step(&leave);
	return 0;
}

int barrier_destroy(struct vbarrier *b, u64 pc)
{
	freed_check((u64)b, "a barrier", pc);
	access_declare(thread_alone_object(sched_self_slot()), 1, ACCESS_READ);
	if (!sched_alone()) {
		struct op o = {.kind = OP_BARRIER_DESTROY, .object = (u64)b};
		sched_step(&o);
		freed_check((u64)b, "a barrier", pc);
	}
	if (b->arrived)
		sched_misuse("destroy of a waited-on", "barrier", (u64)b, pc);
	b->count = 0;
	return 0;
}

/* --- once --- */

/* It stays done for ever, but in a block that others free. */
static bool may_go(u64 control)
{
	return control - LAYOUT_HEAP_BASE < LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE &&
	       access_use(control, ACCESS_READ);
}

bool once_begin(int *control, u64 pc)
{
	freed_check((u64)control, "a once control", pc);
	access_declare((u64)control, 1, ACCESS_READ);
	if (hd_likely(*control == ONCE_DONE) && hd_likely(!may_go((u64)control)))
		return false;
	struct op o = {.kind = OP_ONCE, .object = (u64)control};
	sched_step(&o);
	freed_check((u64)control, "a once control", pc);
	if (*control == ONCE_DONE)
		return false;
	access_wrote((u64)control, sizeof(*control));
	*control = ONCE_RUNNING;
	return true;
}

void once_end(int *control, bool done)
{
	access_declare((u64)control, 1, ACCESS_RELEASE);
	access_wrote((u64)control, sizeof(*control));
	*control = done ? ONCE_DONE : ONCE_NEW;
}

/* --- for the engine --- */

static u32 sem_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return ((const struct vsem *)o->object)->value > 0;
}

static u32 leave_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return o->n;
}

static u32 once_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return *(const int *)o->object != ONCE_RUNNING;
}

static void describe(const struct op *o, u32 alt, const char *pending, const char *done, struct text *t)
{
	text_str(t, alt == OP_DESCRIBE_PENDING ? pending : alt == ALT_TIMEOUT ? "times out: " : done);
	text_addr(t, o->object);
}

static void sem_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	describe(o, alt, "waits for semaphore ", "passes semaphore ", t);
}

static void leave_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	describe(o, alt, "waits at barrier ", "leaves barrier ", t);
	if (alt != OP_DESCRIBE_PENDING)
		return;
	const struct vbarrier *b = (const struct vbarrier *)o->object;
	text_fmt(t, " (%u of %u arrived)", b->arrived, b->count);
}

static void once_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	describe(o, alt, "waits for the initialisation guarded by ", "enters the initialisation guarded by ",
		 t);
}

/* object of all: the sem_t, pthread_barrier_t or pthread_once_t; BARRIER_LEAVE: n: 1 when all have arrived */
const struct op_class op_sem_wait = {
	.name = "wait for semaphore",
	.outcomes = sem_outcomes,
	.describe = sem_describe,
	.accesses = op_acquires,
};
const struct op_class op_sem_trywait = {.name = "tries semaphore", .accesses = op_tries, .busy = true};
const struct op_class op_sem_post = {.name = "posts semaphore", .accesses = op_releases};
const struct op_class op_sem_getvalue = {
	.name = "reads the value of semaphore",
	.accesses = op_reads,
	.busy = true,
};
const struct op_class op_sem_destroy = {.name = "destroys semaphore", .accesses = op_writes};
const struct op_class op_barrier_arrive = {.name = "arrives at barrier", .accesses = op_writes};
const struct op_class op_barrier_leave = {
	.name = "leave barrier",
	.outcomes = leave_outcomes, /* of the fiber alone: who comes last sets n */
	.describe = leave_describe,
};
const struct op_class op_barrier_destroy = {.name = "destroys barrier", .accesses = op_writes};
const struct op_class op_once = {
	.name = "once",
	.outcomes = once_outcomes,
	.describe = once_describe,
	.accesses = op_acquires,
};
