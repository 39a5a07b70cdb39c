/*
 * vk.c: the door: placing the model, setting it up, and dispatching calls by the
 * table.
 */
#include <signal.h>

#include "base/pages.h"
#include "runtime/vkernel/process/timers.h"
#include "runtime/vkernel/files/host.h"
#include "runtime/vkernel/core/call.h"
#include "runtime/vkernel/sockets/sock.h"
#include "wire/wire.h"

struct vk_model *vk;

size_t vk_model_size(void)
{
	return sizeof(struct vk_model);
}

void vk_model_place(void *at)
{
	vk = at;
}

static struct vk_desc *setup_stdin(void)
{
	const char *path = rt_wire->config.stdin_path;
	if (!path[0])
		return vk_device_new(VK_DEVICE_NULL, O_RDONLY);
	struct host_node *h = host_lookup(host_absolute(path));
	if (host_open(h))
		hd_panic(__FILE__, __LINE__, "the file given as standard input cannot be read");
	struct vk_desc *d = vk_desc_new(VK_FILE, O_RDONLY | O_LARGEFILE);
	if (d)
		d->host = h->key;
	return d;
}

static const struct sched_kernel kernel = {
	.fiber_start = vk_fiber_start,
	.fiber_end = vk_fiber_end,
	.call_ends = vk_call_ends,
	.signals_take = vk_signals_take,
	.signals_access = vk_signals_access,
	.signals_open = vk_signals_open,
	.timer_expires = vk_timer_expires,
	.timer_access = vk_timer_access,
	.timers_access = vk_timers_access,
	.peer_acts = vk_peer_acts,
	.peer_access = vk_peer_access,
	.time_passes = vk_time_passes,
	.fault_happens = vk_fault_happens,
	.fault_access = vk_fault_access,
};

void vk_setup(void)
{
	sched_register_kernel(&kernel);
	hd_assert(vk);
	host_setup();
	sock_register();
	vk->umask = 022;
	/*
	 * To tell stack overflows from other faults, Rust has a handler, an alternate stack per thread and a
	 * table of all stacks, whose bytes depend on the order of its threads; but not where somebody else
	 * looks after such faults. Here heddle does: the program starts with these signals ignored (as far as
	 * a fault can be).
	 */
	if (rt_wire->atomics.guards_stacks)
		vk->action[SIGSEGV].handler = vk->action[SIGBUS].handler = (u64)SIG_IGN;
	struct vk_desc *d = setup_stdin();
	hd_assert(d && vk_fd_install(d, false) == 0);
	for (u16 fd = 1; fd <= 2; fd++) {
		d = vk_desc_new(VK_CONSOLE, O_WRONLY);
		d->sub = fd;
		hd_assert(vk_fd_install(d, false) == fd);
	}
}

static long refuse_unknown(const struct vk_call *c)
{
	char name[32];
	struct text t;
	text_init(&t, name, sizeof(name));
	text_str(&t, "syscall ");
	text_dec(&t, c->nr);
	vk_refuse(c, name);
	return -ENOSYS;
}

static __attribute__((noinline)) long dispatch(struct vk_call *c)
{
	const struct vk_syscall_class *s = NULL;
	if (c->nr >= 0 && c->nr < (long)vk_syscall_count)
		s = &vk_syscalls[c->nr];
	if (!s || s->how == CALL_UNKNOWN)
		return refuse_unknown(c);
	switch (s->how) {
	case CALL_VIRTUAL:
		return s->handler(c);
	case CALL_CONST:
		return s->value;
	default:
		vk_refuse(c, s->name);
		return -ENOSYS;
	}
}

/*
 * Every call is a place where a handler can run, also one that fails before it looks at anything that others
 * use, and so was no step.
 */
static HD_NOINLINE void step_failure(struct vk_call *c, long ret)
{
	if (ret < 0 && ret > VK_RESTART && !c->stepped && vk_signals_open(sched_self_slot()))
		vk_order(c, VK_MASKS, ACCESS_READ);
}

long vk_syscall(struct vk_call *c)
{
	if (hd_unlikely(rt_lessons.cancel_used))
		vk_cancel_point_before(c);
	vk_call_begin(c);
	for (;;) {
		long ret = dispatch(c);
		bool lookup = c->watch;
		vk_call_forget(c);
		if (hd_likely(ret != VK_RESTART && !lookup)) {
			if (hd_unlikely(rt_lessons.signals_used))
				step_failure(c, ret);
			if (hd_unlikely(rt_lessons.cancel_used))
				vk_cancel_point_after(c);
			if (hd_unlikely(rt_lessons.signals_used))
				vk_signals_due(c->pc);
			return ret;
		}
		if (c->interrupted) {
			c->interrupted = false;
			return -EINTR;
		}
		/* It failed before the step of its late lookup: then the lookup is a step by itself. */
		c->early |= lookup;
		c->watch = 0;
	}
}

void vk_fiber_start(u32 slot, u32 creator)
{
	vk_signals_taker(creator);
	if (vk->fiber[creator].mask)
		vk->fiber[slot].mask = vk->fiber[creator].mask;
	vk_settings_inherit(slot, creator);
}

void vk_fiber_end(u32 slot)
{
	struct vk_fiber *f = &vk->fiber[slot];
	vk_signals_taker(slot);
	vk_call_ends(slot);
	vk_settings_forget(slot);
	timer_thread_ends(slot);
	u64 used = f->mask | f->mask_behind | f->wanted | f->signals.pending | f->alt_sp | f->alt_size |
		   f->alt_flags | f->random | f->hides;
	if (used) /* else its page stays cold */
		*f = (struct vk_fiber){0};
}
