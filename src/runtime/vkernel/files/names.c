/*
 * names.c: calls that change the tree of names or the attributes of files. Everything
 * happens in the overlay; the disk is never written.
 */
#include "runtime/vkernel/files/overlay.h"

/* May names in p's directory be made and removed? */
static long may_change_name(const struct vk_place *p)
{
	static struct vk_place parent;
	vk_place_parent(p, &parent);
	return vk_place_may(&parent, 2 | 1);
}

/* ---- making ---- */

static long make(struct vk_call *c, int dirfd, const char *path, u32 mode, const char *target)
{
	static struct vk_place p, parent;
	vk_path_start(c, dirfd, path);
	vk_use(c, VK_UMASK, ACCESS_READ);
	long err = vk_path(c, dirfd, path, PATH_NAME | PATH_MAKE, &p);
	if (err)
		return err;
	if (p.mode || p.dots)
		return -EEXIST;
	if (!S_ISLNK(mode))
		mode &= ~vk->umask;
	if (p.slash && !S_ISDIR(mode))
		return -ENOENT;
	vk_place_parent(&p, &parent);
	if ((err = vk_place_may(&parent, 2 | 1)))
		return err;
	u32 number = vk_inode_new(c, p.key, mode);
	if (!number)
		return -ENOSPC;
	vk_inode_inherit(number, &parent);
	if (target) {
		vk_inode_resize(c, number, str_len(target));
		memcpy(vk_inode_data(number), target, str_len(target));
	}
	err = vk_name_set(c, p.path, number);
	if (err)
		vk_inode_check(number);
	return err;
}

long vk_make_node(struct vk_call *c, const char *path, u32 mode)
{
	return make(c, AT_FDCWD, path, mode, NULL);
}

static long make_dir(struct vk_call *c, int dirfd, const char *path, u32 mode)
{
	return make(c, dirfd, path, S_IFDIR | (mode & 01777), NULL);
}

long vk_sys_mkdir(struct vk_call *c)
{
	return make_dir(c, AT_FDCWD, vk_user(c->a[0]), (u32)c->a[1]);
}

long vk_sys_mkdirat(struct vk_call *c)
{
	return make_dir(c, (int)c->a[0], vk_user(c->a[1]), (u32)c->a[2]);
}

static long make_link(struct vk_call *c, const char *target, int dirfd, const char *path)
{
	if (!vk_user_ok((u64)target, 1))
		return -EFAULT;
	if (!target[0])
		return -ENOENT;
	if (str_len(target) > 4095)
		return -ENAMETOOLONG;
	return make(c, dirfd, path, S_IFLNK | 0777, target);
}

long vk_sys_symlink(struct vk_call *c)
{
	return make_link(c, vk_user(c->a[0]), AT_FDCWD, vk_user(c->a[1]));
}

long vk_sys_symlinkat(struct vk_call *c)
{
	return make_link(c, vk_user(c->a[0]), (int)c->a[1], vk_user(c->a[2]));
}

/* ---- a second name ---- */

static long link_at(struct vk_call *c, int from_fd, const char *from, int to_fd, const char *to, int flags)
{
	static struct vk_place p, q;
	u32 how = flags & AT_SYMLINK_FOLLOW ? PATH_FOLLOW : 0;
	if (flags & ~AT_SYMLINK_FOLLOW) {
		vk_refuse(c, "linkat with AT_EMPTY_PATH");
		return -EINVAL;
	}
	long err = vk_path(c, from_fd, from, how | PATH_CHANGE, &p);
	if (!err && !p.mode)
		err = -ENOENT;
	if (!err)
		err = vk_path(c, to_fd, to, PATH_NAME | PATH_MAKE, &q);
	if (!err)
		err = vk_path(c, from_fd, from, how | PATH_QUIET, &p);
	if (err)
		return err;
	if (q.mode)
		return -EEXIST;
	if (!p.mode || q.slash)
		return -ENOENT;
	if (S_ISDIR(p.mode))
		return -EPERM;
	if ((err = may_change_name(&q)) || (err = vk_copy_up(c, &p, true)))
		return err;
	return vk_name_set(c, q.path, p.inode);
}

