/*
 * desc.c: open file descriptions: what a descriptor's number stands for, with its kind, flags and the count
 * of those who hold it. The last one who lets go frees it.
 */
#include "runtime/vkernel/core/call.h"
#include "runtime/vkernel/files/file_locks.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/streams/epoll.h"
#include "wire/wire.h"

const struct vk_ops *const vk_kinds[VK_KINDS] = {
	[VK_CONSOLE] = &vk_console_ops, [VK_FILE] = &vk_file_ops,         [VK_DIR] = &vk_dir_ops,
	[VK_DEVICE] = &vk_device_ops,   [VK_PIPE] = &vk_pipe_ops,         [VK_EVENTFD] = &vk_eventfd_ops,
	[VK_TIMERFD] = &vk_timerfd_ops, [VK_SIGNALFD] = &vk_signalfd_ops, [VK_SOCKET] = &vk_socket_ops,
	[VK_EPOLL] = &vk_epoll_ops,
};

/*
 * Slots of descriptions and pipes are nobody's business but ours. Where numbers go by threads
 * (--fd-numbers thread), they do as well: a fiber takes slots of its lane only, which it shares with every
 * eighth one.
 */
#define LANES 8u
u32 vk_slot_lanes(void)
{
	return rt_wire->config.fds_by_thread ? LANES : 1;
}

void vk_slot_declare(u32 slot, bool takes)
{
	bool lanes = rt_wire->config.fds_by_thread;
	vk_declare(VK_SLOTS, takes && !lanes ? ACCESS_WRITE : ACCESS_ADD);
	if (lanes)
		vk_declare(vk_lane_object(slot % LANES), takes ? ACCESS_WRITE : ACCESS_ADD);
}

static u32 free_slot(u32 from, u32 step)
{
	u32 slot = from;
	while (slot < vk->desc_limit && vk->desc[slot].kind != VK_FREE)
		slot += step;
	return slot;
}

struct vk_desc *vk_desc_new(enum vk_kind kind, u32 flags)
{
	u32 slot = free_slot(sched_self_slot() % vk_slot_lanes(), vk_slot_lanes());
	if (slot >= VK_MAX_DESCS) { /* the lane is full */
		vk_declare(VK_SLOTS, ACCESS_WRITE);
		slot = free_slot(0, 1);
	}
	if (slot >= VK_MAX_DESCS)
		return NULL;
	struct vk_desc *d = &vk->desc[slot];
	*d = (struct vk_desc){.kind = (u16)kind, .refs = 1, .flags = flags, .maker = sched_self_slot()};
	vk->desc_limit = HD_MAX(vk->desc_limit, slot + 1);
	vk_slot_declare(slot, true);
	for (u32 part = 0; part < VK_DESC_PARTS; part++)
		vk_declare(vk_desc_object(slot, part), ACCESS_MAKE);
	return d;
}

long vk_desc_none(const struct vk_call *c)
{
	vk_refuse(c, "limit: more than 9216 open file descriptions");
	return -ENFILE;
}

void vk_desc_ref(struct vk_desc *d)
{
	vk_declare(vk_desc_object(vk_desc_slot(d), VK_DESC_REFS), ACCESS_ADD);
	d->refs++;
}

static void desc_free(struct vk_desc *d)
{
	if (hd_unlikely(vk->epolls))
		epoll_forget(d);
	vk_file_locks_drop(d);
	if (vk_kinds[d->kind]->release)
		vk_kinds[d->kind]->release(d);
	vk_slot_declare(vk_desc_slot(d), false);
	for (u32 part = 0; part < VK_DESC_PARTS; part++)
		vk_declare(vk_desc_object(vk_desc_slot(d), part), ACCESS_WRITE);
	*d = (struct vk_desc){0};
	while (vk->desc_limit && vk->desc[vk->desc_limit - 1].kind == VK_FREE)
		vk->desc_limit--;
}

void vk_desc_put(struct vk_desc *d)
{
	hd_assert(d->refs > 0);
	vk_declare(vk_desc_object(vk_desc_slot(d), VK_DESC_REFS), ACCESS_ADD);
	if (!--d->refs)
		desc_free(d);
}
