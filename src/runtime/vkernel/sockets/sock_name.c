/*
 * sock_name.c: giving sockets their names, and telling them: bind, getsockname, getpeername. Names in the
 * file system are nodes of the overlay; the socket holds its node, so that connect finds it by whatever path
 * leads there.
 */
#include "runtime/net/net.h"
#include "runtime/vkernel/files/overlay.h"
#include "runtime/vkernel/files/touch.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

#define NSCD "/var/run/nscd/socket"

struct sock_path {
	char text[sizeof((struct net_address *)0)->path + 1];
};

/* Terminated, and on the fiber's own stack: it must outlive a step. */
static struct sock_path path_of(const struct net_address *a)
{
	struct sock_path p = {{0}};
	memcpy(p.text, a->path, a->path_len);
	return p;
}

/* ---- who is at a path? ---- */

void sock_path_use(struct vk_call *c, const struct net_address *to)
{
	static struct vk_place place;
	struct sock_path p = path_of(to);
	vk_path(c, AT_FDCWD, p.text, PATH_FOLLOW, &place);
}

/*
 * libc asks the name service cache for users and hosts before it looks itself. That one is no peer: as if
 * none ran.
 */
static HD_NOINLINE long look_at(const struct net_address *to, u32 *inode)
{
	static struct vk_place place;
	struct sock_path p = path_of(to);
	*inode = 0;
	if (str_equal(p.text, NSCD))
		return -ENOENT;
	long err = vk_path_look(p.text, PATH_FOLLOW, &place);
	if (!err && !place.mode)
		err = -ENOENT;
	if (err)
		return err == -ENOENT && net_may_serve(to) ? 0 : err;
	if (!S_ISSOCK(place.mode))
		return -ECONNREFUSED;
	*inode = place.inode;
	return vk_place_may(&place, 2);
}

struct vk_desc *sock_at_path(const struct net_address *to, long *err)
{
	u32 inode;
	*err = look_at(to, &inode);
	if (*err || !inode)
		return NULL;
	for (u32 i = 0; i < vk->desc_limit; i++)
		if (vk->desc[i].kind == VK_SOCKET && vk->desc[i].object == inode)
			return &vk->desc[i];
	*err = -ECONNREFUSED; /* whoever made the node has closed it */
	return NULL;
}

/* ---- bind ---- */

static bool name_taken(const struct net_address *a)
{
	for (u32 i = 0; i < vk->desc_limit; i++)
		if (vk->sock[i].bound && sock_address_reaches(&vk->sock[i].local, a))
			return true;
	return false;
}

static void take_name(struct vk_desc *d, const struct net_address *a)
{
	struct vk_sock *s = sock_of(d);
	sock_declare(s);
	sock_names_change(s);
	s->local = *a;
	s->bound = SOCK_NAMED;
	if (s->partner && s->family == NET_UNIX) {
		sock_declare(&vk->sock[s->partner - 1]);
		sock_names_change(&vk->sock[s->partner - 1]);
		vk->sock[s->partner - 1].remote = *a;
	}
}

static long bind_path(struct vk_call *c, struct vk_desc *d, const struct net_address *a)
{
	struct sock_path p = path_of(a);
	long err = vk_make_node(c, p.text, S_IFSOCK | 0777);
	if (err)
		return err == -EEXIST ? -EADDRINUSE : err;
	u32 inode;
	if (sock_of(d)->bound) { /* by another fiber, while this one waited for its turn */
		vk_refuse(c, "bind of a socket by two threads at once");
		return -EINVAL;
	}
	look_at(a, &inode);
	hd_assert(inode);
	vk_declare(vk_desc_object(vk_desc_slot(d), VK_DESC_POSITION), ACCESS_WRITE);
	vk_declare(inode_object(inode), ACCESS_WRITE);
	d->object = inode;
	vk_inode(inode)->opens++;
	take_name(d, a);
	return 0;
}

/* Linux makes the node before it looks whether the socket has a name already, and takes it back then. */
static long bind_again(struct vk_call *c, const struct net_address *a)
{
	static struct vk_place place;
	struct sock_path p = path_of(a);
	long err = vk_path(c, AT_FDCWD, p.text, 0, &place);
	return err ? err : place.mode ? -EADDRINUSE : -EINVAL;
}

/* Linux counts up; here the number depends on the socket alone. */
static void choose_name(const struct vk_desc *d, struct net_address *a)
{
	static const char digits[] = "0123456789abcdef";
	a->path_len = 6;
	for (u32 i = 0; i < 5; i++)
		a->path[5 - i] = digits[vk_desc_slot(d) >> 4 * i & 15];
}

