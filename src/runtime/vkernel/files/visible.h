/*
 * visible.h: where fibers meet in the file system: the objects by which the scheduler learns that one
 * fiber sees what another changes (see access_use and vk_observed). All functions return
 * true when the use must be a step; none of them is one.
 *
 * Four kinds of objects, so that what commutes stays apart:
 *
 *   name      a path: is something there, and what? Used by every walk that comes along, changed by
 *             who makes, removes or renames it.
 *   file      an inode, by whichever name or descriptor: contents, size, attributes.
 *   listing   which names a directory has. Two makers of different names commute, so
 *             here the one who *lists* counts as the change, and makers as users.
 *   position  of an open file description; every use changes it.
 *
 * V1  A call uses all it looks at and changes all it changes, in the state in which it runs: a
 *     name that is missing is used, too, as is each directory on the way.
 * V2  What a call does depends on the state; so it says all again after a step.
 */
#ifndef HEDDLE_RUNTIME_VK_VISIBLE_H
#define HEDDLE_RUNTIME_VK_VISIBLE_H

#include "runtime/vkernel/files/path.h"

bool visible_name(u64 key, bool changes);
/* dir: the directory's key. */
bool visible_listing(u64 dir, bool lists);
/* What lies at p, if anything. */
bool visible_place(const struct vk_place *p, bool changes);
bool visible_inode(u32 inode, bool changes);
bool visible_desc(const struct vk_desc *d, bool changes);
bool visible_position(const struct vk_desc *d);

/* What a description stands for, as an object; for describing the step. */
u64 visible_identity(const struct vk_desc *d);

#endif
