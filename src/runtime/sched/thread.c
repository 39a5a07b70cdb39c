/*
 * Threads: what runs in a fiber from its first to its last instruction, and
 * pthread_create, join, detach, exit and cancel on top of it.
 */
#include "runtime/sched/thread.h"

#include <errno.h>
#include <pthread.h>

#include "runtime/heap/heap.h"
#include "runtime/kstack/kstack.h"
#include "runtime/libc/libc.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/aside.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/mutex.h"
#include "runtime/sched/op_classes.h"
#include "runtime/sched/run.h"
#include "wire/wire.h"

#define CANCELED ((u64)-1)
#define UNWINDER_BYTES (16u << 10) /* of stack, at most, that libgcc needs to find the first landing pad */
#define DESTRUCTOR_ROUNDS 4        /* PTHREAD_DESTRUCTOR_ITERATIONS */

/* glibc's registration of cleanup frames; pthread.h hides it from code with exceptions on. */
void __pthread_register_cancel(__pthread_unwind_buf_t *buf);
void __pthread_unregister_cancel(__pthread_unwind_buf_t *buf);
int __sigsetjmp(struct __jmp_buf_tag *env, int save) __attribute__((returns_twice));
#define REMEMBER_FRAME(buf) __sigsetjmp((struct __jmp_buf_tag *)(void *)(buf).__cancel_jmp_buf, 0)

/* --- keys --- */

int key_create(u32 *key, u64 destructor)
{
	access_declare(process_object(PROCESS_KEYS), 1, ACCESS_WRITE);
	for (u32 n = 1; n <= MODEL_KEYS; n++) {
		u32 i = n % MODEL_KEYS; /* 0 last: Rust makes another key if it gets that, and deletes it */
		if (model->key[i].used)
			continue;
		access_declare(process_key_object(i), 1, ACCESS_MAKE);
		model->key[i] = (struct model_key){destructor, 1};
		*key = i;
		return 0;
	}
	return EAGAIN;
}

bool key_exists(u32 key)
{
	return key < MODEL_KEYS && model->key[key].used;
}

int key_delete(u32 key)
{
	access_declare(process_object(PROCESS_KEYS), 1, ACCESS_WRITE);
	access_declare(process_key_object(key), 1, key_exists(key) ? ACCESS_WRITE : ACCESS_TRY);
	if (!key_exists(key))
		return EINVAL;
	model->key[key] = (struct model_key){0, 0};
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		struct fiber *f = &model->fiber[i];
		if (key >= f->specific_len || !((u64 *)f->specific)[key])
			continue;
		access_declare(thread_object(i), 1, ACCESS_WRITE);
		((u64 *)f->specific)[key] = 0;
	}
	return 0;
}

static bool specific_grow(struct fiber *f, u32 key)
{
	u32 len = HD_ROUND_UP(key + 1, 8);
	enum heap_status status;
	access_heap_take();
	void *p = f->specific ? heap_realloc(fiber_slot(f), (void *)f->specific, len * 8, &status)
			      : heap_alloc(fiber_slot(f), len * 8, 16);
	if (!p)
		return false;
	f->specific = (u64)p;
	f->specific_len = len;
	return true;
}

int key_set(u32 key, u64 value)
{
	struct fiber *f = sched_self();
	access_declare(process_key_object(key), 1, key_exists(key) ? ACCESS_READ : ACCESS_TRY);
	if (!key_exists(key))
		return EINVAL;
	if (key >= f->specific_len) {
		if (!value)
			return 0;
		if (!specific_grow(f, key))
			return ENOMEM;
	}
	((u64 *)f->specific)[key] = value;
	return 0;
}

u64 key_get(u32 key)
{
	struct fiber *f = sched_self();
	return key < f->specific_len ? ((u64 *)f->specific)[key] : 0;
}

static bool run_key_destructors(struct fiber *f)
{
	bool any = false;
	for (u32 key = 0; key < f->specific_len; key++) {
		u64 value = ((u64 *)f->specific)[key];
		if (!value)
			continue;
		((u64 *)f->specific)[key] = 0;
		access_declare(process_key_object(key), 1, ACCESS_READ);
		if (!model->key[key].used || !model->key[key].destructor)
			continue;
		((void (*)(u64))model->key[key].destructor)(value);
		any = true;
	}
	return any;
}

/* --- the end of a fiber --- */

