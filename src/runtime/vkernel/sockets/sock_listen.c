/*
 * sock_listen.c: listening sockets: listen and accept. A connection from inside the SUT waits in the
 * listener's queue; client peers come when they are accepted: of clients that are alike the lowest number
 * that is left, which depends on what was accepted before and on nothing else; of different ones any; and
 * any whose last connection is over and who opens another one (vk->client_last). Of a joint client, which
 * has several connections at a time, any of them may be the next (sock_joint.c). Accept has an outcome for
 * each of them.
 */
#include "runtime/net/net.h"
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

static bool port_listens(void)
{
	for (u32 i = 0; i < vk->desc_limit; i++)
		if (vk->sock[i].flavour == SOCK_LISTEN && vk->sock[i].family != NET_UNIX)
			return true;
	return false;
}

/* Where the last connection of a client was when it was over, if another one follows; NULL: none does. */
static const struct cache_pos *last_of(u32 client)
{
	if (vk->client_last[client - 1].tree)
		return &vk->client_last[client - 1];
	for (u32 i = 0; i < vk->desc_limit; i++) {
		const struct vk_sock *s = &vk->sock[i];
		u64 bytes;
		u32 flags;
		if (vk->desc[i].kind == VK_SOCKET && s->flavour == SOCK_PEER && s->client == client &&
		    net_look(&s->pos, &bytes, &flags) && (flags & NET_AGAIN))
			return &s->pos;
	}
	return NULL;
}

static bool is_taken(u32 client)
{
	return vk->client_taken[(client - 1) / 64] >> (client - 1) % 64 & 1;
}

static bool may_come(const struct vk_sock *l, u32 client)
{
	if (is_taken(client))
		return net_client_comes_to(client, l->local.port) && last_of(client);
	return net_client_is_next(vk->client_taken, client, l->local.port);
}

/*
 * Of a joint client: the connection with this number (from 0) among those that wait, or 0: *nth is less
 * then.
 */
static u32 nth_connection(const struct vk_sock *l, u32 client, u32 *nth)
{
	bool next = is_taken(client) || net_client_is_next(vk->client_taken, client, l->local.port);
	if (!next || !net_client_comes_to(client, l->local.port))
		return 0;
	u32 opened = sock_joint_opened(l, client, is_taken(client));
	for (u32 k = 1; k <= opened; k++)
		if (!sock_joint_is_taken(client, k) && !(*nth)--)
			return k;
	return 0;
}

/*
 * The client with this number (from 0) among those who may come; 0: there is none. *connection: of a joint
 * client, which one. A client that names no port comes to a path only where it can't come to a port.
 */
static u32 nth_comer(const struct vk_sock *l, u32 nth, u32 *connection)
{
	*connection = 0;
	if (l->family == NET_UNIX && (!l->local.path[0] || port_listens()))
		return 0;
	for (u32 client = 1; client <= net_clients(); client++) {
		if (net_client_is_joint(client)) {
			if ((*connection = nth_connection(l, client, &nth)))
				return client;
		} else if (may_come(l, client) && !nth--) {
			return client;
		}
	}
	return 0;
}

static u32 nth_client(const struct vk_sock *l, u32 nth)
{
	u32 connection;
	return nth_comer(l, nth, &connection);
}

struct vk_desc *sock_listener(const struct net_address *to, u16 type)
{
	long err;
	if (to->family != NET_UNIX || !to->path[0])
		return sock_local_listener(to, type);
	struct vk_desc *l = sock_at_path(to, &err);
	bool fits = l && sock_of(l)->flavour == SOCK_LISTEN && sock_of(l)->type == type;
	return fits && !(sock_of(l)->shut & SHUT_READ) ? l : NULL;
}

/* ---- listen ---- */

static long may_listen(const struct vk_sock *s)
{
	if (s->type == NET_DGRAM)
		return -EOPNOTSUPP;
	if (s->flavour != SOCK_IDLE && s->flavour != SOCK_LISTEN)
		return -EINVAL;
	return s->family == NET_UNIX && !s->bound ? -EINVAL : 0;
}

