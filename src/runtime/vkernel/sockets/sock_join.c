/*
 * sock_join.c: how two sockets of the SUT are connected, and part: socketpair, connect to a listener of the
 * same process, the queue of connections not yet accepted, shutdown, close. sock_local.c says what each end
 * learns.
 */
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

static void join(struct vk_desc *a, struct vk_desc *b)
{
	sock_declare(sock_of(a));
	sock_declare(sock_of(b));
	sock_of(a)->flavour = sock_of(b)->flavour = SOCK_LOCAL;
	sock_of(a)->partner = vk_desc_slot(b) + 1;
	sock_of(b)->partner = vk_desc_slot(a) + 1;
}

/* ---- parting ---- */

static void tcp_fin(struct vk_sock *to)
{
	if (sock_local_over(to))
		return;
	to->fin_seen = 1;
	to->shut |= SHUT_READ;
}

long sock_local_shutdown(struct vk_desc *d, u32 how)
{
	struct vk_sock *s = sock_of(d), *other = sock_partner(s);
	if (sock_local_over(s))
		return -ENOTCONN;
	if (!other)
		return 0;
	if (s->family != NET_UNIX) {
		if ((how & SHUT_WRITE) && !(s->shut & SHUT_WRITE))
			tcp_fin(other);
		return 0;
	}
	if (how & SHUT_WRITE)
		other->shut |= SHUT_READ;
	if (how & SHUT_READ)
		other->shut |= SHUT_WRITE;
	return 0;
}

static void part_tcp(struct vk_sock *s, struct vk_sock *other, bool hard)
{
	if (sock_local_over(s))
		return;
	if (hard)
		sock_local_reset(other);
	else if (!(s->shut & SHUT_WRITE))
		tcp_fin(other);
}

/* hard: what was sent here is lost. */
static void part(struct vk_sock *s, bool hard)
{
	struct vk_sock *other = sock_partner(s);
	sock_declare(s);
	s->partner = 0;
	if (!other)
		return;
	sock_declare(other);
	other->partner = 0;
	sock_wake(other, 0);
	if (s->family != NET_UNIX) {
		part_tcp(s, other, hard);
		return;
	}
	other->shut = SHUT_READ | SHUT_WRITE;
	if (hard)
		other->error = ECONNRESET;
}

/* An empty message alone does not count: Linux takes it for a trace of urgent data. */
static bool has_unread(const struct vk_sock *s)
{
	u32 bytes;
	if (s->type == NET_STREAM || !s->held)
		return s->held;
	return sock_record_count(s, &bytes) > 1 || bytes;
}

void sock_local_release(struct vk_desc *d)
{
	struct vk_sock *s = sock_of(d);
	bool lingers_not = s->family != NET_UNIX && s->options.lingers && !s->options.linger;
	part(s, has_unread(s) || lingers_not);
	sock_data_drop(s, s->held);
}

/* ---- listeners ---- */

static bool listens_at(const struct vk_desc *d, const struct net_address *to, u16 type)
{
	const struct vk_sock *s = sock_of(d);
	return d->kind == VK_SOCKET && s->flavour == SOCK_LISTEN && !(s->shut & SHUT_READ) &&
	       s->type == type && sock_is_reached(s, to);
}

struct vk_desc *sock_local_listener(const struct net_address *to, u16 type)
{
	for (u32 i = 0; i < vk->desc_limit; i++)
		if (listens_at(&vk->desc[i], to, type))
			return &vk->desc[i];
	return NULL;
}

static u32 queue_len(const struct vk_sock *l)
{
	u32 n = 0;
	while (n < SOCK_BACKLOG && l->queue[n])
		n++;
	return n;
}

bool sock_local_room(const struct vk_desc *l)
{
	return queue_len(sock_of(l)) <= sock_of(l)->backlog;
}

struct vk_desc *sock_local_take(struct vk_desc *l)
{
	struct vk_sock *s = sock_of(l);
	u32 first = s->queue[0];
	if (!first)
		return NULL;
	sock_declare(s);
	memmove(s->queue, s->queue + 1, sizeof(s->queue) - sizeof(s->queue[0]));
	s->queue[SOCK_BACKLOG - 1] = 0;
	return &vk->desc[first - 1];
}

void sock_local_unlisten(struct vk_desc *l)
{
	struct vk_desc *d;
	while ((d = sock_local_take(l))) {
		part(sock_of(d), true);
		vk_desc_put(d);
	}
}

/* ---- connecting ---- */

static const u8 v4_mapped[12] = {[10] = 0xff, [11] = 0xff};