static HD_NORETURN void leave(struct fiber *f)
{
	u32 slot = fiber_slot(f);
	sched_kernel->fiber_end(slot);
	if (f->specific) {
		access_heap_give((void *)f->specific);
		heap_free(slot, (void *)f->specific);
	}
	if (slot)
		rt_libc.dl_deallocate_tls((void *)f->tcb, false);
	kstack_foreign(HD_PAGE);
	access_declare(thread_object(slot), 1, ACCESS_WRITE); /* now: freeing memory may have been a step */
	if (f->detached) {
		access_declare(thread_name_object(slot), 1, ACCESS_WRITE);
		fiber_free(f);
		run_leave();
	}
	struct fiber kept = {.life = FIBER_DONE,
			     .tcb = f->tcb,
			     .parent = f->parent,
			     .child_index = f->child_index,
			     .result = f->result,
			     .stack_size = f->stack_size};
	*f = kept;
	run_leave();
}

/* That it has ended is seen by those who ask without waiting; for others the end belongs to the step
   before. */
static HD_NOINLINE bool end_is_step(void)
{
	return access_use(thread_end_object(sched_self_slot()), ACCESS_RELEASE);
}

/* Threads that return end on the program's stack. */
void end_step(void);
DOOR_INSIDE(void, end_step)(void)
{
	mutex_owner_ends();
	if (!end_is_step())
		return;
	struct op o = {.kind = OP_END, .object = thread_end_object(sched_self_slot())};
	sched_step(&o);
}

/*
 * What threads return is kept only once somebody looks at such a value: where a function has no return
 * statement, it is whatever was left in a register, and equal states would look different. Who looks waits
 * for the thread, so this only teaches. The first one does not go on: there is nothing to see before the
 * search has started again.
 */
static bool results_matter(enum access_mode mode)
{
	return access_learn(process_object(PROCESS_RESULTS), mode);
}

/*
 * Ends of threads commute, unless one of them is the last and ends the process. So do an end and a creation:
 * where somebody creates a thread, nobody else is the last one.
 */
bool end_is_last(void);
DOOR_INSIDE(bool, end_is_last)(void)
{
	u32 live = fiber_live_count(), limit = sched_fiber_limit(), self = sched_self_slot(), left = self;
	for (u32 i = 0; live == 2 && i < limit; i++)
		if (i != self && model->fiber[i].life == FIBER_ALIVE)
			left = i;
	access_declare(process_object(PROCESS_THREADS), 1, ACCESS_ADD);
	access_declare(thread_alone_object(self), 1, ACCESS_READ);
	if (left != self)
		access_declare(thread_alone_object(left), 1, ACCESS_ADD);
	return live == 1;
}

void fiber_finish(u64 result)
{
	struct fiber *f = sched_self();
	f->cancel_off = 1;
	rt_libc.call_tls_dtors();
	for (int round = 0; round < DESTRUCTOR_ROUNDS && run_key_destructors(f); round++)
		;
	f->result = results_matter(ACCESS_ADD) ? result : 0;
	end_step();
	if (end_is_last()) {
		access_streams();
		rt_libc.exit(0);
	}
	leave(f);
}

void fiber_exit_raw(void)
{
	struct fiber *f = sched_self();
	end_step();
	if (end_is_last())
		sched_exit(0);
	leave(f);
}

/*
 * pthread_exit and cancellation unwind with glibc's own machinery: it goes up the stack, runs
 * cleanup handlers and destructors, and ends at the outermost registered buffer: this one.
 */
static void run_thread(struct fiber *f)
{
	__pthread_unwind_buf_t buf;
	u32 slot = fiber_slot(f);
	if (REMEMBER_FRAME(buf)) {
		f = &model->fiber[slot];
		fiber_finish(f->result);
	}
	__pthread_register_cancel(&buf);
	sched_begin(); /* a handler may run here already, and end the thread */
	u64 result = ((u64(*)(u64))f->entry)(f->arg);
	__pthread_unregister_cancel(&buf);
	fiber_finish(result);
}

void fiber_first(void); /* from switch.S */
void fiber_first(void)
{
	struct fiber *f = sched_self();
	if (!fiber_slot(f))
		fiber_run_main();
	rt_libc.ctype_init();
	run_thread(f);
}

int thread_main(int (*main_fn)(int, char **, char **), int argc, char **argv, char **envp)
{
	__pthread_unwind_buf_t buf;
	if (REMEMBER_FRAME(buf))
		fiber_finish(model->fiber[0].result);
	__pthread_register_cancel(&buf);
	int status = main_fn(argc, argv, envp);
	__pthread_unregister_cancel(&buf);
	access_streams();
	return status;
}

