/*
 * socket.c: making sockets, and what every flavour has: descriptor operations, and the answers of a socket
 * that is not connected. See sock.h.
 */
#include <linux/in.h>

#include "runtime/vkernel/files/overlay.h"
#include "runtime/vkernel/files/touch.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"
#include "runtime/vkernel/streams/epoll.h"

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
	[SOCK_IDLE] = &idle_ops,           [SOCK_LISTEN] = &sock_listen_ops,
	[SOCK_PEER] = &sock_peer_ops,      [SOCK_LOCAL] = &sock_local_ops,
	[SOCK_DATAGRAM] = &sock_dgram_ops, [SOCK_CONNECTING] = &sock_connecting_ops,
};

/* ---- as a descriptor ---- */

static long socket_read(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	struct net_address from = {0};
	u32 flags = 0;
	(void)pos;
	return u->left ? sock_receive(c, d, u, 0, &from, &flags) : 0;
}

static long socket_write(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	(void)pos;
	return sock_send(c, d, u, 0, NULL);
}

static u32 socket_poll(const struct vk_desc *d)
{
	return sock_ops_of(d)->poll(d);
}

static void socket_stat(const struct vk_desc *d, struct stat *st)
{
	st->st_mode = S_IFSOCK | 0777;
	st->st_ino = vk_desc_slot(d) + 1;
	st->st_nlink = 1;
	st->st_blksize = HD_PAGE;
}

static u64 socket_object(const struct vk_desc *d)
{
	return vk_socket_object(vk_desc_slot(d));
}

static long socket_pending(struct vk_call *c, const struct vk_desc *d)
{
	const struct sock_ops *ops = sock_ops_of(d);
	if (sock_of(d)->flavour == SOCK_LISTEN)
		return -EINVAL;
	return ops->pending ? ops->pending(c, d) : 0;
}

void sock_declare(const struct vk_sock *s)
{
	vk_declare(vk_socket_object((u32)(s - vk->sock)), ACCESS_WRITE);
}

void sock_wake(const struct vk_sock *s, u32 events)
{
	if (hd_unlikely(vk->epolls))
		epoll_wake(&vk->desc[s - vk->sock], events);
}

void sock_names_change(const struct vk_sock *s)
{
	vk_touch(NULL, vk_socket_name_object((u32)(s - vk->sock)), ACCESS_WRITE);
}

