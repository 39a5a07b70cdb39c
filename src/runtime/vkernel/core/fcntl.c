/*
 * fcntl.c: flags of descriptors and descriptions, and what else goes by fcntl.
 */
#include "runtime/vkernel/core/call.h"
#include "runtime/vkernel/files/file_locks.h"

long vk_desc_set_flags(struct vk_call *c, struct vk_desc *d, u32 flags)
{
	const u32 settable = O_APPEND | O_NONBLOCK | O_NOATIME | FASYNC | O_DIRECT;
	if (flags & FASYNC) {
		vk_refuse(c, "fcntl(F_SETFL, O_ASYNC)");
		return -EINVAL;
	}
	vk_use(c, vk_desc_lesson(d, VK_DESC_FLAGS), ACCESS_WRITE);
	vk_declare(vk_desc_object(vk_desc_slot(d), VK_DESC_FLAGS), ACCESS_WRITE);
	d->flags = (d->flags & ~settable) | (flags & settable);
	return 0;
}

long vk_sys_fcntl(struct vk_call *c)
{
	int fd = (int)c->a[0], cmd = (int)c->a[1];
	long arg = c->a[2];
	bool of_number = cmd == F_GETFD || cmd == F_SETFD, dup = cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC;
	struct vk_desc *d = of_number ? vk_fd_use_at_once(c, fd)
			    : dup     ? vk_fd_use_late(c, fd)
				      : vk_fd_use(c, fd);
	if (!d)
		return -EBADF;
	switch (cmd) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		return vk_fd_dup_from(c, d, (u32)arg, cmd == F_DUPFD_CLOEXEC);
	case F_GETFD:
		return vk->fd[fd].cloexec;
	case F_SETFD:
		return vk_fd_set_cloexec(c, fd, arg & FD_CLOEXEC);
	case F_GETFL:
		return d->flags;
	case F_SETFL:
		return vk_desc_set_flags(c, d, (u32)arg);
	case F_GETPIPE_SZ:
		return vk_pipe_size(c, d);
	case F_SETPIPE_SZ:
		return vk_pipe_resize(c, d, (u32)arg);
	case F_GETOWN:
	case F_GETSIG:
		return 0;
	case F_GETLEASE:
		return F_UNLCK;
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return vk_record_lock(c, d, cmd, arg);
	}
	bool known = cmd == F_SETOWN || cmd == F_SETSIG || cmd == F_SETOWN_EX || cmd == F_GETOWN_EX ||
		     (cmd >= F_LINUX_SPECIFIC_BASE && cmd <= F_SET_FILE_RW_HINT);
	if (!known)
		return -EINVAL;
	vk_refuse(c, "fcntl (signals, seals, leases, hints)");
	return -ENOSYS;
}
