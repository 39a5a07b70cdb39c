/*
 * selector.c: see selector.h.
 *
 * A way is a digit for each socket that could have news: which of its own ways (struct sock_news). Ways are
 * numbered by what can be counted from the state alone, and counted again by whoever carries one out.
 */
#include "runtime/vkernel/streams/selector.h"

#include "runtime/net/net.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_fault.h"
#include "wire/wire.h"

#define MAX_SOCKETS 24u
/*
 * All ways are explored of three sockets with news; of five, if that makes no more than so many ways; with
 * --ready-subsets all of any number, as long as there are not too many for the search's lists of actions.
 */
#define FEW_SOCKETS 3u
#define SOME_SOCKETS 5u
#define SOME_WAYS 512u
#define MOST_WAYS 16384u
/* In one subset of so many all orders; with --ready-subsets all. */
#define SOME_ORDERED 4u
#define MOST_ORDERED 7u

/* The sockets of a list that could have news. */
struct candidates {
	u32 count;
	bool forced, cut;
	u32 item[MAX_SOCKETS];
	u8 ways[MAX_SOCKETS]; /* of each: at least one more than nothing new, or forced */
	u8 digit[MAX_SOCKETS];
	bool is_forced[MAX_SOCKETS];
};

static bool is_socket(const struct selector_item *it)
{
	return it->desc && it->desc->kind == VK_SOCKET;
}

/* A description that is in the list several times counts once, with all that it is asked for. */
static bool merge(const struct selector *s, u32 i, struct selector_item *it)
{
	for (u32 k = 0; k < s->count; k++) {
		struct selector_item other;
		s->item(s->list, k, &other);
		if (other.desc != it->desc || k == i)
			continue;
		if (k < i)
			return false;
		it->events |= other.events;
		it->exact |= other.exact;
	}
	return true;
}

static void news_of(const struct selector *s, u32 i, struct sock_news *n)
{
	struct selector_item it;
	n->count = 0;
	n->forced = false;
	s->item(s->list, i, &it);
	if (is_socket(&it) && sock_is_outside(it.desc) && merge(s, i, &it))
		sock_news_poll(it.desc, it.events, it.exact, n);
}

static void find_candidates(const struct selector *s, struct candidates *c)
{
	HD_WIDE_FRAME();
	c->count = 0;
	c->forced = c->cut = false;
	for (u32 i = 0; i < s->count; i++) {
		struct sock_news n;
		news_of(s, i, &n);
		c->forced |= n.forced;
		if (n.count < 2 && !n.forced)
			continue;
		if (c->count == MAX_SOCKETS) {
			c->cut = true;
			return;
		}
		c->item[c->count] = i;
		c->digit[c->count] = 0;
		c->is_forced[c->count] = n.forced;
		c->ways[c->count++] = (u8)n.count;
	}
}

/* ---- numbering ---- */

static bool has_all_orders(u32 news)
{
	return news <= (rt_wire->config.net.all_subsets ? MOST_ORDERED : SOME_ORDERED);
}

/* In how many orders can so many news come? Of too many: forwards and backwards. */
static u32 orders_of(u32 news)
{
	u32 all = 1;
	for (u32 i = 2; i <= news && i <= MOST_ORDERED; i++)
		all *= i;
	return has_all_orders(news) ? all : 2;
}

/* How many ways are there in all, orders included? Beyond MOST_WAYS: more than that. */
static u64 count_product(const struct selector *s, const struct candidates *c)
{
	HD_WIDE_FRAME();
	u64 of_size[MAX_SOCKETS + 1] = {1}, sum = 0; /* how many ways have news of so many sockets */
	HD_WIDE_FRAME();
	for (u32 i = 0; i < c->count; i++)
		for (u32 k = i + 1; k > 0; k--)
			of_size[k] = HD_MIN(of_size[k] + of_size[k - 1] * (c->ways[i] - 1u), MOST_WAYS + 1ul);
	for (u32 k = 0; k <= c->count; k++)
		sum += of_size[k] * (s->ordered ? orders_of(k) : 1);
	return sum;
}

