/*
 * overlay.h: files, directories and links the SUT made or changed; all of it model
 * memory. Names map absolute paths to inodes, or to 0: removed. Inodes are numbered
 * from 1 here, so that 0 is none.
 */
#ifndef HEDDLE_RUNTIME_VK_OVERLAY_H
#define HEDDLE_RUNTIME_VK_OVERLAY_H

#include "runtime/vkernel/files/path.h"

/* ---- inodes ---- */

static inline struct vk_inode *vk_inode(u32 number)
{
	return &vk->inode[number - 1];
}
/* Bytes behind size are always zero. */
static inline u8 *vk_inode_data(u32 number)
{
	return (u8 *)VK_FILE_BASE + (number - 1) * VK_FILE_MAX;
}
/* seed: what its number and place are derived from. 0: no room. nlink and opens are 0. */
u32 vk_inode_new(struct vk_call *c, u64 seed, u32 mode);
/* What it has from the directory it is made in: the group, where that is set-group-ID. */
void vk_inode_inherit(u32 number, const struct vk_place *parent);
/* Frees it when no name and no description is left. */
void vk_inode_check(u32 number);
/* One shared mapping less. */
void vk_inode_unmapped(u32 number);
/* Its contents change now: sets its time. */
void vk_inode_changes(u32 number);
/* 0 or -ENOSPC. */
long vk_inode_resize(struct vk_call *c, u32 number, u64 size);
void vk_inode_stat(u32 number, struct stat *st);

/* ---- names ---- */

struct vk_name *vk_name_find(u64 key);
/* The path now means this inode (adds a link); 0 or -ENOSPC. What it meant before must be gone. */
long vk_name_set(struct vk_call *c, const char *absolute, u32 inode);
/* names.c: a fresh node of this type and mode at a path, less the umask; may be a step. 0 or -EEXIST … */
long vk_make_node(struct vk_call *c, const char *path, u32 mode);
/* The path now means nothing; drops a link. 0 or -ENOSPC (no room to remember it). */
long vk_name_remove(struct vk_call *c, const struct vk_place *p);
/* The only name of a directory, stored form; NULL: none. */
const char *vk_name_of(u32 inode);

/* Has the directory any names, on either side? */
bool vk_dir_is_empty(const struct vk_place *p);

/*
 * Make p an overlay inode, with the host's contents and attributes. keep: copy the contents, too. 0 or
 * -errno.
 */
long vk_copy_up(struct vk_call *c, struct vk_place *p, bool keep);
/* The same for a file of the host's that has lost its name and is open. */
long vk_copy_up_nameless(struct vk_call *c, u64 key);

#endif
