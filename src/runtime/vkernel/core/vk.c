/*
 * vk.c: the door: placing the model, setting it up, and dispatching calls by the
 * table.
 */
#include "base/pages.h"
#include "runtime/vkernel/files/host.h"
#include "runtime/vkernel/core/vk_priv.h"
#include "runtime/vkernel/sockets/sock.h"

struct vk_model *vk;
u64 vk_pc;

/* Has the call that runs been a step already? Then all it does from there on happens at that moment. */
static bool stepped;

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

void vk_setup(void)
{
	hd_assert(vk);
	host_setup();
	sock_register();
	vk->umask = 022;
	struct vk_desc *d = setup_stdin();
	hd_assert(d && vk_fd_install(d, false) == 0);
	for (u16 fd = 1; fd <= 2; fd++) {
		d = vk_desc_new(VK_CONSOLE, O_WRONLY);
		d->sub = fd;
		hd_assert(vk_fd_install(d, false) == fd);
	}
}

void vk_refuse(const char *what)
{
	sched_refused(what, vk_pc);
}

static long refuse_unknown(long nr)
{
	char name[32];
	struct text t;
	text_init(&t, name, sizeof name);
	text_str(&t, "syscall ");
	text_dec(&t, nr);
	vk_refuse(name);
	return -ENOSYS;
}

static long dispatch(const struct vk_call *c)
{
	const struct vk_syscall_class *s = NULL;
	if (c->nr >= 0 && c->nr < (long)vk_syscall_count)
		s = &vk_syscalls[c->nr];
	if (!s || s->how == CALL_UNKNOWN)
		return refuse_unknown(c->nr);
	switch (s->how) {
	case CALL_VIRTUAL:
		return s->handler(c);
	case CALL_HOST: /* no pointers among the arguments: see table.c */
		return sys_call6(c->nr, c->a[0], c->a[1], c->a[2], c->a[3], c->a[4], c->a[5]);
	case CALL_CONST:
		return s->value;
	default:
		vk_refuse(s->name);
		return -ENOSYS;
	}
}

/* The end of a call; or, for a fiber that was cancelled inside one and never came back, the next. */
/* Mostly there is nothing to drop. What is zero is not written, so that its page stays cold. */
static void drop_held(struct vk_fiber *f)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(f->held); i++) {
		u32 held = f->held[i];
		if (!held)
			continue;
		f->held[i] = 0;
		vk_desc_put(&vk->desc[held - 1]);
	}
	if (f->again)
		f->again = 0;
}

static SCHED_LOOK void hold(struct vk_desc *d)
{
	struct vk_fiber *f = vk_self();
	u32 id = (u32)(d - vk->desc) + 1;
	for (u32 i = 0; i < HD_ARRAY_LEN(f->held); i++) {
		if (f->held[i] == id)
			return;
		if (!f->held[i]) {
			f->held[i] = id;
			d->refs++;
			return;
		}
	}
	hd_assert(!"a call holds at most two descriptions");
}

/*
 * Late lookups. A call on a descriptor does two things: it finds the description behind the number, and then does its
 * work, holding the description. Where other fibers close or replace the number, both are moments of their own, and
 * two steps a call would multiply the states of every server whose threads close what another thread accepted. One step is
 * enough: the call announces its work on the description that is there now, and remembers the number (op.watch).
 * If the number still means the same when the step is taken, it makes no difference when it was looked up. If not, the lookup
 * was either before the change (the outcomes of the operation, on the old description) or after it (ALT_MOVED: the call starts
 * again and finds what is there now).
 *
 * An operation that waits has no outcome, yet it may have begun before the change, and then no change of the number ever ends it: a
 * thread in accept is not woken by who closes the listener. So waiting on is an outcome, too (ALT_STAYS): the number is
 * forgotten. Else a thread that could always find its descriptor closed would never be seen to wait for ever.
 *
 * The description is held from the announcement on, so a close by another fiber releases it only when this fiber moves. That is no
 * loss: in an execution in which the lookup comes after the close, it could as well come right behind it, since what the
 * fiber does up to its next step nobody sees.
 */
static struct {
	struct vk_desc *d;
	u64 watch;
	void **again;
} late;

void vk_look_up_late(int fd, struct vk_desc *d)
{
	late.d = d;
	late.watch = (u64)(fd + 1) << 32 | (u64)(d - vk->desc + 1);
}

