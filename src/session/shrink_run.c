#include "session/shrink_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define LOOK_MS 20
#define GRACE_MS 1000 /* a step that does not end */

bool shrink_makes_sense(const struct violation *v)
{
	/* Each attempt at a hang takes as long as the hang did. */
	return v->path && v->found.path_len > 1 && !v->found.doubtful && v->found.kind != VIOLATION_HANG;
}

/* Until the process has ended, or has had its time. */
static void wait_for_end(const struct shrink_plan *plan, struct sut *s, u64 end_ms)
{
	const struct session_observer *o = plan->observer;

	o->process(o->self, s->pid, true);
	while (sut_wait_end(s, LOOK_MS) != SUT_ENDED && monotonic_ms() < end_ms + GRACE_MS)
		if (o->stop_requests(o->self))
			sut_ask_to_stop(s);
	o->process(o->self, s->pid, false);
}

/* The path that the process left takes the place of the violation's. */
static enum shrink_result take_path(const struct sut *s, struct violation *v, struct problem *p)
{
	const struct wire_shrunk *found = &s->worker->result.shrunk;
	const u32 *path = sut_path(s, found->path_offset, found->path_len);
	u64 len = found->path_len;
	u32 *copy;

	if (s->worker->phase != WIRE_DONE || !path || !len) {
		char why[sizeof(s->worker->result.incomplete)];

		snprintf(why, sizeof(why), "%.*s", (int)sizeof(why) - 1, s->worker->result.incomplete);
		problem_set(p, "%.900s",
			    why[0] ? why : "the execution does not lead to the violation when it is tried");
		return SHRINK_IMPOSSIBLE;
	}
	if (len == v->found.path_len && !memcmp(path, v->path, len * sizeof(*path)))
		return SHRINK_SHORT_ALREADY;
	copy = malloc((len + 1) * sizeof(*copy));
	if (!copy)
		return SHRINK_SHORT_ALREADY;
	memcpy(copy, path, len * sizeof(*copy));
	free(v->path);
	v->path = copy;
	if (!v->found_len)
		v->found_len = v->found.path_len;
	v->found.path_len = len;
	return SHRINK_SHORTER;
}

enum shrink_result shrink_run(const struct shrink_plan *plan, struct violation *v, struct problem *p)
{
	struct launch l = *plan->launch;
	u64 now = monotonic_ms(), end_ms = now + plan->max_ms, lesson;
	enum shrink_result all = SHRINK_SHORT_ALREADY;

	l.task = (struct wire_task){
		.mode = WIRE_SHRINK, .violation = v->found.kind, .max_steps = plan->max_steps};
	do {
		struct sut s = {0};
		enum shrink_result one;

		l.path = v->path;
		l.task.path_len = v->found.path_len;
		l.task.max_ms = end_ms - now;
		if (sut_start(&s, &l, NULL, 0, p))
			return SHRINK_IMPOSSIBLE;
		wait_for_end(plan, &s, end_ms);
		one = take_path(&s, v, p);
		lesson = one == SHRINK_IMPOSSIBLE ? 0 : s.worker->result.shrunk.lesson;
		sut_end(&s);
		if (one == SHRINK_IMPOSSIBLE)
			return all == SHRINK_SHORTER ? all : one;
		if (one == SHRINK_SHORTER)
			all = one;
		if (lesson)
			l.task.avoid[l.task.avoids++] = lesson;
		now = monotonic_ms();
	} while (lesson && l.task.avoids < WIRE_MAX_AVOID && now < end_ms &&
		 !plan->observer->stop_requests(plan->observer->self));
	return all;
}
