/*
 * sock_op.c: the steps of sockets: when they can go on, and how they are told to people.
 */
#include <asm/signal.h>

#include "runtime/net/net.h"
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"
#include "runtime/vkernel/sockets/sock_fault.h"

static const struct vk_sock *socket_of(const struct op *o)
{
	return (const struct vk_sock *)o->object;
}

static const struct vk_desc *desc_of(const struct op *o)
{
	return &vk->desc[socket_of(o) - vk->sock];
}

static const struct sock_ops *ops_of(const struct op *o)
{
	return sock_flavours[socket_of(o)->flavour];
}

/* ---- when can it go on? ---- */

static void recv_resolve(const struct fiber *f, const struct op *o)
{
	(void)f;
	sock_resolve(desc_of(o));
}

static u32 recv_outcomes(const struct fiber *f, const struct op *o)
{
	const struct sock_ops *ops = ops_of(o);
	(void)f;
	if (ops->recv_outcomes)
		return ops->recv_outcomes(desc_of(o), o);
	if (!(o->n & MSG_DONTWAIT_) && ops->can_recv && !ops->can_recv(desc_of(o), o))
		return 0;
	return ops->sources ? HD_MAX(ops->sources(desc_of(o)), 1u) : 1;
}

static u32 send_outcomes(const struct fiber *f, const struct op *o)
{
	const struct sock_ops *ops = ops_of(o);
	(void)f;
	if (ops->send_outcomes)
		return ops->send_outcomes(desc_of(o), o);
	return (o->n & MSG_DONTWAIT_) || !ops->can_send || ops->can_send(desc_of(o), o);
}

/*
 * Nobody knows who came first, a client or a connection from inside: see sock_listen.c. Who does not wait
 * may find that none has arrived: the last outcome.
 */
static u32 accept_outcomes(const struct fiber *f, const struct op *o)
{
	u32 n = recv_outcomes(f, o) ? sock_arrivals(desc_of(o)) : 0;
	if (!n)
		return recv_outcomes(f, o);
	return n + ((o->n & MSG_DONTWAIT_) && sock_accept_may_fail(desc_of(o)));
}

/* Only a listener inside can make a connect wait. arg2: the address. */
static u32 connect_outcomes(const struct fiber *f, const struct op *o)
{
	const struct vk_desc *l = sock_listener((const struct net_address *)o->arg2, socket_of(o)->type);
	(void)f;
	return (o->n & MSG_DONTWAIT_) || !l || sock_local_room(l);
}

/* ---- in words ---- */

void sock_describe_number(const struct vk_desc *d, struct text *t)
{
	for (int fd = 0; fd < (int)vk->fd_limit; fd++)
		if (vk_fd_peek(fd) == d) {
			text_dec(t, fd);
			return;
		}
	text_str(t, "-");
}

static void describe_socket(const struct op *o, struct text *t)
{
	ops_of(o)->describe(desc_of(o), t);
}

static void describe_count(u64 n, struct text *t)
{
	text_dec(t, (long)n);
	text_str(t, n == 1 ? " byte" : " bytes");
}

void sock_describe_data(const u8 *data, u64 n, struct text *t)
{
	describe_count(n, t);
	text_str(t, " \"");
	text_escaped(t, data, HD_MIN(n, (u64)SOCK_SHOWN));
	text_str(t, n > SOCK_SHOWN ? "…\"" : "\"");
}

/* The SUT's buffers may have gone since the call checked them. */
static u64 peek_uio(const struct vk_uio *from, u8 *to)
{
	struct vk_uio u = *from;
	for (u32 i = u.at; i < u.count; i++)
		if (u.iov[i].iov_len && !vk_user_ok((u64)u.iov[i].iov_base, u.iov[i].iov_len))
			return 0;
	return vk_uio_in(&u, to, SOCK_SHOWN);
}