bool vk_watch_moved(u64 watch)
{
	return vk->fd[(watch >> 32) - 1].desc != (u16)watch;
}

void vk_describe_moved(u64 watch, struct text *t)
{
	int fd = (int)(watch >> 32) - 1;
	text_str(t, "finds ");
	vk_describe_fd(fd, t);
	text_str(t, vk_desc_get(fd) ? " replaced" : " closed");
}

void vk_describe_stays(u64 watch, struct text *t)
{
	text_str(t, "waits already for what ");
	vk_describe_fd((int)(watch >> 32) - 1, t);
	text_str(t, " was");
}

bool vk_stepped(void)
{
	return stepped;
}

/* A call that was to step, but failed before: then its lookup must be a step after all. */
static long dispatch_late(const struct vk_call *c)
{
	long ret = dispatch(c);
	if (hd_likely(!late.watch))
		return ret;
	u64 fd = (late.watch >> 32) - 1;
	late.watch = 0;
	vk_step_file(NULL, (u64)&vk->fd[fd]);
	return dispatch(c);
}

static __attribute__((noinline)) long start_again(const struct vk_call *c)
{
	stepped = true; /* the lookup happens now */
	vk_pc = c->pc;
	return dispatch(c);
}

static __attribute__((noinline)) long dispatch_or_again(const struct vk_call *c)
{
	void *again[5];
	if (__builtin_setjmp(again))
		return start_again(c);
	late.again = again;
	long ret = dispatch_late(c);
	late.again = NULL;
	return ret;
}

long vk_syscall(const struct vk_call *c)
{
	sched_scrub();
	stepped = false;
	late.watch = 0;
	vk_pc = c->pc; /* never saved here: it may be that of a fiber that never came back */
	drop_held(vk_self());
	long ret = dispatch_or_again(c);
	drop_held(vk_self());
	return ret;
}

static SCHED_LOOK void watch_number(struct op *o)
{
	hold(late.d);
	o->watch = late.watch;
	late.watch = 0;
	vk_self()->again = (u64)late.again;
}

static SCHED_LOOK void **leave_again(void)
{
	void **to = (void **)vk_self()->again;
	vk_self()->again = 0;
	return to;
}

static u32 step_watching(struct vk_desc *d, struct op o)
{
	watch_number(&o);
	if (d)
		hold(d);
	u32 alt = sched_step(&o);
	void **again = leave_again();
	if (alt == ALT_STAYS) {
		o.watch = 0;
		sched_scrub(); /* the first time left its bytes where frames will lie that wait */
		return sched_step(&o);
	}
	if (alt != ALT_MOVED)
		return alt;
	drop_held(vk_self());
	__builtin_longjmp(again, 1);
}

u32 vk_step(struct vk_desc *d, const struct op *o)
{
	u64 pc = vk_pc;
	u32 alt;
	if (late.watch) {
		alt = step_watching(d, *o);
	} else {
		if (d)
			hold(d);
		alt = sched_step(o);
	}
	stepped = true; /* others have run meanwhile: set it now, not before */
	vk_pc = pc;
	return alt;
}

bool vk_observed(u64 object, bool changes)
{
	return !sched_all_joined() && access_use(object, changes ? ACCESS_WRITE : ACCESS_READ);
}

void vk_step_order(struct vk_desc *d, const struct op *o)
{
	if (!stepped)
		vk_step(d, o);
}

void vk_step_file(struct vk_desc *d, u64 object)
{
	struct op o = {.kind = OP_FILE, .object = object};
	vk_step_order(d, &o);
}

void vk_visit(const void *object, bool changes)
{
	if (vk_observed((u64)object, changes))
		vk_step_file(NULL, (u64)object);
}

void vk_fiber_start(u32 slot, u32 creator)
{
	if (vk->fiber[creator].mask)
		vk->fiber[slot].mask = vk->fiber[creator].mask;
}

void vk_call_ends(u32 slot)
{
	drop_held(&vk->fiber[slot]);
}

void vk_fiber_end(u32 slot)
{
	struct vk_fiber *f = &vk->fiber[slot];
	drop_held(f);
	if (f->mask | f->pending | f->alt_sp | f->alt_size | f->alt_flags | f->random | f->again)
		*f = (struct vk_fiber){0};
}
