/*
 * touch.h: where fibers meet in the file system: what a call says it reads and changes there (vk_touch). All
 * functions return true when the use must be a step; none of them is one.
 *
 * Four kinds of objects, so that what commutes stays apart:
 *
 *   name      a path: is something there, and what? Read by every walk that comes along, changed by
 *             who makes, removes or renames it.
 *   file      an inode, by whichever name or descriptor: contents, size, attributes.
 *   listing   which names a directory has. Two makers of different names commute (ACCESS_ADD); who lists can
 *             tell where between them it came (ACCESS_READ).
 *   position  of an open file description; every use changes it.
 *
 * V1  A call declares all it looks at and all it changes, in the state in which it runs: a
 *     name that is missing is looked at, too, as is each directory on the way.
 * V2  What a call does depends on the state; so it says all again after a step.
 */
#ifndef HEDDLE_RUNTIME_VK_TOUCH_H
#define HEDDLE_RUNTIME_VK_TOUCH_H

#include "runtime/vkernel/files/path.h"

bool touch_name(struct vk_call *c, u64 key, enum access_mode mode);
/* dir: the directory's key. */
bool touch_listing(struct vk_call *c, u64 dir, enum access_mode mode);
/* What lies at p, if anything. */
bool touch_place(struct vk_call *c, const struct vk_place *p, enum access_mode mode);
bool touch_inode(struct vk_call *c, u32 inode, enum access_mode mode);
/* The file behind a description; its position. */
bool touch_file(struct vk_call *c, const struct vk_desc *d, enum access_mode mode);
bool touch_position(struct vk_call *c, const struct vk_desc *d);

/* What a description stands for, as an object. */
u64 file_object(const struct vk_desc *d);
u64 inode_object(u32 inode);
/* For messages: from the key of such an object to a path in stored form; NULL: none known. */
const char *touch_path_of_name(u64 key);
const char *touch_path_of_file(u64 key);

#endif
