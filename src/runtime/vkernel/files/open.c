/*
 * open.c: open, openat, creat, memfd_create.
 */
#include "runtime/vkernel/files/overlay.h"
#include "runtime/vkernel/files/touch.h"
#include "runtime/vkernel/process/proc_text.h"

#define OPEN_STATUS \
	(O_ACCMODE | O_APPEND | O_NONBLOCK | O_DSYNC | O_SYNC | O_NOATIME | O_DIRECT | O_DIRECTORY | \
	 O_NOFOLLOW | O_PATH)

static bool wants_write(u32 flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
}

/* Modes an open asks for: 4 read, 2 write. */
static u32 access_wanted(u32 flags)
{
	static const u8 wanted[] = {[O_RDONLY] = 4, [O_WRONLY] = 2, [O_RDWR] = 6, [3] = 6};
	return wanted[flags & O_ACCMODE] | (flags & O_TRUNC ? 2u : 0);
}

static long install(const struct vk_call *c, struct vk_desc *d, u32 flags)
{
	return d ? vk_fd_install(d, flags & O_CLOEXEC) : vk_desc_none(c);
}

static u32 status(u32 flags)
{
	return (flags & OPEN_STATUS) | O_LARGEFILE;
}

/* ---- by type ---- */

static long open_device(struct vk_call *c, const struct vk_place *p, u32 flags)
{
	struct vk_desc *d;
	switch (p->host ? p->host->st.st_rdev : 0) {
	case 1 << 8 | 3:
		d = vk_device_new(VK_DEVICE_NULL, status(flags));
		break;
	case 1 << 8 | 5:
		d = vk_device_new(VK_DEVICE_ZERO, status(flags));
		break;
	case 1 << 8 | 7:
		d = vk_device_new(VK_DEVICE_FULL, status(flags));
		break;
	case 1 << 8 | 8:
	case 1 << 8 | 9:
		d = vk_device_new(VK_DEVICE_RANDOM, status(flags));
		break;
	case 5 << 8: /* /dev/tty: there is no terminal */
		return -ENXIO;
	default:
		vk_refuse(c, "open of a device");
		return -ENXIO;
	}
	return install(c, d, flags);
}

/* A description of the file or directory at p. */
static struct vk_desc *describe_place(const struct vk_place *p, enum vk_kind kind, u32 flags)
{
	struct vk_desc *d = vk_desc_new(kind, status(flags));
	if (!d)
		return NULL;
	d->object = p->inode;
	d->host = p->host ? p->host->key : 0;
	if (p->inode) {
		vk_declare(inode_object(p->inode), ACCESS_WRITE);
		vk_inode(p->inode)->opens++;
	}
	return d;
}

static long open_directory(struct vk_call *c, const struct vk_place *p, u32 flags)
{
	if (wants_write(flags) || (flags & O_CREAT))
		return -EISDIR;
	bool fds = str_equal(p->path, VK_FD_FOLDER);
	if (str_starts(p->path, "/proc/self") && !fds) { /* its entries say which thread asks */
		vk_refuse(c, p->path);
		return -ENOENT;
	}
	struct vk_desc *d = describe_place(p, VK_DIR, flags);
	if (d)
		d->sub = fds;
	return install(c, d, flags);
}

/* A file without a name, that nobody can write to. */
static long open_text(struct vk_call *c, u64 key, const char *text, u32 flags)
{
	static struct vk_place made;
	made = (struct vk_place){.inode = vk_inode_new(c, key + sched_self_slot(), S_IFREG | 0444)};
	if (!made.inode || vk_inode_resize(c, made.inode, str_len(text)))
		return -ENOMEM;
	memcpy(vk_inode_data(made.inode), text, str_len(text));
	return install(c, describe_place(&made, VK_FILE, flags), flags);
}

static long open_regular(struct vk_call *c, struct vk_place *p, u32 flags)
{
	long err = 0;
	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	u64 key = p->key; /* p does not outlive a step */
	const char *text = p->host ? vk_proc_text(c, p->path) : NULL;
	if (text && wants_write(flags)) {
		vk_refuse(c, "writing to a file of /proc/self");
		return -EACCES;
	}
	if (text)
		return open_text(c, key, text, flags);
	if (wants_write(flags))
		err = vk_copy_up(c, p, !(flags & O_TRUNC));
	else if (p->host)
		err = host_open(p->host);
	if (err)
		return err;
	if (flags & O_TRUNC) {
		vk_inode_changes(p->inode);
		vk_inode_resize(c, p->inode, 0);
	}
	return install(c, describe_place(p, VK_FILE, flags), flags);
}

/* /proc/self/fd/N: the same thing again; a file gets an offset of its own. */
static long open_again(struct vk_call *c, const struct vk_place *p, u32 flags)
{
	struct vk_desc *d = vk_fd_peek(p->fd - 1);
	if (d->kind != VK_FILE) {
		vk_desc_ref(d);
		return install(c, d, flags);
	}
	if (wants_write(flags) && !d->object)
		return -EACCES;
	struct vk_desc *again = vk_desc_new(VK_FILE, status(flags));
	if (!again)
		return vk_desc_none(c);
	again->object = d->object;
	again->host = d->host;
	if (d->object) {
		vk_declare(inode_object(d->object), ACCESS_WRITE);
		vk_inode(d->object)->opens++;
	}
	return install(c, again, flags);
}

