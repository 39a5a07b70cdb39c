/*
 * socket.c: making sockets, and what every flavour has: descriptor operations, and the answers of a socket that is not
 * connected. See sock.h.
 */
#include <linux/in.h>

#include "runtime/vkernel/files/overlay.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

static u32 idle_poll(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	u32 mask = POLLOUT | POLLWRNORM | POLLHUP | (s->family == NET_UNIX ? POLLWRBAND : 0);
	return s->shut & SHUT_READ ? mask | POLLIN | POLLRDNORM | POLLRDHUP : mask;
}

static void idle_describe(const struct vk_desc *d, struct text *t)
{
	text_str(t, "socket ");
	sock_describe_number(d, t);
}

static const struct sock_ops idle_ops = {.poll = idle_poll, .describe = idle_describe};

const struct sock_ops *const sock_flavours[SOCK_FLAVOURS] = {
	[SOCK_IDLE] = &idle_ops,        [SOCK_LISTEN] = &sock_listen_ops,  [SOCK_PEER] = &sock_peer_ops,
	[SOCK_LOCAL] = &sock_local_ops, [SOCK_DATAGRAM] = &sock_dgram_ops,
};

/* ---- as a descriptor ---- */

static long socket_read(struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	struct net_address from = {0};
	u32 flags = 0;
	(void)pos;
	return u->left ? sock_receive(d, u, 0, &from, &flags) : 0;
}

static long socket_write(struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	(void)pos;
	return sock_send(d, u, 0, NULL);
}

static u32 socket_poll(const struct vk_desc *d)
{
	return sock_ops_of(d)->poll(d);
}

static void socket_stat(const struct vk_desc *d, struct stat *st)
{
	st->st_mode = S_IFSOCK | 0777;
	st->st_ino = desc_slot(d) + 1;
	st->st_nlink = 1;
	st->st_blksize = HD_PAGE;
}

static long socket_pending(const struct vk_desc *d)
{
	const struct sock_ops *ops = sock_ops_of(d);
	if (sock_of(d)->flavour == SOCK_LISTEN)
		return -EINVAL;
	return ops->pending ? ops->pending(d) : 0;
}

static void socket_release(struct vk_desc *d)
{
	if (sock_ops_of(d)->release)
		sock_ops_of(d)->release(d);
	if (d->object) { /* the name it is bound to */
		vk_inode(d->object)->opens--;
		vk_inode_check(d->object);
	}
	*sock_of(d) = (struct vk_sock){0};
}

const struct vk_ops vk_socket_ops = {
	.read = socket_read,
	.write = socket_write,
	.poll = socket_poll,
	.stat = socket_stat,
	.pending = socket_pending,
	.release = socket_release,
	.stream = true,
	.waits = true,
};

/* A datagram socket that only asked for its own address, as getaddrinfo does, to sort its results. */
static bool never_spoke(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	if (s->flavour != SOCK_DATAGRAM || s->pos.tree || s->local.port != SOCK_EPHEMERAL + desc_slot(d))
		return false;
	for (u32 i = 0; i < VK_MAX_DESCS; i++)
		if (vk->sock[i].bound && sock_address_reaches(&vk->sock[i].local, &s->remote))
			return false;
	return true;
}

bool sock_close_shows(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	bool unknown = s->flavour == SOCK_IDLE || s->flavour == SOCK_DATAGRAM;
	if (s->flavour == SOCK_LOCAL)
		vk_observed((u64)&vk->ends, true);
	return !unknown || (s->bound && !never_spoke(d));
}

/* ---- making ---- */

static struct vk_desc *only_a_socket(struct vk_desc *d, long *err)
{
	*err = !d || (d->flags & O_PATH) ? -EBADF : d->kind != VK_SOCKET ? -ENOTSOCK : 0;
	return *err ? NULL : d;
}

struct vk_desc *sock_use(int fd, long *err)
{
	return only_a_socket(vk_desc_use(fd), err);
}

static SCHED_LOOK bool is_such(int fd, bool (*such)(const struct vk_desc *d))
{
	const struct vk_desc *d = vk_desc_get(fd);
	return d && d->kind == VK_SOCKET && such(d);
}

struct vk_desc *sock_use_late(int fd, long *err, bool (*steps)(const struct vk_desc *d))
{
	return only_a_socket(is_such(fd, steps) ? vk_desc_use_late(fd) : vk_desc_use(fd), err);
}

bool sock_steps_first(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	return s->flavour == SOCK_PEER || s->flavour == SOCK_LOCAL;
}

struct vk_desc *sock_new(u16 family, u16 type, u16 protocol, u32 flags)
{
	struct vk_desc *d = vk_desc_new(VK_SOCKET, O_RDWR | (flags & O_NONBLOCK));
	if (!d)
		return NULL;
	struct vk_sock *s = sock_of(d);
	s->used = 1;
	s->family = family;
	s->type = type;
	s->protocol = protocol;
	s->flavour = type == NET_DGRAM ? SOCK_DATAGRAM : SOCK_IDLE;
	return d;
}

static long refuse(const char *what, long err)
{
	vk_refuse(what);
	return err;
}

static long check_unix(u32 type, u32 protocol)
{
	if (protocol && protocol != NET_UNIX)
		return -EPROTONOSUPPORT;
	return type == NET_STREAM || type == NET_DGRAM || type == NET_SEQPACKET ? 0 : -ESOCKTNOSUPPORT;
}

static long check_inet(u32 type, u32 protocol)
{
	if (type == SOCK_RAW_)
		return refuse("socket (raw packets)", -EPERM);
	if (type != NET_STREAM && type != NET_DGRAM)
		return -ESOCKTNOSUPPORT;
	if (!protocol || protocol == (type == NET_STREAM ? IPPROTO_TCP : IPPROTO_UDP))
		return 0;
	bool other = protocol == IPPROTO_TCP || protocol == IPPROTO_UDP;
	return other ? -EPROTONOSUPPORT : refuse("socket (protocols but TCP and UDP)", -EPROTONOSUPPORT);
}

/*
 * The kernel's own sockets are not there: glibc then assumes that both IPv4 and IPv6 are, which is how
 * getaddrinfo(AI_ADDRCONFIG) takes it.
 */
long sock_check(u32 family, u32 type, u32 protocol)
{
	if (family == NET_UNIX)
		return check_unix(type, protocol);
	if (family == NET_INET || family == NET_INET6)
		return check_inet(type, protocol);
	if (family == AF_UNSPEC_ || family == AF_NETLINK_ || family >= AF_KNOWN_)
		return -EAFNOSUPPORT;
	return refuse("socket", -EAFNOSUPPORT);
}

static u16 protocol_of(u32 family, u32 type)
{
	if (family == NET_UNIX)
		return 0;
	return type == NET_STREAM ? IPPROTO_TCP : IPPROTO_UDP;
}

long vk_sys_socket(const struct vk_call *c)
{
	u32 family = (u32)c->a[0], type = (u32)c->a[1], flags = type & (O_CLOEXEC | O_NONBLOCK);
	type &= ~flags;
	if (type & ~SOCK_TYPE_MASK_)
		return -EINVAL;
	long err = sock_check(family, type, (u32)c->a[2]);
	if (err)
		return err;
	vk_fd_change(-1);
	struct vk_desc *d = sock_new((u16)family, (u16)type, protocol_of(family, type), flags);
	return d ? vk_fd_install(d, flags & O_CLOEXEC) : -ENFILE;
}
