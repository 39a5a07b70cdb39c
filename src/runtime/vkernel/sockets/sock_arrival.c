/*
 * sock_arrival.c: how far the network has come. See docs/design/arrival.md.
 *
 * What a peer has said is known to the cache at once, but the network may take its time to bring it. How much
 * of it has arrived is state of the socket (sock_model.h: arrived, end_arrived, full, flavour
 * SOCK_CONNECTING), and it is decided when somebody looks, as outcomes of that step: each way in which the
 * network can have gone on since the last look, as far as this look can tell them apart. Between looks
 * nothing moves.
 *
 *   A1  What has arrived stays: `arrived` is a lower bound that only reading lowers.
 *   A2  The first way is always "nothing new".
 *   A3  Which ways there are depends on the state alone: whoever runs with an outcome counts them again.
 *   A4  A blocking read of what will come anyway has one way, and leaves nothing behind: a program
 *       that only waits has no more states than one without a network between.
 */
#include "runtime/net/net.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"
#include "wire/wire.h"

bool sock_short_io(void)
{
	return rt_wire->config.net.short_io;
}

bool sock_always(enum net_always what)
{
	return rt_wire->config.net.always & what;
}

bool sock_retries_over(u8 failed)
{
	u32 limit = rt_wire->config.net.retries;
	if (!limit || failed < limit)
		return false;
	rt_worker->result.retries_cut = 1;
	return true;
}

void sock_count_attempt(u8 *failed, bool fails)
{
	u32 limit = rt_wire->config.net.retries;
	if (limit)
		*failed = fails ? (u8)HD_MIN(*failed + 1u, limit) : 0;
}

struct sock_arrival sock_arrival_of(const struct vk_sock *s)
{
	return (struct sock_arrival){.bytes = s->arrived,
				     .ended = s->end_arrived,
				     .full = s->full,
				     .under_way = s->flavour == SOCK_CONNECTING && !s->refused};
}

bool sock_peer_look(const struct vk_sock *s, u64 *bytes, u32 *flags)
{
	if (hd_likely(!s->broken))
		return net_look(&s->pos, bytes, flags);
	*bytes = s->arrived; /* what was still on its way is lost */
	*flags = NET_RESET;
	return true;
}

u64 sock_peer_ask(const struct vk_sock *s, u32 *flags)
{
	u64 bytes;
	if (!s->broken)
		net_resolve(&s->pos);
	sock_peer_look(s, &bytes, flags);
	return bytes;
}

static u32 add(struct sock_news *n, struct sock_arrival a)
{
	if (n->count < SOCK_NEWS)
		n->way[n->count++] = a;
	return n->count;
}

/* ---- reading ---- */

#define BOUNDARIES 4u

/*
 * To where can the bytes have come that are beyond `from`, of `have`? To one byte, to the end of the peer's
 * message before the last, all but one, all. `least`: less than that makes no difference.
 */
static u32 boundaries(const struct vk_sock *s, u64 from, u64 have, u64 least, u64 *out)
{
	u64 message = s->message_end ? s->message_end - s->pos.read : 0;
	const u64 at[BOUNDARIES] = {HD_MAX(least, (u64)1), message, have - 1, have};
	u32 n = 0;
	for (u32 i = sock_short_io() ? 0 : BOUNDARIES - 1; i < HD_ARRAY_LEN(at); i++)
		if (at[i] > from && at[i] <= have && at[i] >= least && (!n || at[i] > out[n - 1]))
			out[n++] = at[i];
	return n;
}

/* A read of `bytes` sees how many there are, up to that; and the end, where there are none. */
void sock_news_read(const struct vk_sock *s, u64 bytes, struct sock_news *news)
{
	struct sock_arrival now = sock_arrival_of(s), later = now;
	u64 have, to[BOUNDARIES], last = now.bytes;
	u32 flags;
	news->count = 0;
	add(news, now);
	sock_peer_look(s, &have, &flags);
	if (now.bytes >= bytes)
		return;
	u32 n = boundaries(s, now.bytes, have, 1, to);
	for (u32 i = 0; i < n && last < bytes; i++) {
		/* Without short reads all comes at once, and is there for the next call as well. */
		later.bytes = sock_short_io() ? HD_MIN(to[i], bytes) : to[i];
		if (later.bytes > last)
			add(news, later);
		last = later.bytes;
	}
	if (!have && (flags & (NET_EOF | NET_RESET)) && !now.ended) {
		later.ended = 1;
		add(news, later);
	}
}

/* ---- selectors ---- */

u32 sock_peer_mask(const struct vk_sock *s, const struct sock_arrival *a)
{
	u32 state = 0, mask = a->full || (!s->broken && net_is_full(&s->pos)) ? 0 : POLLOUT | POLLWRNORM;
	u64 have;
	if (a->under_way)
		return 0;
	if (s->flavour == SOCK_CONNECTING && !s->pos.tree)
		return POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM | POLLHUP | POLLRDHUP |
		       (s->error ? POLLERR : 0);
	if (a->ended)
		sock_peer_look(s, &have, &state);
	bool reset = state & NET_RESET, ends = a->ended || (s->shut & SHUT_READ);
	if (a->bytes >= HD_MAX(s->options.low_water, 1u) || ends)
		mask |= POLLIN | POLLRDNORM;
	if (ends)
		mask |= POLLRDHUP;
	if (reset || (ends && (s->shut & SHUT_WRITE)))
		mask |= POLLHUP;
	if (reset && !s->was_reset)
		mask |= POLLERR;
	return mask;
}

static bool shows(const struct sock_news *n, u32 mask)
{
	for (u32 i = 0; i < n->count; i++)
		if (n->mask[i] == mask)
			return true;
	return false;
}