static long start_listening(struct vk_desc *d, int backlog)
{
	struct vk_sock *s = sock_of(d);
	if (!s->bound)
		sock_bind_ephemeral(d, NULL);
	u8 before = s->flavour;
	s->flavour = SOCK_LISTEN;
	if (s->family != NET_UNIX && sock_port_taken(s)) {
		s->flavour = before;
		return -EADDRINUSE;
	}
	/* As unsigned: negative is a lot. Linux lets one more in. */
	sock_declare(s);
	vk_declare(VK_CLIENTS, ACCESS_WRITE);
	s->backlog = (u16)HD_MIN((u32)backlog, 4096u); /* net.core.somaxconn */
	if (s->family != NET_UNIX)                     /* which stays shut down for ever */
		s->shut = 0;
	return 0;
}

long vk_sys_listen(struct vk_call *c)
{
	long err;
	struct vk_desc *d = sock_use(c, (int)c->a[0], &err);
	if (!err)
		err = may_listen(sock_of(d));
	if (err)
		return err;
	vk_use(c, vk_socket_name_object(vk_desc_slot(d)), ACCESS_WRITE);
	sock_port_change(c, &sock_of(d)->local);
	err = may_listen(sock_of(d));
	return err ? err : start_listening(d, (int)c->a[1]);
}

/* ---- accept ---- */

/*
 * Where clients come to. Who listens on all addresses of IPv6 takes IPv4, too, and that is what clients of
 * this machine mostly speak.
 */
struct net_address sock_client_address(const struct vk_sock *l)
{
	static const u8 any[16];
	struct net_address a = l->local;
	if (a.family == NET_INET6 && !memcmp(a.ip, any, sizeof(any)) && !sock_option(l, SOCK_ONLY_IPV6)) {
		a.family = NET_INET;
		a.path_len = 1; /* ::1 leads here, too */
	}
	return a;
}

/* What the connection is called on this side: the listener's name, with an address if that has none. */
static void name_accepted(struct vk_desc *d, const struct vk_sock *l, u32 client, u32 connection)
{
	struct vk_sock *s = sock_of(d);
	struct net_address from = {.family = sock_client_address(l).family, .type = l->type};
	from.port = l->family == NET_UNIX ? 0 : sock_port_of_client(client, connection);
	s->local = l->local;
	s->bound = l->family != NET_UNIX; /* a path is the listener's alone */
	from = sock_address_plain(&from);
	s->remote = sock_address_in_family(l->family, &from);
	sock_bind_ephemeral(d, &s->remote);
}

/* TCP's is a copy of its listener, the Unix domain's a fresh one. */
static void inherit(struct vk_sock *s, const struct vk_sock *l)
{
	if (l->family == NET_UNIX)
		return;
	s->options = l->options;
	s->receive_timeout = l->receive_timeout;
	s->send_timeout = l->send_timeout;
}

/* The client has a new connection: what becomes of its old one, which it has given up, does not matter to
   it. */
static void disown(u32 client)
{
	for (u32 i = 0; i < vk->desc_limit; i++)
		if (vk->desc[i].kind == VK_SOCKET && vk->sock[i].client == client) {
			sock_declare(&vk->sock[i]);
			vk->sock[i].client = 0;
		}
}

/* At the position of the connection that was chosen. */
static long open_accepted(const struct vk_sock *l, u32 client, u32 connection, struct cache_pos *pos)
{
	static struct net_address at;
	at = sock_client_address(l);
	if (connection)
		return sock_joint_accept(&at, client, connection, is_taken(client), pos);
	const struct cache_pos *last = is_taken(client) ? last_of(client) : NULL;
	return last ? net_accept_again(last, pos) : net_accept(&at, client, pos);
}