static void send_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	u8 data[SOCK_SHOWN];
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "is about to send " : "sends ");
	if (socket_of(o)->flavour == SOCK_PEER && o->arg2 && peek_uio((const struct vk_uio *)o->arg2, data))
		sock_describe_data(data, o->arg, t);
	else
		describe_count(o->arg, t);
	text_str(t, " on ");
	describe_socket(o, t);
	if (alt == ALT_TIMEOUT)
		text_str(t, ", and gives up: time-out");
	else if (alt != OP_DESCRIBE_PENDING && socket_of(o)->flavour == SOCK_PEER)
		sock_describe_peer_send(o, alt, t);
}

static void recv_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "waits to read from " : "reads from ");
	describe_socket(o, t);
	if (alt == ALT_TIMEOUT)
		text_str(t, ", and gives up: time-out");
	else if (alt != OP_DESCRIBE_PENDING && socket_of(o)->flavour == SOCK_PEER)
		sock_describe_peer_recv(o, alt, t);
	else if (alt != OP_DESCRIBE_PENDING && socket_of(o)->flavour == SOCK_DATAGRAM)
		sock_describe_source(socket_of(o), alt, t);
}

static void connect_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "is about to connect " : "connects ");
	describe_socket(o, t);
	text_str(t, " to ");
	sock_describe_address((const struct net_address *)o->arg2, t);
	if (alt == ALT_TIMEOUT)
		text_str(t, ", and gives up: time-out");
}

static void accept_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "waits to accept a connection on " : "accepts ");
	if (alt != OP_DESCRIBE_PENDING)
		sock_describe_next(desc_of(o), alt, t);
	describe_socket(o, t);
	if (alt == OP_DESCRIBE_PENDING && !recv_outcomes(f, o))
		text_str(t, " (no client is left)");
	if (alt == ALT_TIMEOUT)
		text_str(t, ", and gives up: time-out");
}

static void shutdown_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	static const char *const side[] = {"", "reading on ", "writing on ", "reading and writing on "};
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "is about to end " : "ends ");
	text_str(t, side[o->arg & 3]);
	describe_socket(o, t);
}

/* ---- what they touch ---- */

static void declare_socket(const struct vk_sock *s, enum access_mode mode)
{
	access_declare(vk_socket_object((u32)(s - vk->sock)), 1, mode);
}

/* Clients come to whoever waits for them; which one is next depends on who was taken. */
static bool meets_clients(const struct vk_sock *s)
{
	return s->flavour == SOCK_LISTEN || sock_expects_clients(s) || sock_client_connected(s);
}

void sock_declare_poll(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d), *other = sock_partner(s);
	declare_socket(s, ACCESS_READ);
	if (other) /* the room it has */
		declare_socket(other, ACCESS_READ);
	if (meets_clients(s))
		access_declare(VK_CLIENTS, 1, ACCESS_READ);
}

/* Of recv, accept and shutdown; and of send, but for datagrams to who is found when it is taken. */
static void socket_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	const struct vk_sock *s = socket_of(o), *other = sock_partner(s);
	(void)f;
	(void)alt;
	vk_op_looked_up(o);
	declare_socket(s, ACCESS_WRITE);
	if (other)
		declare_socket(other, ACCESS_WRITE);
	if (meets_clients(s))
		access_declare(VK_CLIENTS, 1, ACCESS_WRITE);
}

/* Does it say something to a server? A datagram may be the first that goes there. */
static void joint_accesses(const struct vk_sock *s)
{
	if (s->pos.connection || s->flavour == SOCK_DATAGRAM)
		sock_joint_accesses(s);
}

void sock_close_accesses(const struct vk_desc *d)
{
	if (sock_of(d)->pos.connection)
		sock_joint_accesses(sock_of(d));
}

static void shutdown_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	socket_accesses(f, o, alt);
	joint_accesses(socket_of(o));
}

/* arg2: the receiver's slot + 1, of datagrams in the Unix domain */
static void send_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	socket_accesses(f, o, alt);
	joint_accesses(socket_of(o));
	if (o->arg2 && socket_of(o)->flavour == SOCK_DATAGRAM && socket_of(o)->family == NET_UNIX)
		declare_socket(&vk->sock[o->arg2 - 1], ACCESS_WRITE);
}

