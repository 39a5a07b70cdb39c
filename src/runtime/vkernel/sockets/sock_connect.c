/*
 * sock_connect.c: connect: to a listener inside the SUT if one is reached, else to a peer. The step comes
 * first, so that what is there is looked at in the moment in which it counts; a path where nothing is needs
 * none.
 */
#include "runtime/net/net.h"
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

#define PORT_DNS 53

static bool is_path(const struct net_address *a)
{
	return a->family == NET_UNIX && a->path[0];
}

static long may_connect(const struct vk_sock *s)
{
	if (s->flavour == SOCK_LISTEN)
		return s->family == NET_UNIX ? -EINVAL : -EISCONN;
	if (s->flavour != SOCK_IDLE)
		return -EISCONN;
	return 0;
}

static long reach_inside(struct vk_call *c, struct vk_desc *d, struct vk_desc *l,
			 const struct net_address *to)
{
	struct vk_sock *s = sock_of(d);
	if (!sock_local_room(l)) /* only a call that must not wait comes here */
		return s->family == NET_UNIX ? -EAGAIN : -EINPROGRESS;
	long err = sock_local_connect(c, d, l, to);
	if (err || s->family == NET_UNIX || !sock_nonblocking(d, 0))
		return err;
	s->connect_done = 1; /* as Linux: on one machine it is there at once, and yet TCP says so */
	return -EINPROGRESS;
}

static long reach_peer(struct vk_desc *d, const struct net_address *to)
{
	struct vk_sock *s = sock_of(d);
	static struct net_address there;
	there = sock_address_plain(to);
	long err = s->refusal ? -(long)s->refusal : sock_server_connect(&there, &s->pos);
	if (sock_nonblocking(d, 0) && s->family != NET_UNIX) {
		s->refusal = (u16)-err;
		return sock_connecting_begin(d, to);
	}
	s->refusal = 0;
	if (err) {
		u8 bound = s->bound;
		sock_bind_ephemeral(d, NULL); /* it has tried: it shows a port, but does not hold it */
		s->bound = bound;
		return err;
	}
	s->flavour = SOCK_PEER;
	s->remote = *to;
	sock_bind_ephemeral(d, to);
	return 0;
}

/* After the step: look who is there. */
static HD_NOINLINE long reach(struct vk_call *c, struct vk_desc *d, const struct net_address *to)
{
	struct vk_sock *s = sock_of(d);
	struct vk_desc *l = sock_listener(to, s->type);
	long err = 0, may = may_connect(s);
	struct vk_desc *bound = !l && is_path(to) ? sock_at_path(to, &err) : NULL;
	if (bound) /* ours, but not listening, or of another type */
		err = sock_of(bound)->type == s->type ? -ECONNREFUSED : -EPROTOTYPE;
	if (may && s->family == NET_UNIX && !l && !err)
		err = -ECONNREFUSED;
	if (err || may)
		return err ? err : may;
	return l ? reach_inside(c, d, l, to) : reach_peer(d, to);
}

static HD_NOINLINE bool nothing_there(const struct net_address *to, long *err)
{
	return !sock_at_path(to, err) && *err;
}

/* What connect depends on, once more, in the state in which it happens. */
static HD_NOINLINE void look_again(struct vk_call *c, const struct net_address *to)
{
	if (is_path(to))
		sock_path_use(c, to);
	sock_port_look(c, to);
}

static long connect_stream(struct vk_call *c, struct vk_desc *d, const struct net_address *to)
{
	long err;
	if (to->family == NET_UNIX && !to->path_len)
		return -EINVAL;
	if (is_path(to)) {
		sock_path_use(c, to);
		if (nothing_there(to, &err))
			return err;
	}
	if (sock_is_cut_off(sock_of(d), to))
		return -ENETUNREACH;
	sock_port_look(c, to);
	long alt = sock_step(c, d, OP_CONNECT, 0, 0, (u64)to);
	if (alt == VK_RESTART)
		return alt;
	look_again(c, to);
	sock_names_change(sock_of(d));
	if (alt == ALT_TIMEOUT)
		return sock_of(d)->family == NET_UNIX ? -EAGAIN : -EINPROGRESS;
	return reach(c, d, to);
}

/*
 * Who asks a name server gets what the world says today: outside the model. For a socket that nobody knows it
 * is no step: getaddrinfo does so to find out its own address.
 */
static long connect_datagrams(struct vk_call *c, struct vk_desc *d, const struct net_address *to)
{
	if (to->family != NET_UNIX && to->port == PORT_DNS) {
		vk_refuse(c, "questions to a name server");
		return -ECONNREFUSED;
	}
	if (is_path(to))
		sock_path_use(c, to);
	sock_port_look(c, to);
	if (sock_of(d)->family == NET_UNIX || sock_close_shows(c, d)) {
		if (sock_step(c, d, OP_CONNECT, 0, 0, (u64)to) == VK_RESTART)
			return VK_RESTART;
		look_again(c, to);
	}
	vk_use(c, vk_socket_name_object(vk_desc_slot(d)), ACCESS_WRITE);
	return sock_ops_of(d)->connect(c, d, to);
}

/* Those of the Unix domain look at the file system first. */
static bool connects_by_step(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	return s->flavour == SOCK_IDLE && s->type == NET_STREAM && s->family != NET_UNIX;
}

long vk_sys_connect(struct vk_call *c)
{
	long err;
	struct vk_desc *d = sock_use_late(c, (int)c->a[0], &err, connects_by_step);
	struct net_address to = {0};
	long bad = sock_address_check((u64)c->a[1], (int)c->a[2]);
	if (err == -EBADF || (err && !bad))
		return err;
	if (bad)
		return bad;
	err = sock_address_in(sock_of(d), (u64)c->a[1], (int)c->a[2], &to);
	/* TCP looks at the address later than the Unix domain. */
	if (!err && to.family && sock_connects_again(sock_of(d)))
		return sock_connect_again(c, d);
	bool tcp = sock_of(d)->type == NET_STREAM && sock_of(d)->family != NET_UNIX;
	if (tcp && (err || to.family) && (int)c->a[2] >= 2 && may_connect(sock_of(d)))
		return may_connect(sock_of(d));
	if (err && sock_of(d)->type == NET_DGRAM && (int)c->a[2] >= 2)
		sock_bind_ephemeral(d, NULL); /* even if nothing comes of it */
	if (err)
		return err;
	if (sock_of(d)->type == NET_DGRAM)
		return connect_datagrams(c, d, &to);
	if (to.family)
		return connect_stream(c, d, &to);
	if (sock_of(d)->family == NET_UNIX)
		return -EINVAL;
	if (sock_of(d)->flavour == SOCK_IDLE) /* there is nothing to end */
		return 0;
	vk_refuse(c, "connect (AF_UNSPEC: ending a connection)");
	return -EINVAL;
}
