/*
 * fd.c: descriptors and open file descriptions: allocation, dup, close, fcntl.
 *
 * Descriptor numbers are shared state: which number open() gives depends on who closed
 * what before, and a read on a number that another fiber closes fails or hits another
 * file. Three objects stand for that (see access_use): the table as a whole, touched by everyone who
 * takes or frees a number; each single entry, used by every call and changed by close and
 * dup2; and the flags of a description. While only one fiber does so, nothing here is a step.
 */
#include "runtime/vkernel/sockets/sock.h"

const struct vk_ops *const vk_kinds[VK_KINDS] = {
	[VK_CONSOLE] = &vk_console_ops, [VK_FILE] = &vk_file_ops, [VK_DIR] = &vk_dir_ops,
	[VK_DEVICE] = &vk_device_ops,   [VK_PIPE] = &vk_pipe_ops, [VK_EVENTFD] = &vk_eventfd_ops,
	[VK_SOCKET] = &vk_socket_ops,
};

static void close_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "is about to close " : "closes ");
	vk_describe_fd((int)o->arg, t);
}
const struct op_class op_close = {.name = "close", .describe = close_describe};

struct vk_desc *vk_desc_get(int fd)
{
	if (fd < 0 || fd >= VK_MAX_FDS || !vk->fd[fd].desc)
		return NULL;
	return &vk->desc[vk->fd[fd].desc - 1];
}

/*
 * What stands for the meaning of a number: for most files the entry itself. All those whose calls are steps anyway share one
 * object: with late lookups it costs next to nothing to call them shared, and a server that hands its connections to threads would
 * teach the search the same lesson once for each, and be started again each time.
 */
static u64 number_object(int fd)
{
	const struct vk_desc *d = vk_desc_get(fd);
	return d && vk_kinds[d->kind]->waits ? (u64)&vk->streams : (u64)&vk->fd[fd];
}

enum shows { SHOWS_NOT, SHOWS_NUMBER, SHOWS_FLAGS };

/* What others could change of what a call on fd finds there. */
static SCHED_LOOK enum shows use_shows(int fd)
{
	const struct vk_desc *d = vk_desc_get(fd);
	if (fd < 0 || fd >= VK_MAX_FDS || (d && d->kind == VK_CONSOLE))
		return SHOWS_NOT;
	bool number = vk_observed(number_object(fd), false);
	bool flags = d && vk_observed((u64)&d->flags, false);
	return flags ? SHOWS_FLAGS : number ? SHOWS_NUMBER : SHOWS_NOT;
}

struct vk_desc *vk_desc_use(int fd)
{
	if (use_shows(fd) != SHOWS_NOT)
		vk_step_file(NULL, (u64)&vk->fd[fd]);
	return vk_desc_get(fd);
}

static SCHED_LOOK bool look_up_late(int fd)
{
	struct vk_desc *d = vk_desc_get(fd);
	if (!d || vk_stepped() || use_shows(fd) != SHOWS_NUMBER)
		return false;
	vk_look_up_late(fd, d);
	return true;
}

struct vk_desc *vk_desc_use_late(int fd)
{
	return look_up_late(fd) ? vk_desc_get(fd) : vk_desc_use(fd);
}

void vk_describe_fd(int fd, struct text *t)
{
	text_str(t, "descriptor ");
	text_dec(t, fd);
}

void vk_describe_desc(const struct vk_desc *d, struct text *t)
{
	u32 count = 0;
	for (int fd = 0; fd < VK_MAX_FDS; fd++) {
		if (vk_desc_get(fd) != d)
			continue;
		if (count++)
			text_str(t, " = ");
		vk_describe_fd(fd, t);
	}
	if (!count)
		text_str(t, "a descriptor closed meanwhile");
}