/* Only a name to hold on to. */
static long open_path_only(struct vk_call *c, const struct vk_place *p, u32 flags)
{
	if ((flags & O_DIRECTORY) && !S_ISDIR(p->mode))
		return -ENOTDIR;
	flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct vk_desc *d = describe_place(p, S_ISDIR(p->mode) ? VK_DIR : VK_FILE, flags);
	if (d)
		d->flags &= ~(u32)O_LARGEFILE;
	return install(c, d, flags);
}

static long open_existing(struct vk_call *c, struct vk_place *p, u32 flags)
{
	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return -EEXIST;
	if (flags & O_PATH)
		return open_path_only(c, p, flags);
	if (p->fd)
		return open_again(c, p, flags);
	if (S_ISLNK(p->mode)) /* O_NOFOLLOW */
		return flags & O_DIRECTORY ? -ENOTDIR : -ELOOP;
	if (S_ISDIR(p->mode) && (wants_write(flags) || (flags & O_CREAT)))
		return -EISDIR;
	long err = vk_place_may(p, access_wanted(flags));
	if (err)
		return err;
	if (S_ISREG(p->mode))
		return open_regular(c, p, flags);
	if (S_ISDIR(p->mode))
		return open_directory(c, p, flags);
	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	if (S_ISCHR(p->mode))
		return open_device(c, p, flags);
	if (S_ISSOCK(p->mode))
		return -ENXIO;
	vk_refuse(c, S_ISFIFO(p->mode) ? "open of a named pipe" : "open of a special file");
	return -ENXIO;
}

static long open_new(struct vk_call *c, struct vk_place *p, u32 flags, u32 mode)
{
	static struct vk_place parent;
	if (!(flags & O_CREAT))
		return -ENOENT;
	vk_place_parent(p, &parent);
	long err = vk_place_may(&parent, 2 | 1);
	if (err)
		return err;
	u32 number = vk_inode_new(c, p->key, S_IFREG | (mode & 07777 & ~vk->umask));
	if (!number)
		return -ENOSPC;
	vk_inode_inherit(number, &parent);
	err = vk_name_set(c, p->path, number);
	if (err) {
		vk_inode_check(number);
		return err;
	}
	p->inode = number;
	return install(c, describe_place(p, VK_FILE, flags), flags);
}

static long do_open(struct vk_call *c, int dirfd, const char *path, u32 flags, u32 mode)
{
	static struct vk_place p;
	const u32 tmpfile = 020000000;
	if (flags & tmpfile) /* as on file systems without it: callers make a file and remove its name */
		return -EOPNOTSUPP;
	if ((flags & O_CREAT) && (flags & O_DIRECTORY))
		return -EINVAL;
	if (flags & O_PATH)
		flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	u32 how = (flags & O_NOFOLLOW) || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) ? 0
											     : PATH_FOLLOW;
	how |= (flags & O_CREAT ? PATH_CREATE | PATH_MAKE : 0) | (flags & O_TRUNC ? PATH_CHANGE : 0);
	vk_path_start(c, dirfd, path);
	vk_fd_take(c, 0, 1);
	if (flags & O_CREAT)
		vk_use(c, VK_UMASK, ACCESS_READ);
	long err = vk_path(c, dirfd, path, how, &p);
	if (err != -EFAULT && vk_fd_full()) /* the number comes first, and so nothing is made or emptied */
		return -EMFILE;
	if (err)
		return err;
	return p.mode ? open_existing(c, &p, flags) : open_new(c, &p, flags, mode);
}

long vk_sys_open(struct vk_call *c)
{
	return do_open(c, AT_FDCWD, vk_user(c->a[0]), (u32)c->a[1], (u32)c->a[2]);
}

long vk_sys_creat(struct vk_call *c)
{
	return do_open(c, AT_FDCWD, vk_user(c->a[0]), O_CREAT | O_WRONLY | O_TRUNC, (u32)c->a[1]);
}

long vk_sys_openat(struct vk_call *c)
{
	return do_open(c, (int)c->a[0], vk_user(c->a[1]), (u32)c->a[2], (u32)c->a[3]);
}

/* A file without a name; its number comes from the fiber, so that it does not depend on the schedule. */
long vk_sys_memfd_create(struct vk_call *c)
{
	const u32 cloexec = 1, allow_sealing = 2;
	if ((u32)c->a[1] & ~(cloexec | allow_sealing))
		return -EINVAL;
	vk_fd_take(c, 0, 1);
	struct vk_place p = {
		.inode = vk_inode_new(c, host_hash("memfd", 5) + sched_self_slot(), S_IFREG | 0777)};
	if (!p.inode)
		return -ENOMEM;
	return install(c, describe_place(&p, VK_FILE, O_RDWR), (u32)c->a[1] & cloexec ? O_CLOEXEC : 0);
}
