/*
 * watchers.c: closing what others are about to use.
 *
 * A call that looks up late (call.c), the watcher, holds the description before it is known whether it has
 * looked it up at all. Mostly nobody can tell. But if calls under way alone keep the description alive when
 * its last number is closed, then its end, which its other end or a poll sees, comes at once or when the last
 * of those calls ends that have found it: which have is decided in the moment of the close. An outcome is a
 * set of watchers, as bits in the order of their slots: those in the set have looked, and keep it; the others
 * let go, and will look again.
 *
 *   W1  All watchers of the description count, whatever number they looked up: of a duplicate, it may have
 *       been closed long ago.
 *   W2  Calls that hold it and don't watch (they have come further) keep it alive; the watchers' part is
 *       decided nevertheless, for there is no such moment when those calls end.
 *
 * With more than MOST_SETS watchers there are two outcomes: none has looked; any may have, and each decides
 * for itself later (that all of them then find it closed, although it stayed open, is one execution too
 * many).
 */
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/core/call.h"
#include "runtime/vkernel/files/file_locks.h"

#define MOST_SETS 4u

bool vk_desc_end_shows(const struct vk_desc *d)
{
	return vk_kinds[d->kind]->waits || vk_file_locks_held(d);
}

static bool is_watcher(u32 slot, const struct vk_desc *d)
{
	const struct fiber *f = sched_fiber(slot);
	return f && fiber_op(f)->watch && (u16)fiber_op(f)->watch == vk_desc_slot(d) + 1;
}

static u32 count_holds(const struct vk_fiber *f, const struct vk_desc *d)
{
	u32 n = 0;
	for (u32 i = 0; i < VK_MAX_HELD; i++)
		n += f->held[i].desc == vk_desc_slot(d) + 1;
	return n;
}

/* How many watchers decide, with this close, over the end of what is behind fd; 0: it is not at stake. */
static u32 deciding(int fd)
{
	const struct vk_desc *d = vk_fd_peek(fd);
	u32 watchers = 0, holds = 0;
	if (!d || d->refs == 1 || !vk_desc_end_shows(d))
		return 0;
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		watchers += is_watcher(i, d);
		holds += count_holds(&vk->fiber[i], d);
	}
	return d->refs == 1 + holds ? watchers : 0;
}

u32 vk_watchers_outcomes(int fd)
{
	u32 n = deciding(fd);
	return n > MOST_SETS ? 2 : 1u << n;
}

void vk_watchers_declare(int fd)
{
	if (!deciding(fd))
		return;
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		if (is_watcher(i, vk_fd_peek(fd)))
			vk_declare(thread_object(i), ACCESS_WRITE);
}

/* It had not looked yet, and does so when it is its turn. */
static void look_again(u32 slot, struct op *o, struct vk_desc *d)
{
	int number = (int)(o->watch >> 32) - 1;
	*o = (struct op){.kind = OP_FILE,
			 .flags = o->flags & OPF_CANCEL,
			 .object = vk_fd_object(number),
			 .n = ACCESS_READ};
	vk_call_lose(slot, d);
}

HD_NOINLINE void vk_watchers_settle(int fd, u32 alt)
{
	u32 n = deciding(fd), seen = 0;
	struct vk_desc *d = vk_fd_peek(fd);
	if (!n || (alt && n > MOST_SETS))
		return;
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		if (!is_watcher(i, d))
			continue;
		struct op *o = fiber_op_mut(sched_fiber(i));
		vk_declare(thread_object(i), ACCESS_WRITE);
		if (alt >> seen++ & 1)
			o->watch = 0;
		else
			look_again(i, o, d);
	}
}