static bool is_full_product(const struct selector *s, const struct candidates *c)
{
	if (c->count <= FEW_SOCKETS)
		return true;
	if (rt_wire->config.net.all_subsets)
		return count_product(s, c) <= MOST_WAYS;
	return c->count <= SOME_SOCKETS && count_product(s, c) <= SOME_WAYS;
}

static bool next_product(struct candidates *c)
{
	for (u32 i = 0; i < c->count; i++) {
		if (++c->digit[i] < c->ways[i])
			return true;
		c->digit[i] = 0;
	}
	return false;
}

/* The nth way beyond nothing new: of one alone, of a pair, of all. */
static bool set_limited(struct candidates *c, u32 nth)
{
	for (u32 i = 0; i < c->count; i++)
		c->digit[i] = 0;
	if (!nth--)
		return true;
	for (u32 i = 0; i < c->count; i++) {
		if (nth < c->ways[i] - 1u) {
			c->digit[i] = (u8)(nth + 1);
			return true;
		}
		nth -= c->ways[i] - 1u;
	}
	for (u32 i = 0; i < c->count; i++)
		for (u32 k = i + 1; k < c->count; k++) {
			if (c->ways[i] < 2 || c->ways[k] < 2 || nth--)
				continue;
			c->digit[i] = c->digit[k] = 1;
			return true;
		}
	for (u32 i = 0; i < c->count; i++)
		c->digit[i] = c->ways[i] > 1;
	return !nth;
}

static u32 moved(const struct candidates *c)
{
	u32 n = 0;
	for (u32 i = 0; i < c->count; i++)
		n += c->digit[i] != 0;
	return n;
}

static u32 orders(const struct selector *s, const struct candidates *c, bool *cut)
{
	u32 n = s->ordered ? moved(c) : 0;
	*cut |= !has_all_orders(n);
	return orders_of(n);
}

/*
 * Sets c to way number `way` and returns the number of its order; for way ~0 returns how many ways there are.
 */
static u32 find_way(const struct selector *s, struct candidates *c, u32 way)
{
	bool full = is_full_product(s, c), more = true;
	u32 sum = 0;
	c->cut |= !full;
	for (u32 nth = 0; more; nth++) {
		if (!full && !set_limited(c, nth))
			break;
		u32 n = orders(s, c, &c->cut);
		if (way - sum < n)
			return way - sum;
		sum += n;
		if (full)
			more = next_product(c);
	}
	return sum;
}

u32 selector_ways(const struct selector *s, bool *forced)
{
	HD_WIDE_FRAME();
	struct candidates c;
	find_candidates(s, &c);
	*forced = c.forced;
	u32 n = c.count ? find_way(s, &c, ~0u) : 1;
	if (c.cut)
		rt_worker->result.subsets_cut = 1;
	return n;
}

bool selector_forced(const struct selector *s)
{
	struct candidates c;
	if (hd_likely(!rt_wire->config.net.always))
		return false;
	HD_WIDE_FRAME();
	find_candidates(s, &c);
	return c.forced;
}

/* ---- carrying one out ---- */

/* The nth permutation; of too many the second is backwards. */
static void reorder(u32 *out, u32 n, u32 order)
{
	if (!has_all_orders(n)) {
		for (u32 i = 0; order && i < n / 2; i++) {
			u32 swap = out[i];
			out[i] = out[n - 1 - i];
			out[n - 1 - i] = swap;
		}
		return;
	}
	for (u32 left = n; left > 1; left--) {
		u32 pick = order % left, *at = out + n - left, chosen = at[pick];
		order /= left;
		for (u32 i = pick; i > 0; i--)
			at[i] = at[i - 1];
		at[0] = chosen;
	}
}

u32 selector_news(const struct selector *s, u32 way, u32 *out, u32 room)
{
	HD_WIDE_FRAME();
	struct candidates c;
	u32 n = 0;
	find_candidates(s, &c);
	if (c.count)
		find_way(s, &c, way);
	for (u32 i = 0; i < c.count; i++) {
		if (!c.digit[i] && !c.is_forced[i])
			continue;
		if (n < room)
			out[n] = c.item[i];
		n++;
	}
	return n;
}