void thread_exit(u64 result)
{
	sched_self()->result = result;
	kstack_foreign(UNWINDER_BYTES);
	rt_libc.pthread_exit((void *)result);
}

/* --- cancellation --- */

/* A thread that was found by its handle, or not: then whether it exists is what was seen. */
static void look_at(const struct fiber *f, enum access_mode mode)
{
	access_declare(f ? thread_object(fiber_slot(f)) : process_object(PROCESS_THREADS), 1,
		       f ? mode : ACCESS_READ);
}

void thread_cancel_now(void)
{
	struct fiber *f = sched_self();
	f->cancel_asked = 0;
	f->cancel_off = 1;
	sched_kernel->call_ends(fiber_slot(f)); /* before the handlers run, which may wait long */
	thread_exit(CANCELED);
}

int thread_cancel(u64 tcb)
{
	struct fiber *f = fiber_by_tcb(tcb);
	if (!f) {
		look_at(f, ACCESS_READ);
		return ESRCH;
	}
	if (!rt_lessons.cancel_used) {
		RT_LEARN(cancel_used);
		sched_want_restart(); /* test points that were passed silently have to become steps */
	}
	struct op o = {.kind = OP_CANCEL, .object = tcb};
	sched_step(&o);
	f = fiber_by_tcb(tcb);
	if (f && f->life == FIBER_ALIVE)
		f->cancel_asked = 1;
	return 0;
}

int thread_testcancel(void)
{
	if (!rt_lessons.cancel_used || sched_self()->cancel_off)
		return 0;
	struct op o = {.kind = OP_TESTCANCEL, .flags = OPF_CANCEL};
	sched_step(&o);
	return 0;
}

void thread_may_cancel(void)
{
	if (!rt_lessons.cancel_used || sched_self()->cancel_off)
		return;
	struct op o = {.kind = OP_TESTCANCEL, .flags = OPF_CANCEL | OPF_CANCEL_MAY};
	sched_step(&o);
}

int thread_yield(void)
{
	struct op o = {.kind = OP_YIELD};
	sched_step(&o);
	return 0;
}

int thread_cancel_state(int off, int *old)
{
	struct fiber *f = sched_self();
	if (old)
		*old = f->cancel_off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
	if (off != PTHREAD_CANCEL_DISABLE && off != PTHREAD_CANCEL_ENABLE)
		return EINVAL;
	f->cancel_off = off == PTHREAD_CANCEL_DISABLE;
	return f->cancel_async ? thread_testcancel() : 0;
}

int thread_cancel_type(int type, int *old)
{
	struct fiber *f = sched_self();
	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	if (old)
		*old = f->cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
	if (f->cancel_async) /* still, for the last time */
		thread_testcancel();
	sched_self()->cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	return sched_self()->cancel_async ? thread_testcancel() : 0;
}

/* --- create, join, detach --- */

bool fiber_ever_detached(void)
{
	return model->ever_detached;
}

/* Persistent: which threads the running step has made, in this order. */
static struct {
	u64 step;
	u32 count, slot[FIBER_BIRTHS];
} births;

u32 fiber_births(const u32 **slots)
{
	*slots = births.slot;
	return births.step == sched_steps() ? births.count : 0;
}

static void note_birth(u32 slot)
{
	run_moment++;
	if (births.step != sched_steps()) {
		births.step = sched_steps();
		births.count = 0;
	}
	if (births.count < FIBER_BIRTHS)
		births.slot[births.count++] = slot;
}

int thread_create(u64 *tcb, u64 entry, u64 arg, u64 stack_size, bool detached, u64 pc)
{
	if (access_holds()) {
		struct op o = {.kind = OP_CREATE};
		sched_step(&o);
	}
	struct fiber *f = fiber_make(entry, arg, stack_size);
	if (!f) {
		sched_refused("pthread_create (too many threads, or too large a stack)", pc);
		return EAGAIN;
	}
	access_declare(process_object(PROCESS_THREADS), 1, ACCESS_ADD);
	note_birth(fiber_slot(f));
	access_births();
	aside(OP_CREATE, f->tcb, 0);
	f->detached = detached;
	model->ever_detached |= detached;
	*tcb = f->tcb;
	return 0;
}

static HD_NOINLINE int before_join(u64 tcb, bool waits)
{
	const struct fiber *f = fiber_by_tcb(tcb);
	if (!f) {
		look_at(f, ACCESS_READ);
		return ESRCH;
	}
	access_declare(thread_name_object(fiber_slot(f)), 1, ACCESS_READ);
	access_learn(thread_end_object(fiber_slot(f)), waits ? ACCESS_ACQUIRE : ACCESS_TRY);
	if (f->detached)
		return EINVAL;
	return f == sched_self() ? EDEADLK : 0;
}

