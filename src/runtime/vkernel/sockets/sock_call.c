/*
 * sock_call.c: the calls that send, receive and shut down, whatever the flavour of the socket.
 */
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

/* ---- sockets that are not connected ---- */

static long send_unconnected(struct vk_call *c, const struct vk_sock *s, u32 flags,
			     const struct net_address *to)
{
	if (s->family != NET_UNIX)
		return sock_broken(c, flags);
	return to && s->type == NET_STREAM ? -EOPNOTSUPP : -ENOTCONN;
}

static long receive_unconnected(const struct vk_sock *s)
{
	if (s->family != NET_UNIX && s->flavour == SOCK_IDLE && (s->shut & SHUT_READ))
		return 0;
	return s->family == NET_UNIX && s->type == NET_STREAM ? -EINVAL : -ENOTCONN;
}

long sock_send(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
	       const struct net_address *to)
{
	if (!sock_ops_of(d)->send)
		sock_connected_use(c, d);
	const struct sock_ops *ops = sock_ops_of(d);
	return ops->send ? vk_uio_result(u, ops->send(c, d, u, flags, to))
			 : send_unconnected(c, sock_of(d), flags, to);
}

long sock_receive(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags, struct net_address *from,
		  u32 *out_flags)
{
	if (!sock_ops_of(d)->recv)
		sock_connected_use(c, d);
	const struct sock_ops *ops = sock_ops_of(d);
	if (!ops->recv)
		return receive_unconnected(sock_of(d));
	if (flags & MSG_ERRQUEUE_)
		return -EAGAIN; /* nothing is ever put there */
	return vk_uio_result(u, ops->recv(c, d, u, flags, from, out_flags));
}

/* ---- one buffer ---- */

static long one_buffer(struct vk_call *c, struct iovec *v, struct vk_uio *u)
{
	*v = (struct iovec){.iov_base = vk_user(c->a[1]), .iov_len = HD_MIN((u64)c->a[2], (u64)VK_MAX_RW)};
	return vk_uio_init(c, u, v, 1);
}

/* A connection has one already: then nobody looks at what it says. */
static long destination_in(const struct vk_sock *s, u64 user, int len, struct net_address *to)
{
	long err = sock_address_check(user, len);
	if (err || s->type != NET_DGRAM)
		return err;
	if (s->family != NET_UNIX)
		sock_bind_ephemeral(&vk->desc[s - vk->sock], NULL); /* even if nothing comes of it */
	err = sock_address_in(s, user, len, to);
	return !err && s->family == NET_UNIX && !to->path_len ? -EINVAL : err;
}

long vk_sys_sendto(struct vk_call *c)
{
	long err;
	struct vk_desc *d = sock_use_late(c, (int)c->a[0], &err, sock_steps_first);
	struct net_address to = {0};
	struct iovec v;
	struct vk_uio u;
	if (!err)
		err = one_buffer(c, &v, &u);
	bool named = c->a[4] && c->a[5];
	if (!err && named)
		err = destination_in(sock_of(d), (u64)c->a[4], (int)c->a[5], &to);
	return err ? err : sock_send(c, d, &u, (u32)c->a[3], named ? &to : NULL);
}

long vk_sys_recvfrom(struct vk_call *c)
{
	long err;
	struct vk_desc *d = sock_use_late(c, (int)c->a[0], &err, sock_steps_first);
	struct net_address from = {0};
	struct iovec v;
	struct vk_uio u;
	u32 flags = 0;
	if (!err)
		err = one_buffer(c, &v, &u);
	if (err)
		return err;
	long n = sock_receive(c, d, &u, (u32)c->a[3], &from, &flags);
	if (n >= 0 && c->a[4])
		err = sock_address_out(&from, (u64)c->a[4], (u64)c->a[5]);
	return err ? err : n;
}

/* ---- messages ---- */

static long message_in(struct vk_call *c, u64 user, struct sock_msghdr **m, struct vk_uio *u)
{
	*m = (struct sock_msghdr *)user;
	if (!vk_user_ok(user, sizeof(**m)))
		return -EFAULT;
	if ((*m)->iov_len > 1024)
		return -EMSGSIZE;
	return vk_uio_init(c, u, (const struct iovec *)(*m)->iov, (long)(*m)->iov_len);
}

static long refuse_control(const struct vk_call *c, const struct sock_msghdr *m)
{
	const struct sock_cmsghdr *h = (const struct sock_cmsghdr *)m->control;
	const int rights = 1;
	if (!m->control || m->control_len < sizeof(*h))
		return 0;
	if (!vk_user_ok(m->control, m->control_len))
		return -EFAULT;
	bool passes = h->level == SOL_SOCKET_ && h->type == rights;
	vk_refuse(c, passes ? "sendmsg (SCM_RIGHTS: passing descriptors)" : "sendmsg (control messages)");
	return -EINVAL;
}

static long send_message(struct vk_call *c, struct vk_desc *d, u64 user, u32 flags)
{
	struct sock_msghdr *m;
	struct net_address to = {0};
	struct vk_uio u;
	long err = message_in(c, user, &m, &u);
	if (!err)
		err = refuse_control(c, m);
	bool named = !err && m->name && m->name_len;
	if (named)
		err = destination_in(sock_of(d), m->name, (int)m->name_len, &to);
	return err ? err : sock_send(c, d, &u, flags, named ? &to : NULL);
}

