/*
 * stat.c: asking about files: the stat family, access, readlink, statfs.
 */
#include "runtime/vkernel/files/overlay.h"

void vk_anonymous_stat(const struct vk_desc *d, struct stat *st)
{
	(void)d;
	st->st_mode = 0600;
	st->st_ino = 1;
	st->st_nlink = 1;
	st->st_blksize = HD_PAGE;
}

void vk_desc_stat(const struct vk_desc *d, struct stat *st)
{
	*st = (struct stat){0};
	vk_kinds[d->kind]->stat(d, st);
}

static long stat_fd(struct vk_call *c, int fd, struct stat *st)
{
	struct vk_desc *d = vk_fd_use(c, fd);
	if (!d)
		return -EBADF;
	if (d->kind == VK_FILE || d->kind == VK_DIR)
		vk_file_use(c, d, ACCESS_READ, false);
	else if (d->kind == VK_PIPE)
		vk_use(c, vk_pipe_object(d->object), ACCESS_READ);
	vk_desc_stat(d, st);
	if (c->by_program && d->kind == VK_FILE && d->object)
		clock_seen_in_file();
	return 0;
}

/* What a stat tells of a file that the program has written tells of the clock, too. */
static long stat_path(struct vk_call *c, int dirfd, const char *path, u32 how, struct stat *st)
{
	static struct vk_place p;
	long err = vk_path(c, dirfd, path, how, &p);
	if (err)
		return err;
	if (!p.mode)
		return -ENOENT;
	*st = (struct stat){0};
	vk_place_stat(&p, st);
	if (p.inode)
		clock_seen_in_file();
	return 0;
}

/* By descriptor and path, as the *at calls have it. */
static long stat_at(struct vk_call *c, int dirfd, const char *path, int flags, struct stat *st)
{
	const int known = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT | AT_STATX_SYNC_TYPE;
	if (flags & ~known)
		return -EINVAL;
	bool empty = (flags & AT_EMPTY_PATH) && (!path || (vk_user_ok((u64)path, 1) && !path[0]));
	if (empty && dirfd == AT_FDCWD)
		return stat_path(c, AT_FDCWD, ".", PATH_FOLLOW, st);
	if (empty)
		return stat_fd(c, dirfd, st);
	return stat_path(c, dirfd, path, flags & AT_SYMLINK_NOFOLLOW ? 0 : PATH_FOLLOW, st);
}

static long give(long err, const struct stat *st, long to)
{
	if (err)
		return err;
	if (!vk_user_out_ok((u64)to, sizeof(*st)))
		return -EFAULT;
	*(struct stat *)to = *st;
	return 0;
}

long vk_sys_stat(struct vk_call *c)
{
	struct stat st;
	return give(stat_path(c, AT_FDCWD, vk_user(c->a[0]), PATH_FOLLOW, &st), &st, c->a[1]);
}

long vk_sys_lstat(struct vk_call *c)
{
	struct stat st;
	return give(stat_path(c, AT_FDCWD, vk_user(c->a[0]), 0, &st), &st, c->a[1]);
}

long vk_sys_fstat(struct vk_call *c)
{
	struct stat st;
	return give(stat_fd(c, (int)c->a[0], &st), &st, c->a[1]);
}

long vk_sys_newfstatat(struct vk_call *c)
{
	struct stat st;
	return give(stat_at(c, (int)c->a[0], vk_user(c->a[1]), (int)c->a[3], &st), &st, c->a[2]);
}

static struct statx_timestamp stamp(u64 sec, u64 nsec)
{
	return (struct statx_timestamp){.tv_sec = (long long)sec, .tv_nsec = (u32)nsec};
}

static void fill_statx(struct statx *x, const struct stat *st)
{
	*x = (struct statx){
		.stx_mask = STATX_BASIC_STATS,
		.stx_blksize = (u32)st->st_blksize,
		.stx_nlink = (u32)st->st_nlink,
		.stx_uid = st->st_uid,
		.stx_gid = st->st_gid,
		.stx_mode = (u16)st->st_mode,
		.stx_ino = st->st_ino,
		.stx_size = (u64)st->st_size,
		.stx_blocks = (u64)st->st_blocks,
		.stx_atime = stamp(st->st_atime, st->st_atime_nsec),
		.stx_mtime = stamp(st->st_mtime, st->st_mtime_nsec),
		.stx_ctime = stamp(st->st_ctime, st->st_ctime_nsec),
		.stx_rdev_major = (u32)(st->st_rdev >> 8 & 0xfff),
		.stx_rdev_minor = (u32)((st->st_rdev & 0xff) | (st->st_rdev >> 12 & 0xfff00)),
		.stx_dev_major = (u32)(st->st_dev >> 8 & 0xfff),
		.stx_dev_minor = (u32)((st->st_dev & 0xff) | (st->st_dev >> 12 & 0xfff00)),
	};
}

long vk_sys_statx(struct vk_call *c)
{
	struct stat st;
	struct statx *to = vk_user(c->a[4]);
	if (c->a[3] & STATX__RESERVED)
		return -EINVAL;
	long err = stat_at(c, (int)c->a[0], vk_user(c->a[1]), (int)c->a[2], &st);
	if (err)
		return err;
	if (S_ISREG(st.st_mode))
		clock_seen_in_file(); /* by its descriptor, too: libc itself asks for files by fstat */
	if (!vk_user_out_ok((u64)to, sizeof(*to)))
		return -EFAULT;
	fill_statx(to, &st);
	return 0;
}

