/*
 * vk_owner.h: for the audit of footprints: the object that a byte of the virtual kernel's model belongs to.
 */
#ifndef HEDDLE_RUNTIME_VK_OWNER_H
#define HEDDLE_RUNTIME_VK_OWNER_H

#include "runtime/sched/owner.h"

/* Of struct vk_model, and of the contents of files. False: not there, or nobody's. */
bool vk_owner(u64 address, struct owner *o);

/* Does the program store there by itself, although it is a file's place? */
bool vk_is_mapped_file(u64 address);

#endif
