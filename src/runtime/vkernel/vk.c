/*
 * vk.c: the door: placing the model, setting it up, and dispatching calls by the
 * table.
 */
#include "base/pages.h"
#include "runtime/vkernel/host.h"
#include "runtime/vkernel/vk_priv.h"

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
static void drop_held(struct vk_fiber *f)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(f->held); i++) {
		u32 held = f->held[i];
		f->held[i] = 0;
		if (held)
			vk_desc_put(&vk->desc[held - 1]);
	}
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

long vk_syscall(const struct vk_call *c)
{
	sched_scrub();
	stepped = false;
	vk_pc = c->pc; /* never saved here: it may be that of a fiber that never came back */
	drop_held(vk_self());
	long ret = dispatch(c);
	drop_held(vk_self());
	return ret;
}

u32 vk_step(struct vk_desc *d, const struct op *o)
{
	u64 pc = vk_pc;
	if (d)
		hold(d);
	u32 alt = sched_step(o);
	stepped = true; /* others have run meanwhile: set it now, not before */
	vk_pc = pc;
	return alt;
}

bool vk_observed(u64 object, bool changes)
{
	return !sched_all_joined() && sched_observed(object, changes);
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
	vk->fiber[slot].mask = vk->fiber[creator].mask;
}

void vk_fiber_end(u32 slot)
{
	drop_held(&vk->fiber[slot]);
	vk->fiber[slot] = (struct vk_fiber){0};
}