long vk_sys_link(struct vk_call *c)
{
	return link_at(c, AT_FDCWD, vk_user(c->a[0]), AT_FDCWD, vk_user(c->a[1]), 0);
}

long vk_sys_linkat(struct vk_call *c)
{
	return link_at(c, (int)c->a[0], vk_user(c->a[1]), (int)c->a[2], vk_user(c->a[3]), (int)c->a[4]);
}

/* ---- removing ---- */

static long unlink_at(struct vk_call *c, int dirfd, const char *path)
{
	static struct vk_place p;
	long err = vk_path(c, dirfd, path, PATH_NAME | PATH_REMOVE, &p);
	if (err)
		return err;
	if (!p.mode)
		return -ENOENT;
	if (S_ISDIR(p.mode))
		return -EISDIR;
	if (p.slash)
		return -ENOTDIR;
	err = may_change_name(&p);
	return err ? err : vk_name_remove(c, &p);
}

static long remove_dir(struct vk_call *c, int dirfd, const char *path)
{
	static struct vk_place p;
	long err = vk_path(c, dirfd, path, PATH_NAME | PATH_REMOVE, &p);
	if (err)
		return err;
	if (p.dots)
		return p.dots == 1 ? -EINVAL : -ENOTEMPTY;
	if (!S_ISDIR(p.mode))
		return p.mode ? -ENOTDIR : -ENOENT;
	if (!p.path[1])
		return -EBUSY;
	if ((err = may_change_name(&p)))
		return err;
	return vk_dir_is_empty(&p) ? vk_name_remove(c, &p) : -ENOTEMPTY;
}

long vk_sys_unlink(struct vk_call *c)
{
	return unlink_at(c, AT_FDCWD, vk_user(c->a[0]));
}

long vk_sys_rmdir(struct vk_call *c)
{
	return remove_dir(c, AT_FDCWD, vk_user(c->a[0]));
}

long vk_sys_unlinkat(struct vk_call *c)
{
	int flags = (int)c->a[2];
	if (flags & ~AT_REMOVEDIR)
		return -EINVAL;
	return flags ? remove_dir(c, (int)c->a[0], vk_user(c->a[1]))
		     : unlink_at(c, (int)c->a[0], vk_user(c->a[1]));
}

/* ---- attributes ---- */

/* An overlay inode for a path or a descriptor, to be changed; its number or -errno. */
static long inode_at(struct vk_call *c, int dirfd, const char *path, u32 how)
{
	static struct vk_place p;
	long err = vk_path(c, dirfd, path, how | PATH_CHANGE, &p);
	if (!err && !p.mode)
		err = -ENOENT;
	if (!err)
		err = vk_copy_up(c, &p, true);
	return err ? err : p.inode;
}

/* 0: not a file, its attributes are not kept. */
static long inode_of(struct vk_call *c, struct vk_desc *d)
{
	static struct vk_place p;
	if (!d)
		return -EBADF;
	if (d->kind != VK_FILE && d->kind != VK_DIR)
		return 0;
	vk_file_use(c, d, ACCESS_WRITE, false);
	if (!d->object) {
		vk_place_at(host_by_key(d->host)->path, &p);
		/* Removed meanwhile: nobody can ask any more but through its descriptors. */
		long err = p.host ? vk_copy_up(c, &p, true) : vk_copy_up_nameless(c, d->host);
		if (err)
			return err;
	}
	return d->object;
}

static long set_mode(long inode, u32 mode)
{
	if (inode > 0)
		vk_inode((u32)inode)->mode = (vk_inode((u32)inode)->mode & S_IFMT) | (mode & 07777);
	return HD_MIN(inode, 0L);
}

long vk_sys_chmod(struct vk_call *c)
{
	return set_mode(inode_at(c, AT_FDCWD, vk_user(c->a[0]), PATH_FOLLOW), (u32)c->a[1]);
}

long vk_sys_fchmodat(struct vk_call *c)
{
	return set_mode(inode_at(c, (int)c->a[0], vk_user(c->a[1]), PATH_FOLLOW), (u32)c->a[2]);
}