void selector_arrive(const struct selector *s, u32 way)
{
	HD_WIDE_FRAME();
	struct candidates c;
	u32 moving[MAX_SOCKETS], n = 0;
	find_candidates(s, &c);
	if (!c.count)
		return;
	u32 order = find_way(s, &c, way);
	for (u32 i = 0; i < c.count; i++)
		if (c.digit[i] || c.is_forced[i])
			moving[n++] = i;
	if (s->ordered)
		reorder(moving, n, order);
	for (u32 i = 0; i < n; i++) {
		struct sock_news news;
		struct selector_item it;
		news_of(s, c.item[moving[i]], &news);
		s->item(s->list, c.item[moving[i]], &it);
		sock_arrive(it.desc, &news.way[c.digit[moving[i]]]);
	}
}

static u64 returned_in; /* which transition; persistent */

void selector_returns(void)
{
	returned_in = sched_steps();
}

bool selector_again(void)
{
	return returned_in && returned_in == sched_steps();
}

bool selector_looks(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)o;
	return alt != ALT_TIMEOUT;
}

/* ---- what it touches ---- */

void selector_declare(const struct selector *s, u32 way)
{
	HD_WIDE_FRAME();
	struct candidates c;
	for (u32 i = 0; i < s->count; i++) {
		struct selector_item it;
		s->item(s->list, i, &it);
		if (is_socket(&it))
			sock_declare_poll(it.desc);
		else if (it.desc && vk_kinds[it.desc->kind]->waits)
			access_declare(vk_kinds[it.desc->kind]->object(it.desc), 1, ACCESS_READ);
	}
	find_candidates(s, &c);
	if (!c.count)
		return;
	find_way(s, &c, way);
	for (u32 i = 0; i < c.count; i++) {
		struct selector_item it;
		s->item(s->list, c.item[i], &it);
		if (c.digit[i] || c.is_forced[i])
			access_declare(vk_socket_object(vk_desc_slot(it.desc)), 1, ACCESS_WRITE);
	}
}

void selector_resolve(const struct selector *s)
{
	for (u32 i = 0; i < s->count; i++) {
		struct selector_item it;
		s->item(s->list, i, &it);
		if (is_socket(&it))
			sock_resolve(it.desc);
	}
}

void selector_faults(const struct selector *s, struct net_faults *out)
{
	for (u32 i = 0; i < s->count; i++) {
		struct selector_item it;
		s->item(s->list, i, &it);
		if (is_socket(&it) && merge(s, i, &it))
			sock_poll_faults(it.desc, out);
	}
}

bool selector_may_be_late(const struct selector *s)
{
	for (u32 i = 0; i < s->count; i++) {
		struct selector_item it;
		s->item(s->list, i, &it);
		if (is_socket(&it) && sock_is_outside(it.desc))
			return true;
	}
	return false;
}

/*
 * Nobody is asked for anything. A peer that waits for an answer, or has sent what nobody reads, is who this
 * wait is about all the same: a connection that was to be armed again.
 */
static struct op_wait wait_for_muted(const struct selector *s)
{
	for (u32 i = 0; i < s->count; i++) {
		struct selector_item it;
		u64 unread;
		u32 flags;
		s->item(s->list, i, &it);
		if (!it.muted || it.muted->kind != VK_SOCKET)
			continue;
		struct op_wait w = sock_wait_of(sock_of(it.muted));
		if (w.what != WAIT_PEER)
			continue;
		net_resolve(w.peer);
		if (sock_peer_owes(w.peer) || (net_look(w.peer, &unread, &flags) && unread))
			return w;
	}
	return (struct op_wait){.what = WAIT_ANYONE};
}

/*
 * Any of them could end the wait. A peer that owes something weighs more than a client that may come, which
 * weighs more than a client that keeps its connection open.
 */
struct op_wait selector_wait(const struct selector *s)
{
	struct op_wait found = {.what = WAIT_ANYONE};
	for (u32 i = 0; i < s->count; i++) {
		struct selector_item it;
		s->item(s->list, i, &it);
		if (!is_socket(&it))
			continue;
		struct op_wait w = sock_wait_of(sock_of(it.desc));
		if (w.what == WAIT_PEER && sock_peer_owes(w.peer))
			return w;
		if (w.what == WAIT_CLIENT || (w.what == WAIT_PEER && found.what != WAIT_CLIENT))
			found = w;
	}
	return found.what == WAIT_ANYONE ? wait_for_muted(s) : found;
}