static long access_at(struct vk_call *c, int dirfd, const char *path, u32 mode, int flags)
{
	static struct vk_place p;
	if ((mode & ~7u) || (flags & ~(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)))
		return -EINVAL;
	long err = vk_path(c, dirfd, path, flags & AT_SYMLINK_NOFOLLOW ? 0 : PATH_FOLLOW, &p);
	if (err)
		return err;
	if (!p.mode)
		return -ENOENT;
	return mode ? vk_place_may(&p, mode) : 0;
}

long vk_sys_access(struct vk_call *c)
{
	return access_at(c, AT_FDCWD, vk_user(c->a[0]), (u32)c->a[1], 0);
}

long vk_sys_faccessat(struct vk_call *c)
{
	return access_at(c, (int)c->a[0], vk_user(c->a[1]), (u32)c->a[2], 0);
}

long vk_sys_faccessat2(struct vk_call *c)
{
	return access_at(c, (int)c->a[0], vk_user(c->a[1]), (u32)c->a[2], (int)c->a[3]);
}

static void describe_file(const struct vk_desc *d, struct text *t)
{
	const char *stored = d->object ? vk_name_of(d->object) : NULL;
	bool removed = d->object ? !stored : vk_name_find(d->host) != NULL;
	if (d->object && !stored)
		text_str(t, "/removed"); /* what it was called is not remembered */
	else if (d->object)
		text_str(t, str_equal(stored, ".") ? host_start() : host_absolute(stored));
	else
		text_str(t, host_by_key(d->host)->path);
	text_str(t, removed ? " (deleted)" : "");
}

/* Where /proc/self/fd/N leads, in words. */
static void describe_link(const struct vk_desc *d, struct text *t)
{
	static const char *const names[VK_KINDS] = {
		[VK_EVENTFD] = "anon_inode:[eventfd]",
		[VK_TIMERFD] = "anon_inode:[timerfd]",
		[VK_SIGNALFD] = "anon_inode:[signalfd]",
		[VK_EPOLL] = "anon_inode:[eventpoll]",
		[VK_CONSOLE] = "/dev/console",
		[VK_PIPE] = "pipe:[",
		[VK_SOCKET] = "socket:[",
		[VK_DEVICE] = "/dev/null",
	};
	static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/urandom"};
	struct stat st = {0};
	if (d->kind == VK_FILE || d->kind == VK_DIR) {
		describe_file(d, t);
		return;
	}
	text_str(t,
		 d->kind == VK_DEVICE && d->sub < HD_ARRAY_LEN(devices) ? devices[d->sub] : names[d->kind]);
	if (d->kind != VK_PIPE && d->kind != VK_SOCKET)
		return;
	vk_desc_stat(d, &st);
	text_dec(t, (long)st.st_ino);
	text_str(t, "]");
}

static long read_fd_link(struct vk_call *c, int fd, long buf, size_t cap)
{
	static char path[VK_PATH_MAX + 16];
	struct text t;
	const struct vk_desc *d = vk_fd_use(c, fd);
	if (!d)
		return -ENOENT;
	text_init(&t, path, sizeof(path));
	describe_link(d, &t);
	size_t n = HD_MIN(str_len(path), cap);
	if (!vk_user_out_ok((u64)buf, n))
		return -EFAULT;
	memcpy(vk_user(buf), path, n);
	return (long)n;
}

static long readlink_at(struct vk_call *c, int dirfd, const char *path, long buf, long cap)
{
	static struct vk_place p;
	if ((int)cap <= 0)
		return -EINVAL;
	long err = vk_path(c, dirfd, path, 0, &p);
	if (err)
		return err;
	if (!p.mode)
		return -ENOENT;
	if (p.fd)
		return read_fd_link(c, p.fd - 1, buf, (size_t)(int)cap);
	if (!S_ISLNK(p.mode))
		return -EINVAL;
	if (!vk_user_out_ok((u64)buf, 1))
		return -EFAULT;
	return vk_place_link(&p, vk_user(buf), (size_t)cap);
}

long vk_sys_readlink(struct vk_call *c)
{
	return readlink_at(c, AT_FDCWD, vk_user(c->a[0]), c->a[1], c->a[2]);
}

long vk_sys_readlinkat(struct vk_call *c)
{
	return readlink_at(c, (int)c->a[0], vk_user(c->a[1]), c->a[2], c->a[3]);
}

/* One answer for all: a memory file system with room enough. */
static long give_statfs(long to)
{
	struct {
		long type, bsize, blocks, bfree, bavail, files, ffree, fsid, namelen, frsize, flags, spare[4];
	} fs = {.type = 0x01021994,
		.bsize = HD_PAGE,
		.blocks = 1 << 20,
		.bfree = 1 << 19,
		.bavail = 1 << 19,
		.files = 1 << 20,
		.ffree = 1 << 19,
		.namelen = 255,
		.frsize = HD_PAGE};
	if (!vk_user_out_ok((u64)to, sizeof(fs)))
		return -EFAULT;
	memcpy(vk_user(to), &fs, sizeof(fs));
	return 0;
}

long vk_sys_statfs(struct vk_call *c)
{
	struct stat st;
	long err = stat_path(c, AT_FDCWD, vk_user(c->a[0]), PATH_FOLLOW, &st);
	return err ? err : give_statfs(c->a[1]);
}

long vk_sys_fstatfs(struct vk_call *c)
{
	return vk_fd_use(c, (int)c->a[0]) ? give_statfs(c->a[1]) : -EBADF;
}