long vk_sys_fchmod(struct vk_call *c)
{
	struct vk_desc *d = vk_fd_use(c, (int)c->a[0]);
	if (d && d->kind == VK_PIPE) {
		vk_use(c, vk_pipe_object(d->object), ACCESS_WRITE);
		vk->pipe[d->object].mode = (u32)c->a[1] & 07777;
		return 0;
	}
	return set_mode(inode_of(c, d), (u32)c->a[1]);
}

static long set_owner(long inode, u32 uid, u32 gid)
{
	const u32 keep = ~0u;
	if (inode <= 0)
		return inode;
	struct vk_inode *n = vk_inode((u32)inode);
	bool other = (uid != keep && uid != n->uid) || (gid != keep && gid != n->gid);
	if (other && sys_call3(__NR_geteuid, 0, 0, 0))
		return -EPERM;
	n->uid = uid == keep ? n->uid : uid;
	n->gid = gid == keep ? n->gid : gid;
	return 0;
}

long vk_sys_chown(struct vk_call *c)
{
	return set_owner(inode_at(c, AT_FDCWD, vk_user(c->a[0]), PATH_FOLLOW), (u32)c->a[1], (u32)c->a[2]);
}

long vk_sys_lchown(struct vk_call *c)
{
	return set_owner(inode_at(c, AT_FDCWD, vk_user(c->a[0]), 0), (u32)c->a[1], (u32)c->a[2]);
}

long vk_sys_fchown(struct vk_call *c)
{
	return set_owner(inode_of(c, vk_fd_use(c, (int)c->a[0])), (u32)c->a[1], (u32)c->a[2]);
}

long vk_sys_fchownat(struct vk_call *c)
{
	u32 how = c->a[4] & AT_SYMLINK_NOFOLLOW ? 0 : PATH_FOLLOW;
	return set_owner(inode_at(c, (int)c->a[0], vk_user(c->a[1]), how), (u32)c->a[2], (u32)c->a[3]);
}

long vk_sys_umask(struct vk_call *c)
{
	vk_use(c, VK_UMASK, ACCESS_WRITE);
	u32 old = vk->umask;
	vk->umask = (u32)c->a[0] & 0777;
	return old;
}

static const long now_mark = (1l << 30) - 1, omit = (1l << 30) - 2; /* UTIME_NOW, UTIME_OMIT */

static bool is_time(const struct __kernel_timespec *t)
{
	return t->tv_nsec == now_mark || t->tv_nsec == omit || (u64)t->tv_nsec < 1000000000;
}

/* times: two timespecs, or NULL for now. */
static long set_times(long inode, const struct __kernel_timespec *t)
{
	if (inode >= 0 && t && (!is_time(&t[0]) || !is_time(&t[1])))
		return -EINVAL;
	if (inode <= 0)
		return inode;
	struct vk_inode *n = vk_inode((u32)inode);
	for (int i = 0; i < 2; i++) {
		u64 sec, nsec;
		if (t && t[i].tv_nsec == omit)
			continue;
		if (!t || t[i].tv_nsec == now_mark) {
			u64 now = clock_read();
			sec = CLOCK_EPOCH_REALTIME + now / 1000000000;
			nsec = now % 1000000000;
		} else {
			sec = (u64)t[i].tv_sec;
			nsec = (u64)t[i].tv_nsec;
		}
		*(i ? &n->mtime.sec : &n->atime.sec) = sec;
		*(i ? &n->mtime.nsec : &n->atime.nsec) = nsec;
	}
	return 0;
}

long vk_sys_utimensat(struct vk_call *c)
{
	const char *path = vk_user(c->a[1]);
	const struct __kernel_timespec *t = vk_user(c->a[2]);
	if (t && !vk_user_ok((u64)t, 2 * sizeof(*t)))
		return -EFAULT;
	if (!path)
		return set_times(inode_of(c, vk_fd_use(c, (int)c->a[0])), t);
	return set_times(inode_at(c, (int)c->a[0], path, c->a[3] & AT_SYMLINK_NOFOLLOW ? 0 : PATH_FOLLOW), t);
}
