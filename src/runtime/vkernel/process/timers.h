/*
 * timers.h: timers of the process, for those that count expiries in a description (streams/timerfd.c).
 */
#ifndef HEDDLE_RUNTIME_VK_TIMERS_H
#define HEDDLE_RUNTIME_VK_TIMERS_H

#include "runtime/vkernel/core/vk_priv.h"

/* struct itimerspec */
struct vk_timespecs {
	struct __kernel_timespec interval, value;
};

/* Can a timer go by this clock? */
bool timer_clock_runs(int clock);
/* A timer whose expiries are counted in d->pos; its number, or 0: there is none left. */
u32 timer_take(const struct vk_desc *d, bool wall);
void timer_drop(u32 n);
/* What remains; and it is armed anew. Inside a step. */
void timer_tell(u32 n, struct vk_timespecs *to);
void timer_set(u32 n, const struct vk_timespecs *to, bool absolute);
bool timer_spec_ok(const struct vk_timespecs *s);

/* A thread ends, which may be one that a timer has started. */
void timer_thread_ends(u32 slot);

#endif