static void connect_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	const struct vk_desc *l = sock_listener((const struct net_address *)o->arg2, socket_of(o)->type);
	socket_accesses(f, o, alt);
	if (l)
		declare_socket(sock_of(l), ACCESS_WRITE);
	else if (socket_of(o)->flavour != SOCK_DATAGRAM)
		sock_joint_accesses(socket_of(o));
}

/* What is known to have arrived is there: nobody gives up waiting for it. */
static bool arrival_late(const struct fiber *f, const struct op *o)
{
	const struct vk_sock *s = socket_of(o);
	(void)f;
	return !s->arrived && !s->end_arrived && !s->held && !s->fin_seen && !s->was_reset && !s->error &&
	       !(s->shut & SHUT_READ);
}

/* Nothing is read, nothing is accepted, nothing is sent: those that do so again and again are busy
   waiting. */

static bool recv_in_vain(const struct fiber *f, const struct op *o, u32 alt)
{
	const struct vk_sock *s = socket_of(o);
	(void)f;
	if (s->flavour == SOCK_PEER)
		return alt < OP_DESCRIBE_PENDING && sock_peer_recv_in_vain(o, alt);
	return s->flavour == SOCK_DATAGRAM ? alt >= sock_sources(s) : s->flavour == SOCK_LOCAL && !s->held;
}

static bool accept_in_vain(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	return alt >= sock_arrivals(desc_of(o)) && alt < OP_DESCRIBE_PENDING;
}

static bool send_in_vain(const struct fiber *f, const struct op *o, u32 alt)
{
	const struct vk_sock *s = socket_of(o);
	(void)f;
	if (s->flavour == SOCK_PEER)
		return alt < OP_DESCRIBE_PENDING && sock_peer_send_in_vain(o, alt);
	bool gone = (s->shut & SHUT_WRITE) || !sock_partner(s);
	return s->flavour == SOCK_LOCAL && (gone || !sock_data_room(sock_partner(s)));
}

static bool look_in_vain(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)o;
	(void)alt;
	return true;
}

/*
 * Event loops: who does not wait, and gets what it tries for. (Programs that wait in these calls keep a state
 * for each.) The end of a connection is told once.
 */
static bool recv_merges(const struct op *o)
{
	const struct vk_sock *s = socket_of(o);
	bool ends = s->flavour == SOCK_PEER && s->end_arrived && !s->fin_seen && !s->was_reset;
	return (o->n & MSG_DONTWAIT_) && (ends || !recv_in_vain(NULL, o, 0));
}

static bool accept_merges(const struct op *o)
{
	return (o->n & MSG_DONTWAIT_) && !accept_in_vain(NULL, o, 0);
}

static bool send_merges(const struct op *o)
{
	return (o->n & MSG_DONTWAIT_) && !send_in_vain(NULL, o, 0);
}

const struct op_class op_recv = {.name = "receive",
				 .resolve = recv_resolve,
				 .outcomes = recv_outcomes,
				 .describe = recv_describe,
				 .accesses = socket_accesses,
				 .late = arrival_late,
				 .in_vain = recv_in_vain,
				 .merges = recv_merges,
				 .faults = sock_recv_faults,
				 .wait = sock_wait};
/* A peer that does not read; inside, anybody may. */
static struct op_wait send_wait(const struct op *o)
{
	if (socket_of(o)->flavour != SOCK_PEER || send_in_vain(NULL, o, 0))
		return (struct op_wait){.what = WAIT_ANYONE};
	return (struct op_wait){.what = WAIT_PEER, .peer = &socket_of(o)->pos};
}

const struct op_class op_send = {.name = "send",
				 .outcomes = send_outcomes,
				 .describe = send_describe,
				 .accesses = send_accesses,
				 .in_vain = send_in_vain,
				 .merges = send_merges,
				 .faults = sock_send_faults,
				 .wait = send_wait};