static struct vk_desc *accept_client(struct vk_call *c, struct vk_desc *l, u32 client, u32 connection,
				     long *err)
{
	struct vk_sock *from = sock_of(l);
	struct vk_desc *d = sock_new(from->family, from->type, from->protocol, 0);
	if (!d) {
		*err = vk_desc_none(c);
		return NULL;
	}
	struct vk_sock *s = sock_of(d);
	inherit(s, from);
	*err = open_accepted(from, client, connection, &s->pos);
	if (*err) {
		vk_desc_put(d);
		return NULL;
	}
	s->flavour = SOCK_PEER;
	name_accepted(d, from, client, connection);
	vk_declare(VK_CLIENTS, ACCESS_WRITE);
	vk->client_taken[(client - 1) / 64] |= (u64)1 << (client - 1) % 64;
	if (!connection) {
		vk->client_last[client - 1] = (struct cache_pos){0};
		disown(client);
	}
	s->client = client;
	if (from->arrived)
		from->arrived--;
	return d;
}

u32 sock_clients_left(const struct vk_sock *l)
{
	u32 n = 0;
	while (nth_client(l, n))
		n++;
	return n;
}

/* All of them, those included that come behind another one of their class. */
u32 sock_clients_coming(const struct vk_sock *l)
{
	u32 n = 0;
	for (u32 client = 1; nth_client(l, 0) && client <= net_clients(); client++) {
		if (!net_client_comes_to(client, l->local.port))
			continue;
		if (net_client_is_joint(client))
			n += sock_joint_waiting(l, client, is_taken(client));
		else
			n += !is_taken(client) || last_of(client);
	}
	return n;
}

u32 vk_unaccepted(void)
{
	for (u32 i = 0; i < vk->desc_limit; i++) {
		const struct vk_sock *s = &vk->sock[i];
		bool comes = vk->desc[i].kind == VK_SOCKET && s->flavour == SOCK_LISTEN && s->arrived &&
			     !(s->shut & SHUT_READ);
		if (comes && nth_client(s, 0))
			return nth_client(s, 0);
	}
	return 0;
}

bool sock_accept_may_fail(const struct vk_desc *l)
{
	const struct vk_sock *s = sock_of(l);
	return !s->queue[0] && !s->arrived && !sock_always(NET_ACCEPT_ALWAYS) &&
	       !sock_retries_over(s->failed_in);
}

u32 sock_arrivals(const struct vk_desc *l)
{
	const struct vk_sock *s = sock_of(l);
	if (s->flavour != SOCK_LISTEN)
		return 0;
	if (s->shut & SHUT_READ) /* the Unix domain still gives those that have come */
		return s->queue[0] != 0;
	return (s->queue[0] != 0) + sock_clients_left(s);
}

static HD_NOINLINE struct vk_desc *take_next(struct vk_call *c, struct vk_desc *l, u32 alt, long *err)
{
	bool shut = (sock_of(l)->shut & SHUT_READ) && !sock_of(l)->queue[0];
	if (sock_of(l)->flavour != SOCK_LISTEN || shut) { /* in Linux, who does not wait does not look */
		*err = shut && sock_nonblocking(l, 0) ? -EAGAIN : -EINVAL;
		return NULL;
	}
	bool inside = sock_of(l)->queue[0];
	struct vk_desc *d = alt ? NULL : sock_local_take(l);
	if (d)
		return d;
	u32 connection, client = nth_comer(sock_of(l), alt - inside, &connection);
	*err = -EAGAIN;
	return client ? accept_client(c, l, client, connection, err) : NULL;
}

static long may_accept(const struct vk_sock *s)
{
	if (s->type == NET_DGRAM)
		return -EOPNOTSUPP;
	return s->flavour == SOCK_LISTEN ? 0 : -EINVAL;
}

static bool is_listener(const struct vk_desc *d)
{
	return sock_of(d)->flavour == SOCK_LISTEN;
}

static bool served; /* persistent: some execution had a client */

void sock_note_served(void)
{
	served = true;
}

bool vk_was_served(void)
{
	return served;
}