int thread_join(u64 tcb, u64 *result, u64 deadline, bool try)
{
	int r = before_join(tcb, !try && !deadline);
	if (r)
		return r;
	struct op o = {.kind = OP_JOIN,
		       .object = tcb,
		       .n = try,
		       .deadline = deadline,
		       .flags = try ? 0 : OPF_CANCEL | OPF_CANCEL_MAY}; /* glibc looks when it waits */
	if (sched_step(&o) == ALT_TIMEOUT)
		return ETIMEDOUT;
	struct fiber *f = fiber_by_tcb(tcb);
	if (!f)
		return ESRCH;
	if (f->life != FIBER_DONE)
		return EBUSY;
	if (result) {
		if (!results_matter(ACCESS_READ) || run_wants_restart())
			sched_prune(); /* it was not kept; the search starts again, and keeps it */
		*result = f->result;
	}
	access_declare(thread_name_object(fiber_slot(f)), 1, ACCESS_WRITE);
	fiber_free(f);
	return 0;
}

int thread_detach(u64 tcb)
{
	struct fiber *f = fiber_by_tcb(tcb);
	look_at(f, ACCESS_WRITE);
	if (!f)
		return ESRCH;
	if (f->detached)
		return EINVAL;
	access_declare(process_object(PROCESS_THREADS), 1, ACCESS_ADD);
	access_declare(thread_name_object(fiber_slot(f)), 1, ACCESS_WRITE);
	f->detached = 1;
	model->ever_detached = 1;
	if (f->life == FIBER_DONE)
		fiber_free(f);
	return 0;
}

static u32 join_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	const struct fiber *target = fiber_by_tcb(o->object);
	return !target || target->life == FIBER_DONE || o->n;
}

static void thread_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	look_at(fiber_by_tcb(o->object), ACCESS_WRITE);
}

/* Who comes later finds no such thread. */
static void join_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	thread_accesses(f, o, alt);
	access_declare(process_object(PROCESS_THREADS), 1, ACCESS_ADD);
}

static struct op_wait join_wait(const struct op *o)
{
	const struct fiber *target = fiber_by_tcb(o->object);
	return (struct op_wait){.what = WAIT_FIBER, .slot = target ? fiber_slot(target) : LAYOUT_MAX_FIBERS};
}

/* Nothing else ends it, as long as nobody is cancelled. */
static u32 join_joins(const struct op *o)
{
	const struct fiber *target = fiber_by_tcb(o->object);
	return target && !o->n && !o->deadline && !rt_lessons.cancel_used ? fiber_slot(target) + 1 : 0;
}

static void start_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	(void)o;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "has not started yet" : "starts");
}

static void end_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	(void)o;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "is about to end" : "ends");
}

static void create_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	(void)alt;
	const struct fiber *made = o->object ? fiber_by_tcb(o->object) : NULL;
	text_str(t, "creates ");
	if (made)
		fiber_describe(made, t);
	else
		text_str(t, "a thread");
}

static void join_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	const struct fiber *target = fiber_by_tcb(o->object);
	text_str(t, alt == OP_DESCRIBE_PENDING ? "waits to join " : "joins ");
	if (target)
		fiber_describe(target, t);
	else
		text_str(t, "a thread that is gone");
}

static void cancel_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	(void)alt;
	const struct fiber *target = fiber_by_tcb(o->object);
	text_str(t, "cancels ");
	if (target)
		fiber_describe(target, t);
}

/* object of JOIN and CANCEL: the thread control block; JOIN: n: 1 if it only tries */
const struct op_class op_start = {.name = "starts", .describe = start_describe};
const struct op_class op_join = {
	.name = "join",
	.outcomes = join_outcomes,
	.describe = join_describe,
	.accesses = join_accesses,
	.wait = join_wait,
	.joins = join_joins,
	.patient = true,
};
const struct op_class op_cancel = {
	.name = "cancel",
	.describe = cancel_describe,
	.accesses = thread_accesses,
};
/* object: thread_end_object */
const struct op_class op_end = {.name = "ends", .describe = end_describe, .accesses = op_releases};
/* What it touches is declared when it does so. */
/* object of CREATE: the thread control block of the new one, told when it is there (aside.h) */
const struct op_class op_create = {.name = "creates a thread", .describe = create_describe};
const struct op_class op_testcancel = {.name = "cancellation point", .busy = true};