struct vk_desc *vk_desc_new(enum vk_kind kind, u32 flags)
{
	for (u32 i = 0; i < VK_MAX_DESCS; i++) {
		struct vk_desc *d = &vk->desc[i];
		if (d->kind == VK_FREE) {
			*d = (struct vk_desc){.kind = (u16)kind, .refs = 1, .flags = flags};
			return d;
		}
	}
	return NULL;
}

void vk_desc_put(struct vk_desc *d)
{
	hd_assert(d->refs > 0);
	if (--d->refs)
		return;
	if (vk_kinds[d->kind]->release)
		vk_kinds[d->kind]->release(d);
	*d = (struct vk_desc){0};
}

static long install_from(struct vk_desc *d, u32 from, bool cloexec)
{
	for (u32 fd = from; fd < VK_MAX_FDS; fd++) {
		if (vk->fd[fd].desc)
			continue;
		vk->fd[fd] = (struct vk_fd){.desc = (u16)(d - vk->desc + 1), .cloexec = cloexec};
		return fd;
	}
	vk_desc_put(d);
	return -EMFILE;
}

long vk_fd_install(struct vk_desc *d, bool cloexec)
{
	return install_from(d, 0, cloexec);
}

/* The last close of a pipe end is seen by the other end. */
static bool close_shows(int fd)
{
	struct vk_desc *d = vk_desc_get(fd);
	return d && d->refs == 1 && vk_kinds[d->kind]->waits && (d->kind != VK_SOCKET || sock_close_shows(d));
}

static SCHED_LOOK bool change_shows(int fd)
{
	bool seen = vk_observed((u64)&vk->numbers, true);
	if (fd >= 0)
		seen |= vk_observed(number_object(fd), true);
	return seen | close_shows(fd);
}

void vk_fd_change(int fd)
{
	if (!change_shows(fd))
		return;
	struct op o = {.kind = OP_FILE, .object = (u64)&vk->numbers};
	if (fd >= 0)
		o = (struct op){.kind = OP_CLOSE, .object = (u64)vk_desc_get(fd), .arg = (u64)fd};
	vk_step_order(NULL, &o);
}

long vk_fd_drop(int fd)
{
	struct vk_desc *d = vk_desc_get(fd);
	if (!d)
		return -EBADF;
	vk->fd[fd] = (struct vk_fd){0};
	vk_desc_put(d);
	return 0;
}

long vk_sys_close(const struct vk_call *c)
{
	int fd = (int)c->a[0];
	if (fd < 0 || fd >= VK_MAX_FDS)
		return -EBADF;
	vk_fd_change(fd);
	return vk_fd_drop(fd);
}

long vk_sys_close_range(const struct vk_call *c)
{
	u32 first = (u32)c->a[0], last = (u32)c->a[1];
	u32 flags = (u32)c->a[2];
	const u32 unshare = 2, cloexec = 4;
	if (first > last || (flags & ~(unshare | cloexec)))
		return -EINVAL;
	for (u32 fd = first; fd <= last && fd < VK_MAX_FDS; fd++) {
		if (!vk->fd[fd].desc)
			continue;
		if (flags & cloexec) {
			vk->fd[fd].cloexec = 1;
			continue;
		}
		vk_fd_change((int)fd);
		vk_fd_drop((int)fd);
	}
	return 0;
}

static long dup_from(int fd, u32 from, bool cloexec)
{
	if (!vk_desc_use(fd))
		return -EBADF;
	vk_fd_change(-1);
	struct vk_desc *d = vk_desc_get(fd);
	if (!d)
		return -EBADF;
	if (from >= VK_MAX_FDS)
		return -EINVAL;
	d->refs++;
	return install_from(d, from, cloexec);
}

static long dup_onto(int from, int to, bool cloexec)
{
	if (to < 0 || to >= VK_MAX_FDS || !vk_desc_use(from))
		return -EBADF;
	vk_fd_change(to);
	struct vk_desc *d = vk_desc_get(from);
	if (!d)
		return -EBADF;
	d->refs++;
	vk_fd_drop(to);
	vk->fd[to] = (struct vk_fd){.desc = (u16)(d - vk->desc + 1), .cloexec = cloexec};
	return to;
}

