/*
 * socket.c: as much of sockets as needs no partner. A socket of the Unix domain can be made, asked for, closed,
 * and connected to a path where nobody listens: that is how libc finds out that no name service daemon runs.
 * Everything else is refused, and on what is no socket it fails as in Linux.
 */
#include <linux/un.h>

#include "runtime/vkernel/path.h"

#define AF_UNIX_ 1
#define SOCK_STREAM_ 1
#define SOCK_DGRAM_ 2
#define S_IFSOCK_ 0140000u

static u32 socket_poll(const struct vk_desc *d)
{
	(void)d;
	return POLLOUT | POLLWRNORM | POLLHUP; /* not connected */
}

static void socket_stat(const struct vk_desc *d, struct stat *st)
{
	st->st_mode = S_IFSOCK_ | 0777;
	st->st_ino = (u64)(d - vk->desc) + 1;
	st->st_nlink = 1;
	st->st_blksize = HD_PAGE;
}

const struct vk_ops vk_socket_ops = {.poll = socket_poll, .stat = socket_stat, .stream = true};

long vk_sys_socket(const struct vk_call *c)
{
	u32 type = (u32)c->a[1], flags = type & (O_CLOEXEC | O_NONBLOCK);
	type &= ~flags;
	if (c->a[0] != AF_UNIX_ || (type != SOCK_STREAM_ && type != SOCK_DGRAM_)) {
		vk_refuse("socket");
		return -EAFNOSUPPORT;
	}
	vk_fd_change(-1);
	struct vk_desc *d = vk_desc_new(VK_SOCKET, O_RDWR | (flags & O_NONBLOCK));
	return d ? vk_fd_install(d, flags & O_CLOEXEC) : -ENFILE;
}

static long connect_path(const char *path)
{
	static struct vk_place p;
	long err = vk_path(AT_FDCWD, path, PATH_FOLLOW, &p);
	if (err)
		return err;
	if (!p.mode)
		return -ENOENT;
	if ((p.mode & S_IFMT) != S_IFSOCK_)
		return -ECONNREFUSED;
	vk_refuse("connect (to another process)");
	return -ECONNREFUSED;
}

long vk_sys_connect(const struct vk_call *c)
{
	const struct vk_desc *d = vk_desc_use((int)c->a[0]);
	const struct sockaddr_un *a = vk_user(c->a[1]);
	long len = (int)c->a[2];
	if (!d)
		return -EBADF;
	if (d->kind != VK_SOCKET)
		return -ENOTSOCK;
	if (len <= (long)offsetof(struct sockaddr_un, sun_path) || len > (long)sizeof *a)
		return -EINVAL;
	if (!vk_user_ok((u64)a, (size_t)len))
		return -EFAULT;
	if (a->sun_family != AF_UNIX_)
		return -EINVAL;
	/* On this stack: it must outlive a step. Terminated; empty if the address is abstract. */
	char path[sizeof a->sun_path + 1] = {0};
	memcpy(path, a->sun_path, (size_t)len - offsetof(struct sockaddr_un, sun_path));
	if (path[0])
		return connect_path(path);
	vk_refuse("connect (to an abstract address)");
	return -ECONNREFUSED;
}

/* Calls that need a partner. */
long vk_sys_socket_call(const struct vk_call *c)
{
	const struct vk_desc *d = vk_desc_use((int)c->a[0]);
	if (!d)
		return -EBADF;
	if (d->kind != VK_SOCKET)
		return -ENOTSOCK;
	vk_refuse(vk_syscalls[c->nr].name);
	return -ENOSYS;
}
