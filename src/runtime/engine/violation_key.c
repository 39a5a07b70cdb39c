#include "runtime/engine/violation_key.h"

#include "runtime/engine/engine_priv.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/model.h"
#include "runtime/sched/op_classes.h"
#include "state/fingerprint.h"
#include "wire/violation.h"

/* Adding hashes forgets the order; a place that counts twice must not vanish, so each is added once only. */
#define MOST_PLACES 64

u64 violation_key_race(u64 pc, u64 other_pc)
{
	u64 key[] = {VIOLATION_RACE, HD_MIN(pc, other_pc), HD_MAX(pc, other_pc)};
	return XXH3_64bits(key, sizeof(key));
}

/* The fiber that alone could end this one's wait; LAYOUT_MAX_FIBERS: none in particular. */
static u32 waits_for(u32 slot)
{
	const struct op *o = &model->fiber[slot].op;
	const struct op_class *c = op_class_of(o);
	struct op_wait w = c->wait ? c->wait(o) : (struct op_wait){.what = WAIT_ANYONE};
	if (w.what != WAIT_FIBER || w.slot >= LAYOUT_MAX_FIBERS || model->fiber[w.slot].life != FIBER_ALIVE)
		return LAYOUT_MAX_FIBERS;
	return w.slot;
}

/* Does the chain of waits come back to it? */
static bool in_circle(u32 slot)
{
	u32 at = slot;
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		at = waits_for(at);
		if (at == slot)
			return true;
		if (at == LAYOUT_MAX_FIBERS)
			return false;
	}
	return false;
}

static u64 place_of(u32 slot)
{
	const struct op *o = &model->fiber[slot].op;
	u64 place[] = {o->kind, o->object, engine_program_pc(slot)};
	return XXH3_64bits(place, sizeof(place));
}

static bool is_alive(u32 slot)
{
	return model->fiber[slot].life == FIBER_ALIVE;
}

static u64 key_of_deadlock(void)
{
	u64 place[MOST_PLACES], sum = VIOLATION_DEADLOCK;
	u32 places = 0;
	bool circle = false, all_patient = true;
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		circle |= is_alive(i) && in_circle(i);
		all_patient &= !is_alive(i) || op_class_of(&model->fiber[i].op)->patient;
	}
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		bool counts = circle ? is_alive(i) && in_circle(i)
				     : is_alive(i) &&
					       (all_patient || !op_class_of(&model->fiber[i].op)->patient);
		if (!counts)
			continue;
		u64 one = place_of(i);
		bool known = false;
		for (u32 k = 0; k < places; k++)
			known |= place[k] == one;
		if (known)
			continue;
		sum += one;
		if (places < MOST_PLACES)
			place[places++] = one;
	}
	return sum;
}

u64 violation_key_end(u32 kind, const char *text, size_t len)
{
	return kind == VIOLATION_DEADLOCK ? key_of_deadlock() : XXH3_64bits(text, len);
}
