#include "runtime/vkernel/sockets/sock_fault.h"

#include "runtime/net/net.h"
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/sockets/sock_abi.h"
#include "wire/wire.h"

void sock_fault_add(struct net_faults *out, const struct vk_desc *d, enum net_fault kind, u32 source)
{
	if ((rt_wire->config.net.faults & kind) && out->count < ALT_FAULTS)
		out->at[out->count++] = (struct net_fault_at){vk_desc_slot(d), kind, source};
}

/* ---- what could happen? ---- */

/* One that is at its end breaks no more. */
static void connection_faults(const struct vk_desc *d, struct net_faults *out)
{
	const struct vk_sock *s = sock_of(d);
	bool over = s->broken || s->was_reset || (s->end_arrived && (s->shut & SHUT_WRITE));
	if (!over && s->family != NET_UNIX)
		sock_fault_add(out, d, NET_FAULT_RESET, 0);
}

/* Of a connect that has not been decided. */
static void connect_faults(const struct vk_desc *d, struct net_faults *out)
{
	const struct vk_sock *s = sock_of(d);
	if (s->refusal || s->refused || s->family == NET_UNIX)
		return;
	sock_fault_add(out, d, NET_FAULT_REFUSE, 0);
	sock_fault_add(out, d, NET_FAULT_TIMEOUT, 0);
}

/* Is there anything inside that a datagram could overtake? */
static bool any_waits_inside(void)
{
	for (u32 i = 0; i < vk->desc_limit; i++)
		if (vk->sock[i].flavour == SOCK_DATAGRAM && vk->sock[i].family != NET_UNIX &&
		    vk->sock[i].held)
			return true;
	return false;
}

static void send_faults(const struct vk_desc *d, struct net_faults *out)
{
	const struct vk_sock *s = sock_of(d);
	if (s->family == NET_UNIX || s->out_fault || s->error)
		return;
	sock_fault_add(out, d, NET_FAULT_LOSS, 0);
	sock_fault_add(out, d, NET_FAULT_DUPLICATE, 0);
	if (any_waits_inside())
		sock_fault_add(out, d, NET_FAULT_REORDER, 0);
}

void sock_poll_faults(const struct vk_desc *d, struct net_faults *out)
{
	switch ((enum sock_flavour)sock_of(d)->flavour) {
	case SOCK_PEER:
		connection_faults(d, out);
		break;
	case SOCK_CONNECTING:
		connect_faults(d, out);
		break;
	case SOCK_DATAGRAM:
		sock_source_faults(d, out);
		break;
	default:
		break;
	}
}

static const struct vk_desc *desc_of(const struct op *o)
{
	return &vk->desc[(const struct vk_sock *)o->object - vk->sock];
}

void sock_look_faults(const struct op *o, struct net_faults *out)
{
	sock_poll_faults(desc_of(o), out);
}

/* Not to who reads what is there. */
void sock_recv_faults(const struct op *o, struct net_faults *out)
{
	const struct vk_sock *s = (const struct vk_sock *)o->object;
	if (s->flavour != SOCK_PEER || (!s->arrived && !s->end_arrived))
		sock_look_faults(o, out);
}

void sock_send_faults(const struct op *o, struct net_faults *out)
{
	if (((const struct vk_sock *)o->object)->flavour == SOCK_DATAGRAM)
		send_faults(desc_of(o), out);
	else
		sock_look_faults(o, out);
}

/* Who does not wait sees it later. */
void sock_connect_faults(const struct op *o, struct net_faults *out)
{
	const struct vk_sock *s = (const struct vk_sock *)o->object;
	const struct net_address *to = (const struct net_address *)o->arg2;
	bool inside = s->flavour != SOCK_IDLE || sock_listener(to, s->type);
	if (!(o->n & MSG_DONTWAIT_) && !inside && s->type == NET_STREAM)
		connect_faults(desc_of(o), out);
}

/* Filled and used between two steps. */
static const struct net_faults *faults_of(const struct op *o)
{
	static struct net_faults list;
	list.count = 0;
	op_class_of(o)->faults(o, &list);
	return &list;
}

u32 vk_faults(const struct op *o)
{
	u32 budget = rt_wire->config.net.fault_budget, n = faults_of(o)->count;
	if (!n || !budget || vk->net_faults < budget)
		return n;
	rt_worker->result.faults_cut = 1;
	return 0;
}

/* ---- it happens ---- */

static void break_connection(struct vk_sock *s)
{
	s->broken = s->end_arrived = 1;
	s->full = 0;
	sock_wake(s, 0);
}

/* A connection that was under way never reached the peer. */
static void fail_connect(struct vk_sock *s, u16 err)
{
	s->refusal = err;
	if (s->pos.connection)
		sock_joint_leave(s);
	s->pos = (struct cache_pos){0};
}

void vk_fault_happens(const struct op *o, u32 n)
{
	const struct net_faults *f = faults_of(o);
	hd_assert(n < f->count);
	struct net_fault_at at = f->at[n];
	struct vk_sock *s = &vk->sock[at.slot];
	sock_declare(s);
	if (rt_wire->config.net.fault_budget)
		vk->net_faults++;
	switch ((enum net_fault)at.kind) {
	case NET_FAULT_RESET:
		break_connection(s);
		break;
	case NET_FAULT_REFUSE:
		fail_connect(s, ECONNREFUSED);
		break;
	case NET_FAULT_TIMEOUT:
		fail_connect(s, ETIMEDOUT);
		break;
	default:
		if (at.source)
			sock_source_fault(s, at.source, (enum net_fault)at.kind);
		else
			s->out_fault = (u8)at.kind;
	}
}

void vk_fault_access(const struct op *o, u32 n)
{
	const struct net_faults *f = faults_of(o);
	hd_assert(n < f->count);
	access_declare(vk_socket_object(f->at[n].slot), 1, ACCESS_WRITE);
	if (f->at[n].source)
		access_declare(VK_CLIENTS, 1, ACCESS_WRITE);
	if (rt_wire->config.net.fault_budget)
		access_declare(VK_NET_FAULTS, 1, ACCESS_WRITE);
}

void vk_describe_fault(const struct op *o, u32 n, struct text *t)
{
	static const char *const what[NET_FAULT_KINDS] = {
		"resets",
		"refuses",
		"lets time out",
		"loses the next datagram",
		"doubles the next datagram",
		"changes the order of the next datagram",
	};
	const struct net_faults *f = faults_of(o);
	if (n >= f->count)
		return;
	const struct net_fault_at *at = &f->at[n];
	const struct vk_desc *d = &vk->desc[at->slot];
	text_str(t, "stays where it is; the network ");
	text_str(t, what[__builtin_ctz(at->kind)]);
	if (at->kind >= NET_FAULT_LOSS && at->source)
		sock_describe_fault_source(at->source, t);
	else if (at->kind >= NET_FAULT_LOSS)
		text_str(t, " sent");
	text_str(t, at->kind < NET_FAULT_LOSS ? " " : " on ");
	sock_ops_of(d)->describe(d, t);
}
