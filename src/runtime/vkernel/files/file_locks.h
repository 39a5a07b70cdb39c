/*
 * file_locks.h: locks on files: what fcntl and the end of a description need of them.
 */
#ifndef HEDDLE_RUNTIME_VK_FILE_LOCKS_H
#define HEDDLE_RUNTIME_VK_FILE_LOCKS_H

#include "runtime/vkernel/core/vk_priv.h"

/* The commands of fcntl about locks, of the process and of descriptions. May wait. */
long vk_record_lock(struct vk_call *c, struct vk_desc *d, int cmd, long arg);
/* Does this description hold one? With its last close they go. */
bool vk_file_locks_held(const struct vk_desc *d);
void vk_file_locks_drop(const struct vk_desc *d);

#endif