static void socket_release(struct vk_desc *d)
{
	sock_declare(sock_of(d));
	vk_declare(vk_socket_options_object(vk_desc_slot(d)), ACCESS_WRITE);
	sock_declare_port(&sock_of(d)->local, ACCESS_ADD); /* two that let go commute */
	if (sock_ops_of(d)->release)
		sock_ops_of(d)->release(d);
	if (d->object) { /* the name it is bound to */
		vk_declare(inode_object(d->object), ACCESS_WRITE);
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
	.object = socket_object,
	.pending = socket_pending,
	.release = socket_release,
	.steps_first = sock_steps_first,
	.close_accesses = sock_close_accesses,
	.stream = true,
	.waits = true,
};

/* A datagram socket that only asked for its own address, as getaddrinfo does, to sort its results. */
static bool only_probed_address(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	if (s->flavour != SOCK_DATAGRAM || s->pos.tree || s->local.port != SOCK_EPHEMERAL + vk_desc_slot(d))
		return false;
	for (u32 i = 0; i < vk->desc_limit; i++)
		if (vk->sock[i].bound && sock_address_reaches(&vk->sock[i].local, &s->remote))
			return false;
	return true;
}

bool sock_close_shows(struct vk_call *c, const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	bool unknown = s->flavour == SOCK_IDLE || s->flavour == SOCK_DATAGRAM;
	if (s->flavour == SOCK_LOCAL)
		vk_touch(c, VK_ENDS, ACCESS_ADD);
	return !unknown || (s->bound && !only_probed_address(d));
}

/* ---- making ---- */

static struct vk_desc *only_a_socket(struct vk_desc *d, long *err)
{
	*err = !d || (d->flags & O_PATH) ? -EBADF : d->kind != VK_SOCKET ? -ENOTSOCK : 0;
	return *err ? NULL : d;
}

struct vk_desc *sock_use(struct vk_call *c, int fd, long *err)
{
	return only_a_socket(vk_fd_use(c, fd), err);
}

static HD_NOINLINE bool socket_matches(int fd, bool (*such)(const struct vk_desc *d))
{
	const struct vk_desc *d = vk_fd_peek(fd);
	return d && d->kind == VK_SOCKET && such(d);
}

struct vk_desc *sock_use_late(struct vk_call *c, int fd, long *err, bool (*steps)(const struct vk_desc *d))
{
	return only_a_socket(socket_matches(fd, steps) ? vk_fd_use_late(c, fd) : vk_fd_use(c, fd), err);
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
	vk_declare(vk_socket_object(vk_desc_slot(d)), ACCESS_MAKE);
	vk_declare(vk_socket_options_object(vk_desc_slot(d)), ACCESS_MAKE);
	s->used = 1;
	s->family = family;
	s->type = type;
	s->protocol = protocol;
	s->flavour = type == NET_DGRAM ? SOCK_DATAGRAM : SOCK_IDLE;
	return d;
}

static long refuse(const struct vk_call *c, const char *what, long err)
{
	vk_refuse(c, what);
	return err;
}

static long check_unix(u32 type, u32 protocol)
{
	if (protocol && protocol != NET_UNIX)
		return -EPROTONOSUPPORT;
	return type == NET_STREAM || type == NET_DGRAM || type == NET_SEQPACKET ? 0 : -ESOCKTNOSUPPORT;
}

static long check_inet(const struct vk_call *c, u32 type, u32 protocol)
{
	if (type == SOCK_RAW_)
		return refuse(c, "socket (raw packets)", -EPERM);
	if (type != NET_STREAM && type != NET_DGRAM)
		return -ESOCKTNOSUPPORT;
	if (!protocol || protocol == (type == NET_STREAM ? IPPROTO_TCP : IPPROTO_UDP))
		return 0;
	bool other = protocol == IPPROTO_TCP || protocol == IPPROTO_UDP;
	return other ? -EPROTONOSUPPORT : refuse(c, "socket (protocols but TCP and UDP)", -EPROTONOSUPPORT);
}

/*
 * The kernel's own sockets are not there: glibc then assumes that both IPv4 and IPv6 are, which is how
 * getaddrinfo(AI_ADDRCONFIG) takes it.
 */
long sock_check(struct vk_call *c, u32 family, u32 type, u32 protocol)
{
	if (family == NET_UNIX)
		return check_unix(type, protocol);
	if (family == NET_INET || family == NET_INET6)
		return check_inet(c, type, protocol);
	if (family == AF_UNSPEC_ || family == AF_NETLINK_ || family >= AF_KNOWN_)
		return -EAFNOSUPPORT;
	return refuse(c, "socket", -EAFNOSUPPORT);
}

static u16 protocol_of(u32 family, u32 type)
{
	if (family == NET_UNIX)
		return 0;
	return type == NET_STREAM ? IPPROTO_TCP : IPPROTO_UDP;
}

long vk_sys_socket(struct vk_call *c)
{
	u32 family = (u32)c->a[0], type = (u32)c->a[1], flags = type & (O_CLOEXEC | O_NONBLOCK);
	type &= ~flags;
	if (type & ~SOCK_TYPE_MASK_)
		return -EINVAL;
	long err = sock_check(c, family, type, (u32)c->a[2]);
	if (err)
		return err;
	vk_fd_take(c, 0, 1);
	struct vk_desc *d = sock_new((u16)family, (u16)type, protocol_of(family, type), flags);
	return d ? vk_fd_install(d, flags & O_CLOEXEC) : vk_desc_none(c);
}