static long do_accept(struct vk_call *c, u32 flags)
{
	long err;
	struct vk_desc *l = sock_use_late(c, (int)c->a[0], &err, is_listener);
	if (!err && !is_listener(l))
		sock_connected_use(c, l);
	if (!err)
		err = may_accept(sock_of(l));
	if (err)
		return err;
	long alt = sock_step(c, l, OP_ACCEPT, 0, 0, 0);
	if (alt == VK_RESTART)
		return alt;
	if (vk_fd_full()) /* the connection stays where it is */
		return -EMFILE;
	if (alt == ALT_TIMEOUT)
		return -EAGAIN;
	struct vk_desc *d = take_next(c, l, (u32)alt, &err);
	if (sock_nonblocking(l, 0))
		sock_count_attempt(&sock_of(l)->failed_in, !d);
	if (!d)
		return err;
	sock_note_served();
	d->flags |= flags & O_NONBLOCK;
	struct net_address from = sock_of(d)->remote;
	from.family = from.family ? from.family : sock_of(d)->family;
	if (c->a[1] && (err = sock_address_out(&from, (u64)c->a[1], (u64)c->a[2]))) {
		vk_desc_put(d);
		return err;
	}
	vk_fd_take(c, 0, 1);
	return vk_fd_install(d, flags & O_CLOEXEC);
}

long vk_sys_accept(struct vk_call *c)
{
	return do_accept(c, 0);
}

long vk_sys_accept4(struct vk_call *c)
{
	u32 flags = (u32)c->a[3];
	return flags & ~(u32)(O_CLOEXEC | O_NONBLOCK) ? -EINVAL : do_accept(c, flags);
}

/* ---- the object ---- */

static bool can_accept(const struct vk_sock *s)
{
	return s->queue[0] || nth_client(s, 0) || (s->shut & SHUT_READ);
}

static bool listen_can_recv(const struct vk_desc *d, const struct op *o)
{
	(void)o;
	return can_accept(sock_of(d));
}

u32 sock_listen_mask(const struct vk_sock *s, u64 arrived)
{
	bool ready = s->queue[0] || (s->shut & SHUT_READ) || (arrived && nth_client(s, 0));
	u32 mask = ready ? POLLIN | POLLRDNORM : 0;
	mask |= s->shut & SHUT_READ ? POLLRDHUP : 0;
	return s->shut == (SHUT_READ | SHUT_WRITE) ? mask | POLLHUP : mask;
}

static u32 listen_poll(const struct vk_desc *d)
{
	return sock_listen_mask(sock_of(d), sock_of(d)->arrived);
}

/* As Linux: TCP listens no more, until listen is called again. The Unix domain only takes no more. */
static long listen_shutdown(struct vk_desc *d, u32 how)
{
	struct vk_sock *s = sock_of(d);
	if (s->family == NET_UNIX || !(how & SHUT_READ))
		return 0;
	vk_declare(VK_CLIENTS, ACCESS_WRITE);
	sock_local_unlisten(d);
	s->flavour = SOCK_IDLE;
	s->backlog = 0;
	s->arrived = 0;
	if (s->local.port == SOCK_EPHEMERAL + vk_desc_slot(d)) {
		sock_declare_port(&s->local, ACCESS_WRITE);
		s->bound = 0; /* it shows the port that the kernel chose, but holds it no longer */
	}
	return 0;
}

static void listen_release(struct vk_desc *d)
{
	vk_declare(VK_CLIENTS, ACCESS_WRITE);
	sock_local_unlisten(d);
}

static void listen_describe(const struct vk_desc *d, struct text *t)
{
	const struct vk_sock *s = sock_of(d);
	if (s->family == NET_UNIX) {
		sock_describe_address(&s->local, t);
	} else {
		text_str(t, "port ");
		text_dec(t, s->local.port);
	}
}

void sock_describe_next(const struct vk_desc *d, u32 alt, struct text *t)
{
	const struct vk_sock *s = sock_of(d);
	u32 connection = 0;
	u32 client = s->queue[0] && !alt ? 0 : nth_comer(s, alt - (s->queue[0] != 0), &connection);
	text_str(t, connection ? "connection " : client ? "client " : "a connection from inside");
	if (connection) {
		text_dec(t, connection);
		text_str(t, " of client ");
	}
	if (client)
		text_dec(t, client);
	text_str(t, " on ");
}

const struct sock_ops sock_listen_ops = {
	.poll = listen_poll,
	.shutdown = listen_shutdown,
	.release = listen_release,
	.can_recv = listen_can_recv,
	.describe = listen_describe,
};