static long receive_message(struct vk_call *c, struct vk_desc *d, u64 user, u32 flags)
{
	struct sock_msghdr *m;
	struct net_address from = {0};
	struct vk_uio u;
	u32 out_flags = 0;
	long err = message_in(c, user, &m, &u);
	if (err)
		return err;
	long n = sock_receive(c, d, &u, flags, &from, &out_flags);
	if (n < 0)
		return n;
	if (m->name)
		err = sock_address_out(&from, m->name, (u64)&m->name_len);
	m->control_len = 0;
	m->flags = out_flags | (flags & MSG_CMSG_CLOEXEC_);
	return err ? err : n;
}

long vk_sys_sendmsg(struct vk_call *c)
{
	long err;
	struct vk_desc *d = sock_use_late(c, (int)c->a[0], &err, sock_steps_first);
	return err ? err : send_message(c, d, (u64)c->a[1], (u32)c->a[2]);
}

long vk_sys_recvmsg(struct vk_call *c)
{
	long err;
	struct vk_desc *d = sock_use_late(c, (int)c->a[0], &err, sock_steps_first);
	return err ? err : receive_message(c, d, (u64)c->a[1], (u32)c->a[2]);
}

/* ---- several messages: one after the other, until one fails ---- */

static struct sock_mmsghdr *nth(struct vk_call *c, u32 i)
{
	return (struct sock_mmsghdr *)c->a[1] + i;
}

long vk_sys_sendmmsg(struct vk_call *c)
{
	long err, n = 0;
	u32 i, count = (u32)HD_MIN((u64)(u32)c->a[2], (u64)1024);
	struct vk_desc *d = sock_use(c, (int)c->a[0], &err);
	for (i = 0; !err && i < count; i++) {
		n = send_message(c, d, (u64)nth(c, i), (u32)c->a[3]);
		if (n < 0)
			break;
		nth(c, i)->len = (u32)n;
	}
	return err ? err : i ? (long)i : n;
}

long vk_sys_recvmmsg(struct vk_call *c)
{
	long err, n = 0;
	u32 i, count = (u32)HD_MIN((u64)(u32)c->a[2], (u64)1024), flags = (u32)c->a[3];
	struct vk_desc *d = sock_use(c, (int)c->a[0], &err);
	if (!err && c->a[4]) {
		vk_refuse(c, "recvmmsg with a time-out");
		return -EINVAL;
	}
	if (!err && !(flags & MSG_ERRQUEUE_)) /* this call looks for it first */
		err = sock_take_error(c, d);
	for (i = 0; !err && i < count; i++) {
		n = receive_message(c, d, (u64)nth(c, i), flags & ~MSG_WAITFORONE_);
		if (n < 0)
			break;
		nth(c, i)->len = (u32)n;
		flags |= flags & MSG_WAITFORONE_ ? MSG_DONTWAIT_ : 0;
	}
	return err ? err : i ? (long)i : n;
}

/* ---- shutdown ---- */

/*
 * A listener that is shut down for reading stops listening; that is how servers wake up who waits in accept.
 */
static long may_shut_down(const struct vk_sock *s)
{
	if (s->flavour == SOCK_LISTEN || s->family == NET_UNIX)
		return 0;
	return sock_is_connected(s) ? 0 : -ENOTCONN;
}

long vk_sys_shutdown(struct vk_call *c)
{
	long err;
	u32 how = (u32)c->a[1];
	struct vk_desc *d = sock_use(c, (int)c->a[0], &err);
	if (err || how > 2)
		return err ? err : -EINVAL;
	if (sock_of(d)->flavour == SOCK_CONNECTING && !sock_of(d)->refused)
		vk_refuse(c, "shutdown of a connection that is under way");
	how += SHUT_READ; /* 0, 1, 2 are read, write, both: as bits 1, 2, 3 */
	if (sock_step(c, d, OP_SHUTDOWN, how, 0, 0) == VK_RESTART)
		return VK_RESTART;
	struct vk_sock *s = sock_of(d);
	if ((err = may_shut_down(s))) {
		s->shut |= (u8)how; /* as Linux: it fails, and the socket is shut down all the same */
		if (s->refused)
			s->refused = SOCK_UNUSABLE;
		if (s->connect_done)
			s->connect_done = SOCK_UNUSABLE;
		sock_wake(s, 0);
		return err;
	}
	s->connect_done = 0; /* as if it had been asked for */
	const struct sock_ops *ops = sock_ops_of(d);
	if ((how & ~s->shut) && ops->shutdown)
		err = ops->shutdown(d, how & ~s->shut);
	sock_wake(s, 0);
	if (sock_partner(s))
		sock_wake(sock_partner(s), 0);
	if (!err &&
	    (s->flavour != SOCK_IDLE || s->family == NET_UNIX)) /* TCP's former listener is like new */
		s->shut |= (u8)how;
	return err;
}
