/*
 * sock_dgram_source.c: where a datagram socket's next datagram comes from: from inside the SUT, from the
 * server peer it speaks to, from a client peer. What one sender sends stays in order. Of several senders,
 * each acts in its own time, so any of them may be the first: a receive has an outcome for each that could
 * have sent something by now.
 *
 * S1  The outcomes are numbered by source among those that are ready, which depends on the state alone.
 * S2  Who has looked (MSG_PEEK) gets the same datagram next: the order is decided then.
 */
#include "runtime/net/net.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"
#include "runtime/vkernel/sockets/sock_fault.h"

enum { NOBODY = 0, INSIDE, SERVER, CLIENTS = SERVER /* + number */ };

static bool is_ready(const struct vk_sock *s, u32 source)
{
	if (source == INSIDE)
		return s->held;
	return source == SERVER ? sock_frame_next(&s->pos, s->in_fault) >= 0
				: sock_client_ready(s, source - CLIENTS);
}

static u32 last_source(const struct vk_sock *s)
{
	return s->family == NET_UNIX ? (u32)INSIDE : CLIENTS + net_clients();
}

static bool is_decided(const struct vk_sock *s)
{
	return s->looked_at && is_ready(s, s->looked_at);
}

u32 sock_sources(const struct vk_sock *s)
{
	u32 n = 0;
	if (is_decided(s))
		return 1;
	for (u32 source = INSIDE; source <= last_source(s); source++)
		n += is_ready(s, source);
	return n;
}

u32 sock_source(const struct vk_sock *s, u32 nth)
{
	if (is_decided(s))
		return s->looked_at;
	for (u32 source = INSIDE; source <= last_source(s); source++)
		if (is_ready(s, source) && !nth--)
			return source;
	return NOBODY;
}

/*
 * What a client has sent that has not come yet nobody knows. That so many of its datagrams have arrived is
 * decided all the same, and corrected when the first one is received (sock_source_recv).
 */
#define OF_NEW_CLIENT 3u

u64 sock_datagrams_coming(const struct vk_sock *s)
{
	u64 n = 0;
	for (u32 source = SERVER; source <= last_source(s); source++) {
		const struct dgram_client *c = source > CLIENTS ? &vk->dgram_client[source - CLIENTS - 1]
								: NULL;
		if (!is_ready(s, source))
			continue;
		n += c && !c->socket ? OF_NEW_CLIENT : sock_frames(c ? &c->pos : &s->pos);
	}
	return n;
}

u32 vk_unreceived(void)
{
	for (u32 i = 0; i < vk->desc_limit; i++) {
		const struct vk_sock *s = &vk->sock[i];
		if (vk->desc[i].kind != VK_SOCKET || s->flavour != SOCK_DATAGRAM || !s->arrived ||
		    (s->shut & SHUT_READ))
			continue;
		for (u32 client = 1; client <= net_clients() && s->family != NET_UNIX; client++)
			if (sock_client_ready(s, client))
				return client;
	}
	return 0;
}

bool sock_source_is_outside(u32 source)
{
	return source >= SERVER;
}

static long receive(struct vk_sock *s, u32 source, struct vk_uio *u, u32 flags, struct net_address *from,
		    u32 *out_flags)
{
	if (source == INSIDE)
		return sock_record_take(s, u, flags, from, out_flags);
	if (source > CLIENTS)
		return sock_client_recv(s, source - CLIENTS, u, flags, from, out_flags);
	*from = s->peer;
	return sock_frame_recv(&s->pos, &s->in_fault, u, flags, out_flags);
}

long sock_source_recv(struct vk_sock *s, u32 source, struct vk_uio *u, u32 flags, struct net_address *from,
		      u32 *out_flags)
{
	bool alone = s->family == NET_UNIX || !sock_is_outside(&vk->desc[s - vk->sock]);
	long n = receive(s, source, u, flags, from, out_flags);
	if (n < 0)
		return n;
	s->looked_at = (flags & MSG_PEEK_) && !alone ? (u16)source : NOBODY;
	if (s->arrived)
		s->arrived = HD_MIN(s->arrived, sock_datagrams_coming(s));
	return n;
}

/*
 * It is no step, and can't decide whose datagram is the first; and a client that has not come may have sent
 * something or not.
 */
long sock_source_pending(struct vk_call *c, const struct vk_sock *s)
{
	sock_resolve(&vk->desc[s - vk->sock]);
	u32 source = sock_source(s, 0);
	bool open = !is_decided(s) && (sock_source(s, 1) || source > CLIENTS);
	if (open)
		vk_refuse(c, "ioctl FIONREAD (of datagrams from several senders)");
	if (source == INSIDE)
		return sock_record_len(s);
	if (source <= CLIENTS)
		return HD_MAX(sock_frame_next(&s->pos, s->in_fault), 0L);
	const struct dgram_client *from = &vk->dgram_client[source - CLIENTS - 1];
	return HD_MAX(sock_frame_next(&from->pos, from->in_fault), 0L);
}

/* ---- faults of the network ---- */

/* Of one that has arrived, or was looked at, nothing happens any more. */
void sock_source_faults(const struct vk_desc *d, struct net_faults *out)
{
	const struct vk_sock *s = sock_of(d);
	for (u32 source = SERVER; source <= last_source(s) && !s->arrived && !s->looked_at; source++) {
		const struct dgram_client *c = source > CLIENTS ? &vk->dgram_client[source - CLIENTS - 1]
								: NULL;
		if (!is_ready(s, source) || (c ? c->in_fault : s->in_fault))
			continue;
		sock_fault_add(out, d, NET_FAULT_LOSS, source);
		if (c && !c->socket) /* it has not come yet, and then it does */
			continue;
		sock_fault_add(out, d, NET_FAULT_DUPLICATE, source);
		if (sock_frame_is_followed(c ? &c->pos : &s->pos))
			sock_fault_add(out, d, NET_FAULT_REORDER, source);
	}
}

void sock_source_fault(struct vk_sock *s, u32 source, enum net_fault kind)
{
	struct dgram_client *c = source > CLIENTS ? &vk->dgram_client[source - CLIENTS - 1] : NULL;
	if (c)
		vk_declare(VK_CLIENTS, ACCESS_WRITE);
	if (kind == NET_FAULT_LOSS) {
		if (c)
			sock_client_lose(s, source - CLIENTS);
		else
			sock_frame_skip(&s->pos);
		return;
	}
	*(c ? &c->in_fault : &s->in_fault) = kind == NET_FAULT_DUPLICATE ? DGRAM_TWICE : DGRAM_OVERTAKEN;
}

void sock_describe_fault_source(u32 source, struct text *t)
{
	if (source <= CLIENTS) {
		text_str(t, " of the server");
		return;
	}
	text_str(t, " of client ");
	text_dec(t, (long)(source - CLIENTS));
}

void sock_describe_source(const struct vk_sock *s, u32 nth, struct text *t)
{
	u32 source = sock_source(s, nth);
	bool choice = sock_sources(s) > 1;
	if (source > CLIENTS)
		sock_describe_client(source - CLIENTS, t);
	else if (choice && source != NOBODY)
		text_str(t, source == INSIDE ? ": from inside" : ": from the server");
}