/* A way that this look can tell from those before; by the amount that has arrived as well, if `exact`. */
static void add_visible(const struct vk_sock *s, u32 events, bool exact, struct sock_arrival a,
			struct sock_news *n)
{
	const u32 always = POLLERR | POLLHUP;
	u32 mask = (s->flavour == SOCK_LISTEN ? sock_listen_mask(s, a.bytes) : sock_peer_mask(s, &a)) &
		   (events | always);
	bool news = n->count && (a.bytes != n->way[0].bytes || a.ended != n->way[0].ended);
	if (n->count && (exact && news ? !mask : shows(n, mask)))
		return;
	n->mask[n->count] = mask;
	add(n, a);
}

static void news_of_data(const struct vk_sock *s, u32 events, bool exact, struct sock_arrival a,
			 struct sock_news *n)
{
	u64 have, to[BOUNDARIES];
	u32 flags;
	sock_peer_look(s, &have, &flags);
	u64 from = a.bytes, least = HD_MAX(s->options.low_water, 1u);
	u32 levels = have >= least ? boundaries(s, from, have, least, to) : 0;
	add_visible(s, events, exact, a, n);
	for (u32 i = 0; i < levels && (events & (POLLIN | POLLRDNORM)); i++) {
		a.bytes = to[i];
		add_visible(s, events, exact, a, n);
	}
	if (!(flags & (NET_EOF | NET_RESET)) || a.ended)
		return;
	a.bytes = have;
	a.ended = 1;
	add_visible(s, events, exact, a, n);
}

static void news_of_peer(const struct vk_sock *s, u32 events, bool exact, struct sock_news *n)
{
	struct sock_arrival a = sock_arrival_of(s);
	add_visible(s, events, exact, a, n);
	if (a.under_way) {
		a.under_way = 0;
		if (!s->pos.tree) {
			add_visible(s, events, exact, a, n);
			return;
		}
	}
	news_of_data(s, events, exact, a, n);
	if (!a.full)
		return;
	a.full = 0;
	news_of_data(s, events, exact, a, n);
}

/* How many clients have come matters to edges alone. */
static void news_of_listener(const struct vk_sock *s, u32 events, bool exact, struct sock_news *n)
{
	struct sock_arrival a = sock_arrival_of(s);
	u32 clients = sock_clients_coming(s);
	add_visible(s, events, exact, a, n);
	for (u64 k = a.bytes + 1; k <= clients && (events & (POLLIN | POLLRDNORM)); k++) {
		a.bytes = k;
		add_visible(s, events, exact, a, n);
		if (!exact || n->count > 4)
			break;
	}
}

/*
 * Datagrams: whether one has come from outside, and for edges how many; which ones is decided by who receives
 * them.
 */
static void news_of_datagrams(const struct vk_sock *s, u32 events, bool exact, struct sock_news *n)
{
	struct sock_arrival a = sock_arrival_of(s);
	add(n, a);
	if (!(events & (POLLIN | POLLRDNORM)) || (!exact && (a.bytes || s->held)))
		return;
	u64 coming = sock_datagrams_coming(s);
	for (u64 k = a.bytes + 1; k <= coming && n->count <= 4; k++) {
		a.bytes = k;
		add(n, a);
		if (!exact)
			break;
	}
}

static bool is_forced(const struct vk_sock *s)
{
	return (s->flavour == SOCK_PEER && !s->full && sock_always(NET_READ_ALWAYS)) ||
	       (s->flavour == SOCK_DATAGRAM && sock_always(NET_READ_ALWAYS)) ||
	       (s->flavour == SOCK_LISTEN && sock_always(NET_ACCEPT_ALWAYS)) ||
	       (s->flavour == SOCK_CONNECTING && sock_always(NET_CONNECT_ALWAYS)) ||
	       (s->full && sock_always(NET_WRITE_ALWAYS));
}

void sock_news_poll(const struct vk_desc *d, u32 events, bool exact, struct sock_news *n)
{
	const struct vk_sock *s = sock_of(d);
	n->count = 0;
	if (s->flavour == SOCK_PEER || s->flavour == SOCK_CONNECTING)
		news_of_peer(s, events, exact, n);
	else if (s->flavour == SOCK_LISTEN)
		news_of_listener(s, events, exact, n);
	else if (s->flavour == SOCK_DATAGRAM)
		news_of_datagrams(s, events, exact, n);
	else
		add(n, sock_arrival_of(s));
	n->forced = n->count > 1 && is_forced(s);
	if (!n->forced)
		return;
	n->way[0] = n->way[n->count - 1]; /* all that will come has come */
	n->mask[0] = n->mask[n->count - 1];
	n->count = 1;
}

/* ---- it has come ---- */

/* Whether the connection is there, for who asks for that alone. */
void sock_news_connect(const struct vk_sock *s, struct sock_news *n)
{
	struct sock_arrival a = sock_arrival_of(s);
	n->count = 0;
	add(n, a);
	if (!a.under_way)
		return;
	a.under_way = 0;
	add(n, a);
}

void sock_arrive(struct vk_desc *d, const struct sock_arrival *a)
{
	struct vk_sock *s = sock_of(d);
	sock_declare(s);
	bool more = a->bytes > s->arrived, ends = a->ended && !s->end_arrived, room = s->full && !a->full;
	s->arrived = a->bytes;
	s->end_arrived = a->ended;
	s->full = a->full;
	if (s->flavour == SOCK_CONNECTING && !a->under_way && !s->refused)
		sock_connecting_ends(d);
	if (more || ends)
		sock_wake(s, ends ? 0 : POLLIN | POLLRDNORM);
	if (room)
		sock_wake(s, POLLOUT | POLLWRNORM);
}
