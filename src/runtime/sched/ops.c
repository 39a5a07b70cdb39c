/*
 * The table of visible operations, and how they are told to people.
 */
#include "runtime/api.h"
#include "runtime/memory/memory.h"
#include "runtime/sched/cond.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/futex.h"
#include "runtime/sched/mutex.h"
#include "runtime/sched/rwlock.h"
#include "runtime/sched/semaphore.h"
#include "runtime/sched/thread.h"
#include "runtime/trap/atomics.h"
#include "runtime/vkernel/vk_ops.h"

extern const struct op_class op_exit, op_yield, op_sleep;

static const struct op_class op_none = {"runs", NULL, NULL};
static const struct op_class op_signal = {"sends a signal", NULL, NULL};

const struct op_class *const op_classes[OP_KINDS] = {
	[OP_NONE] = &op_none,
	[OP_START] = &op_start,
	[OP_EXIT] = &op_exit,
	[OP_JOIN] = &op_join,
	[OP_CANCEL] = &op_cancel,
	[OP_TESTCANCEL] = &op_testcancel,
	[OP_YIELD] = &op_yield,
	[OP_SLEEP] = &op_sleep,
	[OP_MUTEX_LOCK] = &op_mutex_lock,
	[OP_MUTEX_TRYLOCK] = &op_mutex_trylock,
	[OP_MUTEX_UNLOCK] = &op_mutex_unlock,
	[OP_MUTEX_DESTROY] = &op_mutex_destroy,
	[OP_COND_ENTER] = &op_cond_enter,
	[OP_COND_WAIT] = &op_cond_wait,
	[OP_COND_RELOCK] = &op_cond_relock,
	[OP_COND_SIGNAL] = &op_cond_signal,
	[OP_COND_BROADCAST] = &op_cond_broadcast,
	[OP_COND_DESTROY] = &op_cond_destroy,
	[OP_RW_RDLOCK] = &op_rw_rdlock,
	[OP_RW_WRLOCK] = &op_rw_wrlock,
	[OP_RW_TRYRDLOCK] = &op_rw_tryrdlock,
	[OP_RW_TRYWRLOCK] = &op_rw_trywrlock,
	[OP_RW_ANNOUNCE] = &op_rw_announce,
	[OP_RW_UNLOCK] = &op_rw_unlock,
	[OP_RW_DESTROY] = &op_rw_destroy,
	[OP_SPIN_LOCK] = &op_spin_lock,
	[OP_SPIN_TRYLOCK] = &op_spin_trylock,
	[OP_SPIN_UNLOCK] = &op_spin_unlock,
	[OP_BARRIER_ARRIVE] = &op_barrier_arrive,
	[OP_BARRIER_LEAVE] = &op_barrier_leave,
	[OP_SEM_WAIT] = &op_sem_wait,
	[OP_SEM_TRYWAIT] = &op_sem_trywait,
	[OP_SEM_POST] = &op_sem_post,
	[OP_SEM_GETVALUE] = &op_sem_getvalue,
	[OP_SEM_DESTROY] = &op_sem_destroy,
	[OP_ONCE] = &op_once,
	[OP_FUTEX_WAIT] = &op_futex_wait,
	[OP_FUTEX_SLEEP] = &op_futex_sleep,
	[OP_FUTEX_WAKE] = &op_futex_wake,
	[OP_CHOOSE] = &op_choose,
	[OP_ATOMIC_BEGIN] = &op_atomic_begin,
	[OP_PIPE_READ] = &op_pipe_read,
	[OP_PIPE_WRITE] = &op_pipe_write,
	[OP_EVENTFD_READ] = &op_eventfd_read,
	[OP_EVENTFD_WRITE] = &op_eventfd_write,
	[OP_POLL] = &op_poll,
	[OP_CLOSE] = &op_close,
	[OP_FILE] = &op_file,
	[OP_SIGNAL] = &op_signal,
	[OP_BARRIER_DESTROY] = &op_barrier_destroy,
	[OP_MEM_READ] = &op_mem_read,
	[OP_MEM_WRITE] = &op_mem_write,
	[OP_ATOMIC_RMW] = &op_atomic_rmw,
	[OP_CONNECT] = &op_connect,
	[OP_ACCEPT] = &op_accept,
	[OP_RECV] = &op_recv,
	[OP_SEND] = &op_send,
	[OP_SHUTDOWN] = &op_shutdown,
};

void op_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	const struct op_class *c = op_classes[o->kind];
	if (alt == ALT_CANCEL) {
		text_str(t, "is cancelled");
	} else if (alt == ALT_MOVED) {
		vk_describe_moved(o->watch, t);
	} else if (alt == ALT_STAYS) {
		vk_describe_stays(o->watch, t);
	} else if (c->describe) {
		c->describe(f, o, alt, t);
	} else {
		text_str(t, c->name);
		if (o->object) {
			text_str(t, " ");
			text_addr(t, o->object);
		}
	}
}

void fiber_describe(const struct fiber *f, struct text *t)
{
	text_str(t, "thread ");
	text_dec(t, (long)sched_thread_number(f));
	if (f->name[0]) {
		text_str(t, " (");
		text_str(t, f->name);
		text_str(t, ")");
	}
}

u32 fiber_describe_all(const char *what, char *buf, size_t cap)
{
	struct text t;
	u32 first = LAYOUT_MAX_FIBERS;
	text_init(&t, buf, cap);
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		const struct fiber *f = &M->fiber[i];
		if (f->life != FIBER_ALIVE)
			continue;
		text_str(&t, first == LAYOUT_MAX_FIBERS ? what : "; ");
		if (first == LAYOUT_MAX_FIBERS)
			first = i;
		fiber_describe(f, &t);
		text_str(&t, " ");
		op_describe(f, &f->op, OP_DESCRIBE_PENDING, &t);
	}
	return first;
}