const struct op_class op_connect = {.name = "connect",
				    .outcomes = connect_outcomes,
				    .describe = connect_describe,
				    .accesses = connect_accesses,
				    .faults = sock_connect_faults};
const struct op_class op_accept = {.name = "accept",
				   .resolve = recv_resolve,
				   .outcomes = accept_outcomes,
				   .describe = accept_describe,
				   .accesses = socket_accesses,
				   .late = arrival_late,
				   .in_vain = accept_in_vain,
				   .merges = accept_merges,
				   .wait = sock_wait,
				   .patient = true};
const struct op_class op_shutdown = {
	.name = "shut down", .describe = shutdown_describe, .accesses = shutdown_accesses};

/* ---- a look at how far the network has come: of a connection under way, or (arg) of so many bytes ---- */

static void ways_seen(const struct op *o, struct sock_news *n)
{
	const struct vk_sock *s = socket_of(o);
	if (s->flavour == SOCK_PEER && o->arg)
		sock_news_read(s, o->arg, n);
	else
		sock_news_connect(s, n);
}

/* Who waits, and who need not, finds the connection there, and all that will come. */
static bool looks_until_done(const struct op *o)
{
	if (socket_of(o)->flavour == SOCK_PEER)
		return sock_always(NET_READ_ALWAYS);
	return socket_of(o)->flavour == SOCK_CONNECTING &&
	       (!(o->n & MSG_DONTWAIT_) || sock_always(NET_CONNECT_ALWAYS));
}

static u32 look_outcomes(const struct fiber *f, const struct op *o)
{
	struct sock_news n;
	(void)f;
	ways_seen(o, &n);
	return looks_until_done(o) ? 1 : n.count;
}

static void look_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	struct sock_news n;
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "is about to look at " : "looks at ");
	describe_socket(o, t);
	ways_seen(o, &n);
	if (alt >= n.count)
		return;
	const struct sock_arrival *a = &n.way[looks_until_done(o) ? n.count - 1 : alt];
	if (socket_of(o)->flavour == SOCK_PEER) {
		text_str(t, ": ");
		describe_count(a->bytes, t);
	} else if (socket_of(o)->flavour == SOCK_CONNECTING) {
		text_str(t, a->under_way             ? ": still under way"
			    : socket_of(o)->pos.tree ? ": it is there"
						     : ": it was refused");
	}
}

const struct op_class op_socket_look = {.name = "look at a socket",
					.resolve = recv_resolve,
					.outcomes = look_outcomes,
					.describe = look_describe,
					.in_vain = look_in_vain,
					.faults = sock_look_faults,
					.accesses = socket_accesses};

long sock_look(struct vk_call *c, struct vk_desc *d, u64 bytes, u32 flags)
{
	struct op o = {.kind = OP_SOCKET_LOOK,
		       .object = (u64)sock_of(d),
		       .arg = bytes,
		       .n = flags | (sock_nonblocking(d, flags) ? MSG_DONTWAIT_ : 0)};
	long alt = vk_step(c, &o);
	struct sock_news n;
	if (alt == VK_RESTART)
		return alt;
	ways_seen(&o, &n);
	sock_arrive(d, &n.way[looks_until_done(&o) ? n.count - 1 : (u32)alt]);
	return 0;
}

/* ---- making them ---- */

bool sock_nonblocking(const struct vk_desc *d, u32 flags)
{
	return (d->flags & O_NONBLOCK) || (flags & MSG_DONTWAIT_);
}

bool sock_is_outside(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	return s->flavour == SOCK_PEER || s->flavour == SOCK_CONNECTING ||
	       (s->flavour == SOCK_LISTEN && !s->queue[0]) || s->pos.tree || sock_expects_clients(s);
}

static u64 receive_timeout(const struct vk_sock *s)
{
	return s->receive_timeout;
}

