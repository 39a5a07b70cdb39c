/*
 * path.h: from what the SUT says to what lies there: the overlay over the host's snapshot.
 */
#ifndef HEDDLE_RUNTIME_VK_PATH_H
#define HEDDLE_RUNTIME_VK_PATH_H

#include "runtime/vkernel/files/host.h"
#include "runtime/vkernel/core/vk_priv.h"

/* What lies at a path: an overlay inode, something on the host, or nothing. */
struct vk_place {
	char path[VK_PATH_MAX]; /* absolute, normalised, symbolic links on the way resolved */
	u64 key;
	u32 inode;              /* overlay inode + 1, or 0 */
	struct host_node *host; /* if !inode: what the host has, or NULL */
	u32 mode;               /* type and permissions; 0: nothing there */
	int error;              /* with mode 0: why the host does not say (-EACCES …), or 0 */
	int fd;                 /* /proc/self/fd/N: N + 1; else 0 */
	bool slash;             /* the path ended in a slash: must be a directory */
	bool forbidden;         /* /proc/self/…, of which the model says nothing */
	u8 dots;                /* how many, if the last component was . or .. */
};

enum {
	PATH_FOLLOW = 1, /* a symbolic link at the end is followed */
	PATH_NAME =
		2, /* the name itself is meant: never followed, a trailing slash is the caller's business */
	PATH_CREATE = 4, /* a file may be made there: a trailing slash is -EISDIR */
	PATH_QUIET = 8,  /* no step: the second look at a path after one */
	/* What the call will do, for others to see (touch.h): */
	PATH_MAKE = 16,   /* if nothing is there, something will be */
	PATH_REMOVE = 32, /* if something is there, its name goes */
	PATH_CHANGE = 64, /* if something is there, its contents or attributes change */
};

/*
 * Resolve. 0, and out->mode == 0 if only the last component is missing; else -ENOENT (on the way),
 * -ENOTDIR, -ELOOP … May be a step, when other fibers use the same name. A place
 * does not outlive a step: the snapshot stays, the overlay changes. Callers keep it in static memory, to
 * leave no kilobytes on the SUT's stack.
 */
long vk_path(struct vk_call *c, int dirfd, const char *path, u32 how, struct vk_place *out);
/* For calls that use something else before they resolve: dirfd is looked up first, at a moment of its own. */
void vk_path_start(struct vk_call *c, int dirfd, const char *path);
/* The same from the current directory, to look without a call: never a step, and nothing is declared. */
long vk_path_look(const char *path, u32 how, struct vk_place *out);
/* The same, never a step, for a path that is absolute and normalised. */
void vk_place_at(const char *absolute, struct vk_place *out);
/* The directory a place lies in. */
void vk_place_parent(const struct vk_place *p, struct vk_place *out);
/* Attributes of a place with mode != 0. */
void vk_place_stat(const struct vk_place *p, struct stat *st);
/* Where the link leads; not terminated when longer. Length or -errno. */
long vk_place_link(const struct vk_place *p, char *buf, size_t cap);
/* The folder whose names are the open descriptors; its description has sub 1. */
#define VK_FD_FOLDER "/proc/self/fd"
/* The directory a description stands for, absolute; NULL: it has no name any more. Static. */
const char *vk_dir_path(const struct vk_desc *d);
const char *vk_cwd(void);
/* May this user read, write, search (4, 2, 1)? 0 or -EACCES. */
long vk_place_may(const struct vk_place *p, u32 how);

/* The key of the directory an absolute path lies in. */
u64 vk_parent_key(const char *absolute);

#endif
