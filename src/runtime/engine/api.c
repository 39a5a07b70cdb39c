#include <heddle/heddle.h>

#include "runtime/kstack/kstack.h"
#include "runtime/rt.h"
#include "runtime/sched/op_classes.h"
#include "runtime/sched/fiber.h"
#include "wire/wire.h"

#define CHOOSE_MAX 4096

DOOR(unsigned, heddle_rt_choose)(unsigned n)
{
	if (n > CHOOSE_MAX) {
		sched_refused("heddle_choose of more than 4096 values", DOOR_CALLER);
		n = CHOOSE_MAX;
	}
	if (n < 2)
		return 0;
	struct op o = {.kind = OP_CHOOSE, .n = n};
	return sched_step(&o);
}

DOOR(void, heddle_rt_assume)(int holds)
{
	if (!holds)
		sched_prune();
}

DOOR(void, heddle_rt_assert)(int holds, const char *what, const char *file, int line)
{
	if (holds)
		return;
	char buf[512];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	text_str(&t, file);
	text_str(&t, ":");
	text_dec(&t, line);
	text_str(&t, ": heddle_assert(");
	text_str(&t, what);
	text_str(&t, ") failed");
	sched_violation(VIOLATION_ASSERT, DOOR_CALLER, 0, buf);
}

/* The section starts with a step, so that what came before is not part of it. */
DOOR(void, heddle_rt_atomic_begin)(void)
{
	struct fiber *f = sched_self();
	if (!f->atomic) {
		struct op o = {.kind = OP_ATOMIC_BEGIN};
		sched_step(&o);
	}
	f->atomic++;
}

DOOR(void, heddle_rt_atomic_end)(void)
{
	struct fiber *f = sched_self();
	if (f->atomic)
		f->atomic--;
}

DOOR(void, heddle_rt_outcome)(long value)
{
	struct wire_result *r = &rt_worker->result;
	for (u32 i = 0; i < r->outcomes; i++)
		if (r->outcome[i] == value)
			return;
	if (r->outcomes < WIRE_MAX_OUTCOMES)
		r->outcome[r->outcomes++] = value;
}

static u32 choose_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return o->n;
}

static void choose_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, "chooses ");
	if (alt != OP_DESCRIBE_PENDING) {
		text_dec(t, (long)alt);
		text_str(t, " ");
	}
	text_str(t, "of 0 … ");
	text_dec(t, (long)o->n - 1);
}

const struct op_class op_choose = {
	.name = "choose", .outcomes = choose_outcomes, .describe = choose_describe};
const struct op_class op_atomic_begin = {.name = "begins an atomic section", .accesses = op_touches_world};
