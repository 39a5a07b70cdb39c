/*
 * call.c: a system call under way (struct vk_call): its steps, what it touches, and what it holds.
 *
 * Holding. Whatever vk_fd_use() finds is remembered in the call. Before the fiber lets others run (vk_step)
 * each description found so far gets a reference that belongs to the call, so that a close by another fiber
 * takes the number away, but not the description; it is dropped when the call ends. A call without a step
 * holds nothing, and costs nothing.
 *
 *   H1  The references are listed in the model (vk_fiber.held), by the address of the struct vk_call: a fiber
 *       that is cancelled inside a call never returns here, and its stack is gone by then.
 *   H2  Calls nest: a handler of a signal that the outer one raised makes calls of its own. The inner has the
 *       lower address. A handler may also jump away: what belongs to calls at or below the address of
 *       the one that begins is stale.
 *
 * Late lookups. A call on a descriptor does two things: it finds the description behind the number, and then
 * does its work, holding the description. Where other fibers close or replace the number, both are moments of
 * their own, and two steps a call would multiply the states of every server whose threads close what another
 * thread accepted. One step is enough: the call announces its work on the description that is there now, and
 * remembers the number (op.watch). If the number still means the same when the step is taken, it makes no
 * difference when it was looked up. If not, the lookup was either before the change (the outcomes of the
 * operation, on the old description) or after it (ALT_FD_CHANGED: the call starts again and finds what is
 * there now).
 *
 * An operation that waits has no outcome, yet it may have begun before the change, and then no change of the
 * number ever ends it: a thread in accept is not woken by who closes the listener. So waiting on is an
 * outcome, too (ALT_FD_KEPT): the number is forgotten. Else a thread that could always find its descriptor
 * closed would never be seen to wait for ever.
 *
 * The description is held from the announcement on, so a close by another fiber does not release it,
 * although this fiber may not have looked yet. Where that could be seen, the close decides (watchers.c).
 */
#include "runtime/vkernel/core/call.h"
#include "runtime/sched/op_classes.h"

/* ---- holding ---- */

static void drop_held(struct vk_fiber *f, u64 up_to)
{
	for (u32 i = VK_MAX_HELD; i-- > 0;) {
		struct vk_held h = f->held[i];
		if (!h.desc || h.call > up_to)
			continue;
		f->held[i] = (struct vk_held){0};
		vk_desc_put(&vk->desc[h.desc - 1]);
	}
}

static void hold(const struct vk_call *c, struct vk_desc *d)
{
	struct vk_fiber *f = vk_self();
	for (u32 i = 0; i < VK_MAX_HELD; i++) {
		if (f->held[i].desc)
			continue;
		f->held[i] = (struct vk_held){.call = (u64)c, .desc = (u32)(d - vk->desc) + 1};
		vk_desc_ref(d);
		return;
	}
	vk_refuse(c, "limit: descriptions held by calls of nested signal handlers");
}

static HD_NOINLINE void hold_found(struct vk_call *c)
{
	for (; c->held_count < c->found_count; c->held_count++)
		hold(c, c->found[c->held_count]);
}

struct vk_desc *vk_call_found(struct vk_call *c, struct vk_desc *d)
{
	if (!d)
		return NULL;
	for (u32 i = 0; i < c->found_count; i++)
		if (c->found[i] == d)
			return d;
	hd_assert(c->found_count < VK_CALL_FOUND);
	c->found[c->found_count++] = d;
	return d;
}

bool vk_call_has(const struct vk_call *c, const struct vk_desc *d)
{
	for (u32 i = 0; i < c->found_count; i++)
		if (c->found[i] == d)
			return true;
	return false;
}

/* The hold on d that belongs to a call; 0: to the innermost one that has it. NULL: none. */
static struct vk_held *find_hold(struct vk_fiber *f, const struct vk_desc *d, u64 call)
{
	struct vk_held *found = NULL;
	for (u32 i = 0; i < VK_MAX_HELD; i++) {
		struct vk_held *h = &f->held[i];
		if (h->desc == vk_desc_slot(d) + 1 && (!call || h->call == call) &&
		    (!found || h->call < found->call))
			found = h;
	}
	return found;
}

static void let_go(struct vk_held *h)
{
	struct vk_desc *d = &vk->desc[h->desc - 1];
	*h = (struct vk_held){0};
	vk_desc_put(d);
}

void vk_call_unfind(struct vk_call *c)
{
	hd_assert(c->found_count);
	struct vk_held *h = find_hold(vk_self(), c->found[--c->found_count], (u64)c);
	if (h)
		let_go(h);
	c->found[c->found_count] = NULL;
	c->held_count = HD_MIN(c->held_count, c->found_count);
}

void vk_call_begin(struct vk_call *c)
{
	drop_held(vk_self(), (u64)c);
}

void vk_call_forget(struct vk_call *c)
{
	if (c->held_count)
		drop_held(vk_self(), (u64)c);
	for (u32 i = 0; i < c->found_count; i++)
		c->found[i] = NULL;
	c->found_count = c->held_count = 0;
	c->from = NULL;
}

void vk_call_ends(u32 slot)
{
	drop_held(&vk->fiber[slot], ~(u64)0);
}

/* ---- steps ---- */

