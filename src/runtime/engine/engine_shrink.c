/*
 * A shorter path to the violation that the task's path leads to (search/shrink.h).
 */
#include "base/clock.h"
#include "runtime/engine/engine_priv.h"
#include "runtime/rt.h"
#include "search/shrink.h"
#include "wire/wire.h"

static u64 end_ms;

static bool enough(void *self)
{
	(void)self;
	return *(volatile u32 *)&rt_wire->stop || monotonic_ms() >= end_ms;
}

void engine_shrink(void)
{
	const struct wire_task *w = &rt_worker->task;
	struct wire_shrunk *to = &rt_worker->result.shrunk;
	const struct target target = {&engine_ops, NULL};
	const struct shrink_task task = {
		.path = (const u32 *)((char *)rt_worker + w->path_offset),
		.len = w->path_len,
		.is_loop = violation_traits(w->violation)->ends_in_loop,
		.steps = w->max_steps,
		.stop = enough,
		.avoid = w->avoid,
		.avoids = HD_MIN(w->avoids, (u32)WIRE_MAX_AVOID),
	};
	struct shrunk out;
	end_ms = monotonic_ms() + w->max_ms;
	rt_worker->phase = WIRE_RUNNING;
	enum shrink_end why = shrink(&target, &task, &out);
	*to = (struct wire_shrunk){.attempts = out.attempts, .lesson = out.lesson};
	u64 len = out.path.len / sizeof(u32);
	if (why != SHRINK_FAILED)
		to->path_offset = engine_keep_path((const u32 *)out.path.data, len);
	if (to->path_offset)
		to->path_len = len;
	pages_vec_free(&out.path);
}
