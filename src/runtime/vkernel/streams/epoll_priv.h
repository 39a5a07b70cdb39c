/*
 * epoll_priv.h: the inside of epoll sets, for epoll.c and epoll_wait.c.
 */
#ifndef HEDDLE_RUNTIME_EPOLL_PRIV_H
#define HEDDLE_RUNTIME_EPOLL_PRIV_H

#include <linux/eventpoll.h>

#include "runtime/vkernel/core/vk_priv.h"

#define EPOLL_DEPTH 4u /* sets inside sets */
/* What an item that is disabled, as a one-shot one that has told something, keeps of its events. */
#define EPOLL_PRIVATE_BITS ((u32)(EPOLLWAKEUP | EPOLLONESHOT | EPOLLET | EPOLLEXCLUSIVE))

/* As the program has it. */
struct epoll_user_event {
	u32 events;
	u64 data;
} __attribute__((packed));

static inline struct vk_epoll *epoll_set_of(const struct vk_desc *d)
{
	return &vk->epoll[d->object];
}
static inline struct vk_desc *epoll_desc_of(const struct vk_epoll_item *i)
{
	return &vk->desc[i->desc - 1];
}
/* The set changes, in a step. */
static inline void epoll_declare(const struct vk_epoll *e)
{
	vk_declare(vk_epoll_object((u32)(e - vk->epoll)), ACCESS_WRITE);
}

/* What of all that it is asked for the item has to tell; 0: it is not ready, or disabled. */
u32 epoll_ready_events(const struct vk_epoll_item *i);
/* Level-triggered items are ready as long as they are; others only if something has happened to them. */
bool epoll_is_candidate(const struct vk_epoll_item *i);
bool epoll_has_ready(const struct vk_epoll *e);
void epoll_put_at_tail(struct vk_epoll *e, struct vk_epoll_item *i);
void epoll_take_from_list(struct vk_epoll *e, struct vk_epoll_item *i);

#endif