static long bind_unix(struct vk_call *c, struct vk_desc *d, struct net_address *a)
{
	bool named = sock_of(d)->local.path_len; /* an accepted connection has its listener's name */
	if (!a->path_len && named)
		return 0;
	if (!a->path_len)
		choose_name(d, a);
	if (named)
		return a->path[0] ? bind_again(c, a) : -EINVAL;
	if (a->path[0])
		return bind_path(c, d, a);
	sock_port_change(c, a);
	if (name_taken(a))
		return -EADDRINUSE;
	take_name(d, a);
	return 0;
}

/* Of IPv6 alone: who is bound there speaks no IPv4, and IPV6_V6ONLY says so, as in Linux. */
static bool is_own_of_six(const struct net_address *a)
{
	return sock_address_plain(a).family == NET_INET6 && !sock_address_is_any(a);
}

static long bind_inet(struct vk_call *c, struct vk_desc *d, const struct net_address *a)
{
	struct vk_sock *s = sock_of(d);
	if (is_own_of_six(a))
		vk_use(c, vk_socket_options_object(vk_desc_slot(d)), ACCESS_WRITE);
	sock_port_change(c, a);
	if (s->bound || sock_is_cut_off(s, a))
		return -EINVAL;
	take_name(d, a);
	if (!a->port)
		s->local.port = (u16)(SOCK_EPHEMERAL + vk_desc_slot(d));
	if (sock_port_taken(s)) {
		s->local = (struct net_address){0};
		s->bound = 0;
		return -EADDRINUSE;
	}
	if (is_own_of_six(a))
		s->options.bits |= 1u << SOCK_ONLY_IPV6;
	s->keeps_ip = !sock_address_is_any(a);
	return 0;
}

long vk_sys_bind(struct vk_call *c)
{
	long err;
	struct vk_desc *d = sock_use(c, (int)c->a[0], &err);
	struct net_address a = {0};
	if (!err)
		err = sock_address_in(sock_of(d), (u64)c->a[1], (int)c->a[2], &a);
	if (err)
		return err;
	bool is_short = sock_of(d)->family == NET_INET6 && (int)c->a[2] < 24;
	if (!a.family && sock_of(d)->family == NET_INET) /* a mistake of old that Linux forgives */
		a = (struct net_address){.family = NET_INET, .type = sock_of(d)->type};
	if (a.family != sock_of(d)->family)
		return sock_of(d)->family == NET_UNIX || is_short ? -EINVAL : -EAFNOSUPPORT;
	vk_use(c, vk_socket_name_object(vk_desc_slot(d)), ACCESS_WRITE);
	return a.family == NET_UNIX ? bind_unix(c, d, &a) : bind_inet(c, d, &a);
}

/* ---- telling ---- */

/* What a socket without a name answers: its family, and nothing else. */
static long tell(const struct vk_desc *d, const struct net_address *a, struct vk_call *c)
{
	struct net_address n = *a;
	n.family = n.family ? n.family : sock_of(d)->family;
	return sock_address_out(&n, (u64)c->a[1], (u64)c->a[2]);
}

void sock_connected_use(struct vk_call *c, const struct vk_desc *d)
{
	vk_use(c, vk_socket_name_object(vk_desc_slot(d)), ACCESS_READ);
}

long vk_sys_getsockname(struct vk_call *c)
{
	long err;
	struct vk_desc *d = sock_use(c, (int)c->a[0], &err);
	if (err)
		return err;
	vk_use(c, vk_socket_name_object(vk_desc_slot(d)), ACCESS_READ);
	return tell(d, &sock_of(d)->local, c);
}

static bool is_over(const struct vk_sock *s)
{
	return (s->flavour == SOCK_PEER && s->family != NET_UNIX && sock_peer_over(s)) ||
	       (s->flavour == SOCK_LOCAL && sock_local_over(s));
}

bool sock_is_connected(const struct vk_sock *s)
{
	bool connected = s->flavour == SOCK_PEER || s->flavour == SOCK_LOCAL || s->remote.family;
	return connected && !is_over(s);
}

long vk_sys_getpeername(struct vk_call *c)
{
	long err;
	struct vk_desc *d = sock_use(c, (int)c->a[0], &err);
	if (err)
		return err;
	vk_use(c, vk_socket_name_object(vk_desc_slot(d)), ACCESS_READ);
	vk_use(c, VK_ENDS, ACCESS_READ);
	return sock_is_connected(sock_of(d)) ? tell(d, &sock_of(d)->remote, c) : -ENOTCONN;
}
