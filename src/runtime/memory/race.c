#include "runtime/rt.h"
#include "runtime/memory/memory.h"
#include "runtime/heap/sites.h"
#include "runtime/sched/fiber.h"
#include "wire/wire.h"

static bool is_access(const struct op *o)
{
	return op_class_of(o)->memory;
}

static bool races(const struct op *a, const struct op *b)
{
	if (!is_access(b) || !((a->arg | b->arg) & MEMORY_WRITE))
		return false;
	if (a->arg & b->arg & (MEMORY_ATOMIC | MEMORY_VOLATILE))
		return false;
	return a->object < b->object + b->n && b->object < a->object + a->n;
}

/* The user knows it: config.ignored_race. Whichever of the two came first. */
static bool is_ignored(const struct op *a, const struct op *b)
{
	const struct wire_config *c = &rt_wire->config;
	u64 at = HD_MAX(a->object, b->object);
	for (u32 i = 0; i < c->ignored && i < WIRE_MAX_IGNORED; i++) {
		const struct wire_ignored *r = &c->ignored_race[i];
		if (r->address && r->address != at)
			continue;
		if ((r->pc[0] == a->arg2 && r->pc[1] == b->arg2) ||
		    (r->pc[0] == b->arg2 && r->pc[1] == a->arg2))
			return true;
	}
	return false;
}

static void describe_one(const struct fiber *f, struct text *t)
{
	fiber_describe(f, t);
	text_str(t, " ");
	op_class_of(&f->op)->describe(f, &f->op, OP_DESCRIBE_PENDING, t);
	for (u32 i = 0; i < FIBER_LOCKS && f->held[i]; i++) {
		text_str(t, i ? ", " : ", holding ");
		text_addr(t, f->held[i] & ~1UL);
	}
}

u32 memory_race(u32 slot, struct text *t)
{
	const struct fiber *f = &model->fiber[slot];
	if (hd_likely(f->life != FIBER_ALIVE || !is_access(&f->op)))
		return LAYOUT_MAX_FIBERS;
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		const struct fiber *other = &model->fiber[i];
		if (i == slot || other->life != FIBER_ALIVE || !races(&f->op, &other->op) ||
		    is_ignored(&f->op, &other->op))
			continue;
		text_str(t, "data race: ");
		describe_one(f, t);
		text_str(t, "; ");
		describe_one(other, t);
		sites_describe_live(HD_MAX(f->op.object, other->op.object), t);
		return i;
	}
	return LAYOUT_MAX_FIBERS;
}
