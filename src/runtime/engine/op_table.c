/*
 * The table of visible operations, and how they are told to people.
 */
#include "runtime/engine/engine_priv.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/vk_ops.h"

const struct op_class op_none = {.name = "runs"};

const struct op_class *const op_classes[] = {
#define OP_CLASS_ENTRY(kind, class_name) [OP_##kind] = &op_##class_name,
	OP_KINDS_LIST(OP_CLASS_ENTRY)
#undef OP_CLASS_ENTRY
};

void op_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	const struct op_class *c = op_class_of(o);
	if (alt == ALT_CANCEL) {
		text_str(t, "is cancelled");
	} else if (alt == ALT_SIGNAL || alt == ALT_EINTR) {
		vk_describe_signal(fiber_slot(f), alt == ALT_EINTR, t);
	} else if (ALT_IS_TIMER(alt)) {
		vk_describe_timer(ALT_TIMER_NUMBER(alt), t);
	} else if (ALT_IS_PEER(alt)) {
		vk_describe_peer(alt - ALT_PEER, t);
	} else if (ALT_IS_FAULT(alt)) {
		vk_describe_fault(o, alt - ALT_FAULT, t);
	} else if (alt == ALT_FD_CHANGED) {
		vk_describe_fd_changed(o->watch, t);
	} else if (alt == ALT_FD_KEPT) {
		vk_describe_fd_kept(o->watch, t);
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

u32 fiber_describe_all(const char *what, char *buf, size_t cap)
{
	struct text t;
	u32 first = LAYOUT_MAX_FIBERS;
	text_init(&t, buf, cap);
	text_str(&t, what);
	size_t begin = t.len;
	/* Those who wait for a thread's end or for clients are not to blame: they come last. */
	for (u32 i = 0; i < 2 * sched_fiber_limit(); i++) {
		u32 slot = i % sched_fiber_limit();
		const struct fiber *f = &model->fiber[slot];
		if (f->life != FIBER_ALIVE || op_class_of(&f->op)->patient != (i >= sched_fiber_limit()))
			continue;
		text_str(&t, t.len == begin ? "" : "; ");
		first = HD_MIN(first, slot);
		fiber_describe(f, &t);
		text_str(&t, " ");
		op_describe(f, &f->op, OP_DESCRIBE_PENDING, &t);
	}
	if (first == LAYOUT_MAX_FIBERS)
		text_init(&t, buf, cap);
	return first;
}