void vk_call_watch(struct vk_call *c, int fd, const struct vk_desc *d)
{
	c->watch = vk_watch(fd, d);
}

bool vk_watch_changed(u64 watch)
{
	return vk->fd[(watch >> 32) - 1].desc != (u16)watch;
}

void vk_describe_fd_changed(u64 watch, struct text *t)
{
	int fd = (int)(watch >> 32) - 1;
	text_str(t, "finds ");
	vk_describe_fd(fd, t);
	text_str(t, vk_fd_peek(fd) ? " replaced" : " closed");
}

void vk_describe_fd_kept(u64 watch, struct text *t)
{
	text_str(t, "waits already for what ");
	vk_describe_fd((int)(watch >> 32) - 1, t);
	text_str(t, " was");
}

/* Whoever closed the number has decided that this call had not looked yet (watchers.c). */
void vk_call_lose(u32 slot, struct vk_desc *d)
{
	struct vk_held *h = find_hold(&vk->fiber[slot], d, 0);
	if (h)
		let_go(h);
}

/* The watched description is the one that was found last. */
static HD_NOINLINE bool has_lost(const struct vk_call *c)
{
	return !find_hold(vk_self(), c->found[c->found_count - 1], (u64)c);
}

static long step_watching(struct vk_call *c, struct op o)
{
	int fd = (int)(c->watch >> 32) - 1;
	o.watch = c->watch;
	c->watch = 0;
	u32 alt = sched_step(&o);
	if (has_lost(c) || alt == ALT_FD_CHANGED)
		vk_fd_check_use(c, fd);
	if (has_lost(c))
		return VK_RESTART;
	if (alt == ALT_FD_KEPT) {
		o.watch = 0;
		return sched_step(&o);
	}
	return alt == ALT_FD_CHANGED ? VK_RESTART : (long)alt;
}

long vk_step(struct vk_call *c, const struct op *o)
{
	hold_found(c);
	c->cancel_looked |= !!(o->flags & OPF_CANCEL);
	long alt = c->watch ? step_watching(c, *o) : (long)sched_step(o);
	c->stepped = true; /* others have run meanwhile */
	if (hd_unlikely(alt == ALT_EINTR)) {
		c->interrupted = true;
		return VK_RESTART;
	}
	return alt;
}

long vk_transfer_step(struct vk_call *c, u16 kind, const void *object, u64 arg, bool tries, bool again)
{
	sched_tries(tries || again);
	struct op o = {.kind = kind,
		       .flags = OPF_CANCEL | OPF_EINTR | OPF_RESTART,
		       .n = tries,
		       .object = (u64)object,
		       .arg = arg};
	return vk_step(c, &o);
}

void vk_step_once(struct vk_call *c, const struct op *o)
{
	hd_assert(!c->watch); /* the first act behind a late lookup is vk_step() */
	if (!c->stepped)
		vk_step(c, o);
}

/* ---- what it touches ---- */

void vk_declare(u64 object, enum access_mode mode)
{
	access_declare(object, 1, mode);
}

bool vk_touch(const struct vk_call *c, u64 object, enum access_mode mode)
{
	if (!sched_all_joined()) {
		if (c && !c->stepped) {
			if (!access_use(object, mode))
				return false;
			/* A step; but the call has looked already, and its operation shows what it saw. */
			vk_declare(object, ACCESS_READ);
			return true;
		}
		access_learn(object, mode);
	}
	vk_declare(object, mode);
	return false;
}

bool vk_touch_lesson(const struct vk_call *c, u64 object, enum access_mode mode)
{
	if (sched_all_joined())
		return false;
	if (c && !c->stepped)
		return access_use_lesson(object, mode);
	access_learn(object, mode);
	return false;
}

void vk_order(struct vk_call *c, u64 object, enum access_mode mode)
{
	struct op o = {.kind = OP_FILE, .object = object, .n = mode};
	if (c->stepped)
		vk_declare(object, mode);
	vk_step_once(c, &o);
}

void vk_use(struct vk_call *c, u64 object, enum access_mode mode)
{
	if (vk_touch(c, object, mode))
		vk_order(c, object, mode); /* whose class declares it */
}

void vk_use_outside(u64 object, enum access_mode mode)
{
	struct vk_call c = {0};
	vk_use(&c, object, mode);
}

static HD_NOINLINE bool touch_two(struct vk_call *c, const u64 *object, const enum access_mode *mode)
{
	bool seen = vk_touch(c, object[0], mode[0]);
	return vk_touch(c, object[1], mode[1]) || seen;
}

void vk_use_outside_two(u64 a, enum access_mode mode_a, u64 b, enum access_mode mode_b)
{
	struct vk_call c = {0};
	u64 object[] = {a, b};
	enum access_mode mode[] = {mode_a, mode_b};
	if (!touch_two(&c, object, mode))
		return;
	vk_order(&c, a, mode_a);
	touch_two(&c, object, mode);
}

void vk_op_looked_up(const struct op *o)
{
	if (o->watch)
		vk_fd_declare((int)(o->watch >> 32) - 1, ACCESS_READ);
}

void vk_op_changes(const struct op *o, u64 object)
{
	vk_op_looked_up(o);
	access_declare(object, 1, ACCESS_WRITE);
}

void vk_refuse(const struct vk_call *c, const char *what)
{
	sched_refused(what, c->pc);
}
