/*
 * call.h: what the dispatcher and the table of descriptors know about a call under way; handlers need
 * vk_priv.h alone.
 */
#ifndef HEDDLE_RUNTIME_VK_CALL_H
#define HEDDLE_RUNTIME_VK_CALL_H

#include "runtime/vkernel/core/vk_priv.h"

/* A call begins: what calls hold that never came to their end is dropped. */
void vk_call_begin(struct vk_call *c);
/* It ends, or starts again: what it has found, and holds, is let go. */
void vk_call_forget(struct vk_call *c);
/* The call has found d (may be NULL), and keeps it; returns d. */
struct vk_desc *vk_call_found(struct vk_call *c, struct vk_desc *d);
/* Has it found d already? */
bool vk_call_has(const struct vk_call *c, const struct vk_desc *d);
/* What it found last was not there when it looked. */
void vk_call_unfind(struct vk_call *c);
/* The call of another fiber lets d go, which it had found by a late lookup. */
void vk_call_lose(u32 slot, struct vk_desc *d);
/* struct op, watch: this number, as long as it means d. */
static inline u64 vk_watch(int fd, const struct vk_desc *d)
{
	return (u64)(fd + 1) << 32 | (vk_desc_slot(d) + 1);
}
/* It has found d behind fd, but others may change that until its step. */
void vk_call_watch(struct vk_call *c, int fd, const struct vk_desc *d);
/* A number for d, from that one on; as Linux, the description is found first, then a number for it. */
long vk_fd_dup_from(struct vk_call *c, struct vk_desc *d, u32 from, bool cloexec);

/*
 * watchers.c: in how many ways calls of others that are about to use what is behind fd can have found it when
 * fd is closed; what deciding that touches; one of them comes true.
 */
bool vk_desc_end_shows(const struct vk_desc *d); /* can others see that it is released? */
u32 vk_watchers_outcomes(int fd);
void vk_watchers_declare(int fd);
void vk_watchers_settle(int fd, u32 alt);

/*
 * Act on a request for cancellation where this call is a cancellation point, but does not look for one
 * itself: before it acts; or when it has failed without doing anything, although it was expected to wait.
 */
void vk_cancel_point_before(struct vk_call *c);
void vk_cancel_point_after(struct vk_call *c);

#endif