long vk_sys_dup(const struct vk_call *c)
{
	return dup_from((int)c->a[0], 0, false);
}

long vk_sys_dup2(const struct vk_call *c)
{
	int from = (int)c->a[0], to = (int)c->a[1];
	if (from == to)
		return vk_desc_use(from) ? to : -EBADF;
	return dup_onto(from, to, false);
}

long vk_sys_dup3(const struct vk_call *c)
{
	int from = (int)c->a[0], to = (int)c->a[1], flags = (int)c->a[2];
	if ((flags & ~O_CLOEXEC) || from == to)
		return -EINVAL;
	return dup_onto(from, to, flags & O_CLOEXEC);
}

long vk_fd_set_flags(int fd, u32 flags)
{
	const u32 settable = O_APPEND | O_NONBLOCK | O_NOATIME | FASYNC | O_DIRECT;
	if (flags & FASYNC) {
		vk_refuse("fcntl(F_SETFL, O_ASYNC)");
		return -EINVAL;
	}
	struct vk_desc *d = vk_desc_get(fd);
	vk_visit(&d->flags, true);
	d = vk_desc_get(fd);
	if (!d)
		return -EBADF;
	d->flags = (d->flags & ~settable) | (flags & settable);
	return 0;
}

long vk_fd_set_cloexec(int fd, bool cloexec)
{
	vk_visit(&vk->fd[fd], true);
	if (!vk_desc_get(fd))
		return -EBADF;
	vk->fd[fd].cloexec = cloexec;
	return 0;
}

/* Locks of the traditional kind keep out other processes, never this one's threads. */
static long lock(const struct vk_desc *d, int cmd, long arg)
{
	struct flock *l = vk_user(arg);
	if (!vk_user_ok((u64)arg, sizeof *l))
		return -EFAULT;
	if (l->l_type < F_RDLCK || l->l_type > F_UNLCK)
		return -EINVAL;
	if (cmd == F_GETLK) {
		l->l_type = F_UNLCK;
		return 0;
	}
	u32 mode = d->flags & O_ACCMODE;
	bool denied = (l->l_type == F_RDLCK && mode == O_WRONLY) ||
		      (l->l_type == F_WRLCK && mode == O_RDONLY);
	return denied || (d->flags & O_PATH) ? -EBADF : 0;
}

long vk_sys_fcntl(const struct vk_call *c)
{
	int fd = (int)c->a[0], cmd = (int)c->a[1];
	long arg = c->a[2];
	struct vk_desc *d = vk_desc_use(fd);
	if (!d)
		return -EBADF;
	switch (cmd) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		return dup_from(fd, (u32)arg, cmd == F_DUPFD_CLOEXEC);
	case F_GETFD:
		return vk->fd[fd].cloexec;
	case F_SETFD:
		return vk_fd_set_cloexec(fd, arg & FD_CLOEXEC);
	case F_GETFL:
		return d->flags;
	case F_SETFL:
		return vk_fd_set_flags(fd, (u32)arg);
	case F_GETPIPE_SZ:
	case F_SETPIPE_SZ:
		return vk_pipe_resize(d, cmd == F_SETPIPE_SZ ? (u32)arg : 0);
	case F_GETOWN:
	case F_GETSIG:
		return 0;
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
		return lock(d, cmd, arg);
	}
	bool of_description = cmd >= F_OFD_GETLK && cmd <= F_OFD_SETLKW;
	if (!of_description && cmd != F_SETOWN && cmd != F_SETSIG && cmd != F_ADD_SEALS && cmd != F_GET_SEALS)
		return -EINVAL;
	vk_refuse(of_description ? "fcntl (locks of open file descriptions)" : "fcntl (signals, seals)");
	return -ENOSYS;
}
