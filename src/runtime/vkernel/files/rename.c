/*
 * rename.c: rename and its relatives. A directory that exists on the host cannot be
 * renamed in the overlay without copying all of it; as in Linux's overlayfs that is EXDEV (and told as
 * refused). A directory of the SUT's own takes everything below it along.
 */
#include "runtime/vkernel/files/overlay.h"

#define RENAME_NOREPLACE 1u

/* Is `path` below `dir` (both absolute)? */
static bool is_below(const char *path, const char *dir)
{
	return str_starts(path, dir) && path[str_len(dir)] == '/';
}

/* Everything known below `from` is now below `to`. */
static long move_children(struct vk_call *c, const char *from, const char *to)
{
	static char path[2 * VK_PATH_MAX];
	static struct vk_place p;
	for (u32 i = 0; i < VK_MAX_NAMES; i++) {
		if (!vk->name_key[i])
			continue;
		const char *old = host_absolute(vk->name[i].path);
		if (!is_below(old, from))
			continue;
		struct text t;
		text_init(&t, path, sizeof(path));
		text_str(&t, to);
		text_str(&t, old + str_len(from));
		vk_place_at(old, &p);
		if (!p.inode)
			continue; /* hides something of the host's: stays */
		if (t.len >= VK_PATH_MAX)
			return -ENAMETOOLONG;
		long err = vk_name_set(c, path, p.inode);
		if (err)
			return err;
		vk_name_remove(c, &p);
		i = (u32)-1; /* slots may have moved: look again */
	}
	return 0;
}

/* In the order in which Linux finds fault. */
static long check_target(const struct vk_place *p, const struct vk_place *q, u32 flags)
{
	if (flags & RENAME_NOREPLACE && q->mode)
		return -EEXIST;
	if (!S_ISDIR(p->mode) && (p->slash || q->slash))
		return -ENOTDIR;
	if (is_below(q->path, p->path))
		return -EINVAL;
	if (is_below(p->path, q->path))
		return -ENOTEMPTY;
	if (!q->mode || p->key == q->key)
		return 0;
	if (S_ISDIR(p->mode) != S_ISDIR(q->mode))
		return S_ISDIR(p->mode) ? -ENOTDIR : -EISDIR;
	return S_ISDIR(q->mode) && !vk_dir_is_empty(q) ? -ENOTEMPTY : 0;
}

static long may_move(struct vk_call *c, const struct vk_place *p, const struct vk_place *q)
{
	static struct vk_place parent;
	vk_place_parent(p, &parent);
	long err = vk_place_may(&parent, 2 | 1);
	vk_place_parent(q, &parent);
	if (!err)
		err = vk_place_may(&parent, 2 | 1);
	if (!err && S_ISDIR(p->mode) && (!p->inode || vk_inode(p->inode)->origin)) {
		vk_refuse(c, "rename of a directory that is on the disk");
		err = -EXDEV;
	}
	return err;
}

static long move(struct vk_call *c, struct vk_place *p, struct vk_place *q)
{
	long err = vk_copy_up(c, p, true);
	if (err || (q->inode && q->inode == p->inode))
		return err; /* two names of one file: nothing happens */
	u32 number = p->inode;
	if (q->mode && (err = vk_name_remove(c, q)))
		return err;
	if ((err = vk_name_set(c, q->path, number)))
		return err;
	vk_name_remove(c, p);
	return S_ISDIR(vk_inode(number)->mode) ? move_children(c, p->path, q->path) : 0;
}

static long rename_at(struct vk_call *c, int from_fd, const char *from, int to_fd, const char *to, u32 flags)
{
	static struct vk_place p, q;
	if (flags & ~RENAME_NOREPLACE) {
		vk_refuse(c, "renameat2 (exchange, whiteout)");
		return -EINVAL;
	}
	long err = vk_path(c, from_fd, from, PATH_NAME | PATH_REMOVE, &p);
	if (!err)
		err = vk_path(c, to_fd, to, PATH_NAME | PATH_MAKE | PATH_REMOVE, &q);
	if (!err) /* the second may have been a step */
		err = vk_path(c, from_fd, from, PATH_NAME | PATH_REMOVE | PATH_QUIET, &p);
	if (err)
		return err;
	if (p.dots || !p.path[1])
		return -EBUSY;
	if (q.dots || !q.path[1])
		return flags & RENAME_NOREPLACE ? -EEXIST : -EBUSY;
	if (!p.mode)
		return -ENOENT;
	err = check_target(&p, &q, flags);
	if (!err && p.key != q.key)
		err = may_move(c, &p, &q);
	return err || p.key == q.key ? err : move(c, &p, &q);
}

long vk_sys_rename(struct vk_call *c)
{
	return rename_at(c, AT_FDCWD, vk_user(c->a[0]), AT_FDCWD, vk_user(c->a[1]), 0);
}

long vk_sys_renameat(struct vk_call *c)
{
	return rename_at(c, (int)c->a[0], vk_user(c->a[1]), (int)c->a[2], vk_user(c->a[3]), 0);
}

long vk_sys_renameat2(struct vk_call *c)
{
	return rename_at(c, (int)c->a[0], vk_user(c->a[1]), (int)c->a[2], vk_user(c->a[3]), (u32)c->a[4]);
}