/* Of peers only one that does not read can make a sender wait, and none makes a connect wait. */
static u64 send_timeout(const struct vk_sock *s)
{
	return s->flavour != SOCK_PEER || net_is_full(&s->pos) ? s->send_timeout : 0;
}

static u64 connect_timeout(const struct vk_sock *s)
{
	return s->flavour != SOCK_PEER ? s->send_timeout : 0;
}

static bool data_may_be_late(const struct vk_sock *s)
{
	return sock_is_outside(&vk->desc[s - vk->sock]);
}

static bool clients_may_be_late(const struct vk_sock *s)
{
	(void)s;
	return true;
}

/* Would it say again that the connection is closed? Who does that in a loop goes round in circles. */

static bool recv_tells_again(const struct vk_sock *s)
{
	bool told = s->flavour == SOCK_PEER ? s->was_reset || s->fin_seen : s->end_told;
	return told || (s->shut & SHUT_READ);
}

static bool send_tells_again(const struct vk_sock *s)
{
	bool gone = s->flavour == SOCK_PEER ? s->was_reset : s->flavour == SOCK_LOCAL && !sock_partner(s);
	return gone || (s->shut & SHUT_WRITE);
}

/* What steps of sockets differ in when they are made. */
static const struct sock_step_traits {
	u16 flags;                                    /* OPF_* */
	bool ends;                                    /* it takes part in VK_ENDS */
	u64 (*timeout)(const struct vk_sock *s);      /* NULL: it never waits */
	bool (*may_be_late)(const struct vk_sock *s); /* OPF_LATE; NULL: no */
	bool (*tells_again)(const struct vk_sock *s); /* sched_tries, though it may wait; NULL: no */
} step_traits[] = {
	[OP_RECV] = {OPF_CANCEL | OPF_EINTR | OPF_RESTART, false, receive_timeout, data_may_be_late,
		     recv_tells_again},
	[OP_SEND] = {OPF_CANCEL | OPF_EINTR | OPF_RESTART, true, send_timeout, NULL, send_tells_again},
	[OP_ACCEPT] = {OPF_CANCEL | OPF_EINTR | OPF_RESTART, false, receive_timeout, clients_may_be_late,
		       NULL},
	[OP_CONNECT] = {OPF_CANCEL, false, connect_timeout, NULL, NULL},
	[OP_SHUTDOWN] = {0, true, NULL, NULL, NULL},
};

static HD_NOINLINE void fill_op(struct op *o, const struct vk_desc *d, u32 flags)
{
	const struct vk_sock *s = sock_of(d);
	const struct sock_step_traits *traits = &step_traits[o->kind];
	bool nonblocking = sock_nonblocking(d, flags);
	o->flags = traits->flags;
	o->n = flags | (nonblocking ? MSG_DONTWAIT_ : 0);
	sched_tries((nonblocking && traits->timeout) || (traits->tells_again && traits->tells_again(s)));
	o->object = (u64)s;
	if (!nonblocking && traits->may_be_late && traits->may_be_late(s))
		o->flags |= OPF_LATE;
	u64 timeout = nonblocking || !traits->timeout ? 0 : traits->timeout(s);
	if (!timeout)
		return;
	o->deadline = clock_deadline(timeout);
	o->flags &= (u16)~OPF_RESTART;
}

long sock_step(struct vk_call *c, struct vk_desc *d, u16 kind, u64 bytes, u32 flags, u64 arg2)
{
	struct op o = {.kind = kind, .arg = bytes, .arg2 = arg2};
	bool ends = step_traits[kind].ends;
	if (ends)
		vk_touch(NULL, VK_ENDS, ACCESS_ADD);
	fill_op(&o, d, flags);
	long alt = vk_step(c, &o);
	if (ends)
		vk_declare(VK_ENDS, ACCESS_ADD);
	return alt;
}

long sock_broken(struct vk_call *c, u32 flags)
{
	if (!(flags & MSG_NOSIGNAL_))
		vk_signal_raise(SIGPIPE, c->pc);
	return -EPIPE;
}