struct net_address sock_address_in_family(u16 family, const struct net_address *a)
{
	HD_WIDE_FRAME();
	struct net_address out = *a;
	if (a->family == family || family == NET_UNIX)
		return out;
	memset(out.ip, 0, sizeof(out.ip));
	out.family = family;
	if (family == NET_INET6) {
		memcpy(out.ip, v4_mapped, sizeof(v4_mapped));
		memcpy(out.ip + sizeof(v4_mapped), a->ip, 4);
	} else {
		memcpy(out.ip, a->ip + sizeof(v4_mapped), 4);
	}
	return out;
}

/* The end that accept will give: TCP's is a copy of its listener, the Unix domain's a fresh one. */
static void name_ends(struct vk_sock *s, struct vk_sock *end, const struct vk_sock *l,
		      const struct net_address *to)
{
	if (s->family == NET_UNIX) {
		s->remote = end->local = l->local;
		end->remote = s->local;
		end->remote.family = NET_UNIX;
		end->remote.type = s->type;
		/* It has the name, but does not keep others from taking it. */
	} else {
		s->remote = *to;
		end->local = sock_address_in_family(l->family, to);
		end->remote = sock_address_in_family(l->family, &s->local);
		end->options = l->options;
		end->receive_timeout = l->receive_timeout;
		end->send_timeout = l->send_timeout;
		end->bound = 1;
	}
}

long sock_local_connect(struct vk_call *c, struct vk_desc *d, struct vk_desc *l, const struct net_address *to)
{
	struct vk_sock *s = sock_of(d), *ls = sock_of(l);
	u32 at = queue_len(ls);
	if (at == SOCK_BACKLOG) {
		vk_refuse(c, "limit: connect (more than 32 connections not yet accepted)");
		return -ECONNREFUSED;
	}
	struct vk_desc *end = sock_new(ls->family, ls->type, ls->protocol, 0);
	if (!end)
		return vk_desc_none(c);
	if (s->family != NET_UNIX)
		sock_bind_ephemeral(d, to);
	name_ends(s, sock_of(end), ls, to);
	join(d, end);
	sock_declare(ls);
	ls->queue[at] = (u16)(vk_desc_slot(end) + 1);
	sock_wake(ls, POLLIN | POLLRDNORM);
	sock_wake(s, 0);
	return 0;
}

/* ---- pairs ---- */

static void name_pair(struct vk_sock *s)
{
	s->remote = (struct net_address){.family = NET_UNIX, .type = s->type};
}

/* Both or none. */
static bool make_pair(u16 type, u32 flags, struct vk_desc *pair[2])
{
	for (u32 i = 0; i < 2; i++) {
		pair[i] = sock_new(NET_UNIX, type, 0, flags);
		if (!pair[i] && i)
			vk_desc_put(pair[0]);
		if (!pair[i])
			return false;
	}
	u8 flavour = sock_of(pair[0])->flavour;
	join(pair[0], pair[1]);
	for (u32 i = 0; i < 2; i++) {
		name_pair(sock_of(pair[i]));
		if (type == NET_DGRAM)
			sock_of(pair[i])->flavour = flavour;
	}
	return true;
}

static long install_pair(struct vk_desc *pair[2], int *fds, bool cloexec)
{
	long a = vk_fd_install(pair[0], cloexec);
	if (a < 0) {
		vk_desc_put(pair[1]);
		return a;
	}
	long b = vk_fd_install(pair[1], cloexec);
	if (b < 0) {
		vk_fd_drop((int)a);
		return b;
	}
	fds[0] = (int)a;
	fds[1] = (int)b;
	return 0;
}

long vk_sys_socketpair(struct vk_call *c)
{
	u32 flags = (u32)c->a[1] & ~SOCK_TYPE_MASK_, type = (u32)c->a[1] & SOCK_TYPE_MASK_;
	int *fds = vk_user(c->a[3]);
	struct vk_desc *pair[2];
	if (flags & ~(u32)(O_NONBLOCK | O_CLOEXEC))
		return -EINVAL;
	if (!vk_user_out_ok((u64)fds, 2 * sizeof(*fds)))
		return -EFAULT;
	long err = sock_check(c, (u32)c->a[0], type, (u32)c->a[2]);
	if (err || c->a[0] != NET_UNIX)
		return err ? err : -EOPNOTSUPP;
	vk_fd_take(c, 0, 2);
	if (!make_pair((u16)(type == SOCK_RAW_ ? NET_DGRAM : type), flags & O_NONBLOCK, pair))
		return vk_desc_none(c);
	return install_pair(pair, fds, flags & O_CLOEXEC);
}
