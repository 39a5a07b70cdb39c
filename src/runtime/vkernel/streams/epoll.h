/*
 * epoll.h: what those who change the readiness of a description tell the epoll sets that watch it.
 */
#ifndef HEDDLE_RUNTIME_VK_EPOLL_H
#define HEDDLE_RUNTIME_VK_EPOLL_H

#include "runtime/vkernel/core/vk_priv.h"

/*
 * Something has happened at d: an edge, for these events (POLL*; 0: whatever they are). Sets that wait for
 * one of them put it on their ready lists.
 */
void epoll_wake(const struct vk_desc *d, u32 events);
/* The description goes, and with it its entries. */
void epoll_forget(const struct vk_desc *d);

#endif
