#include "runtime/rt.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/order.h"
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
static bool is_ignored(u64 pc, const struct memory_race *race)
{
	const struct wire_config *c = &rt_wire->config;
	for (u32 i = 0; i < c->ignored && i < WIRE_MAX_IGNORED; i++) {
		const struct wire_ignored *r = &c->ignored_race[i];
		if (r->address && r->address != race->address)
			continue;
		if ((r->pc[0] == pc && r->pc[1] == race->other_pc) ||
		    (r->pc[0] == race->other_pc && r->pc[1] == pc))
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

static bool side_by_side(u32 slot, struct memory_race *r, struct text *t)
{
	const struct fiber *f = &model->fiber[slot];
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		const struct fiber *other = &model->fiber[i];
		if (i == slot || other->life != FIBER_ALIVE || !races(&f->op, &other->op))
			continue;
		*r = (struct memory_race){i, HD_MAX(f->op.object, other->op.object), other->op.arg2};
		if (is_ignored(f->op.arg2, r))
			continue;
		text_str(t, "data race: ");
		describe_one(f, t);
		text_str(t, "; ");
		describe_one(other, t);
		sites_describe_live(r->address, t);
		return true;
	}
	return false;
}

static bool unordered(u32 slot, struct memory_race *r, struct text *t)
{
	const struct fiber *f = &model->fiber[slot];
	struct order_race o;
	if (!order_race(slot, &o))
		return false;
	*r = (struct memory_race){o.other, o.address, o.other_pc};
	if (is_ignored(f->op.arg2, r))
		return false;
	text_str(t, "data race: ");
	describe_one(f, t);
	text_fmt(t, "; thread %u %s it%s", o.other + 1, o.write ? "wrote" : "read",
		 o.atomic ? " atomically" : "");
	if (o.other_pc) {
		text_str(t, " at ");
		text_addr(t, o.other_pc - 1);
	}
	text_str(t, " before that, and ");
	if (o.by_volatile) {
		text_str(t, "volatile ");
		text_addr(t, o.by_volatile);
		text_str(t, ", by which the one knows of the other, orders nothing: it has to be atomic");
	} else {
		text_str(t, "the atomic operations between them don't order the two as they are written: one "
			    "side lacks release, or the other acquire");
	}
	sites_describe_live(o.address, t);
	return true;
}

bool memory_race(u32 slot, struct memory_race *r, struct text *t)
{
	const struct fiber *f = &model->fiber[slot];
	if (hd_likely(f->life != FIBER_ALIVE || !is_access(&f->op)))
		return false;
	return side_by_side(slot, r, t) || unordered(slot, r, t);
}
