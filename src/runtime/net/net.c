#include "runtime/net/net.h"

#include <linux/errno.h>
#include <string.h>

#include "runtime/rt.h"
#include "runtime/sched/run.h"
#include "runtime/sched/sched.h"
#include "runtime/net/wire_transport.h"
#include "search/search.h"
#include "search/target.h"
#include "wire/wire.h"

static struct cache *cache;
static const struct net_sut *sut;
static bool stopped;     /* the search must end */
static bool over;        /* it has: nothing can be learnt for it any more */
static bool has_unknown; /* a position could not be resolved */
static bool together;    /* one of several workers, of which none uses the network */
static bool wanted;      /* and yet the program does */

void net_register(const struct net_sut *s)
{
	sut = s;
}

static u32 open_list(void *self, const struct cache_pos **out, u32 room)
{
	(void)self;
	return sut ? sut->open_connections(out, room) : 0;
}

/* "1 1 2×3 1": threads in the order in which they moved; the beginning is left out if it is long. */
static void describe_schedule(struct text *t)
{
	enum { SHOWN = 60 };
	u64 len;
	const u32 *path = search_current_path(&len);
	u64 from = len > SHOWN ? len - SHOWN : 0;
	text_str(t, from ? "threads … " : "threads ");
	for (u64 i = from; i < len;) {
		u64 run = 1;
		while (i + run < len && ACTION_FIBER(path[i + run]) == ACTION_FIBER(path[i]))
			run++;
		text_str(t, i == from ? "" : " ");
		text_dec(t, (long)ACTION_FIBER(path[i]) + 1);
		if (run > 1) {
			text_str(t, "×");
			text_dec(t, (long)run);
		}
		i += run;
	}
}

static void schedule(void *self, char *out, size_t cap)
{
	struct text t;
	(void)self;
	text_init(&t, out, cap);
	describe_schedule(&t);
}

bool net_client_is_joint(u32 client)
{
	return rt_wire->learnt.joint_clients[(client - 1) / 64] >> (client - 1) % 64 & 1;
}

/* With all that are like it. False: that was known. */
static bool learn_joint(u32 client)
{
	const struct net_config *c = &rt_wire->config.net;
	bool fresh = false;
	for (u32 i = 0; i < c->clients; i++) {
		if (c->client_class[i] != c->client_class[client - 1] || net_client_is_joint(i + 1))
			continue;
		__atomic_fetch_or(&rt_wire->learnt.joint_clients[i / 64], 1ull << i % 64, __ATOMIC_ACQ_REL);
		fresh = true;
	}
	return fresh;
}

/* Recorded trees tell which clients had several connections at a time. */
static void learn_from_trees(void)
{
	const struct trees *t = cache_trees(cache);
	for (u32 i = 0; i < trees_count(t); i++) {
		const struct tree_key *k = tree_key_of(t, i);
		if (k->joint && k->client - 1 < rt_wire->config.net.clients)
			learn_joint(k->client);
		if (k->joint && !k->client)
			rt_wire->learnt.shared = 1;
	}
}

static bool may_learn_shared(void)
{
	const struct net_config *c = &rt_wire->config.net;
	return c->peers == NET_PEERS_AUTO && c->servers && c->mode != CACHE_LINEAR && c->live && !c->confirm;
}

void net_setup(void)
{
	const struct net_config *c = &rt_wire->config.net;
	cache = cache_create(rt_trees, (enum cache_mode)c->mode, c->live ? wire_transport() : NULL);
	hd_assert(cache);
	if (!c->live)
		learn_from_trees();
	else if (c->peers == NET_PEERS_SHARED && c->servers)
		rt_wire->learnt.shared = 1;
	if (c->confirm)
		cache_set_confirm(cache);
	cache_set_checkpoint(cache, (enum net_checkpoint)c->checkpoint, c->save_all);
	cache_may_join_servers(cache, may_learn_shared() && !rt_wire->learnt.shared);
	cache_set_open_list(cache, open_list, NULL);
	cache_set_schedule(cache, schedule, NULL);
}

/* ---- errors ---- */

static void keep_first(char *to, size_t cap, const char *text)
{
	if (!to[0])
		str_copy(to, cap, text);
}

static bool ever_connected(void)
{
	return trees_stats(cache_trees(cache))->connections != 0; /* trees remember refusals, too */
}

/*
 * What was recorded of a server does not hold: perhaps its connections are not independent of each other.
 * Then the search starts again, with all of them as one conversation. False: that was so already, or can't
 * be.
 */
static bool learn_shared(int err)
{
	bool told = err == CACHE_NONDETERMINISTIC || err == CACHE_INCOMPLETE;
	if (!may_learn_shared() || !told || !cache_error(cache)->of_server || rt_wire->learnt.shared)
		return false;
	keep_first(rt_worker->result.shared_why, sizeof(rt_worker->result.shared_why),
		   cache_error(cache)->text);
	if (over) /* whoever started it may do so again */
		return false;
	rt_wire->learnt.shared = 1;
	cache_forget_servers(cache);
	return true;
}

static void note_nondeterminism(void)
{
	const struct net_config *c = &rt_wire->config.net;
	if (cache_error(cache)->of_client && !c->save_all)
		rt_worker->result.nondeterministic |= WIRE_UNSAVED;
	if ((c->save_all || rt_wire->learnt.shared) && c->checkpoint == NET_CHECKPOINT_ND && !c->confirm)
		rt_worker->result.nondeterministic |= WIRE_UNNOTICED;
}

/* Where the verdict comes from: the first error of each kind is kept for the report. */
static void note_error(int err)
{
	const char *text = cache_error(cache)->text;
	if ((err == CACHE_JOINT && learn_joint(cache_error(cache)->client)) || learn_shared(err)) {
		sched_want_restart();
		return;
	}
	struct wire_result *r = &rt_worker->result;
	if (NET_IS_ERRNO(err)) {
		keep_first(r->refused_by, sizeof(r->refused_by), text);
		return;
	}
	if (err == CACHE_NONDETERMINISTIC)
		note_nondeterminism();
	if (err == CACHE_TOOL)
		keep_first(r->error, sizeof(r->error), text);
	else
		keep_first(r->incomplete, sizeof(r->incomplete), text);
	stopped |= err != CACHE_LEFT;
}

/* A live replay is judged while it still runs: hence after each call. */
static void note_clock_readings(void)
{
	rt_worker->result.checkpoints = *cache_checkpoints(cache);
	rt_worker->result.clock_readings = (u32)cache_clock_readings(cache);
}

/* ---- clients that were taken for idle ---- */

#define IDLE_MAX 512
static struct cache_pos idle[IDLE_MAX];
static u32 idle_count;
static u64 idle_polls; /* when they were last looked at: trees grow by polls only */

static bool same_place(const struct cache_pos *a, const struct cache_pos *b)
{
	return a->tree == b->tree && a->branch == b->branch && a->written == b->written;
}

bool net_waits_for_more(const struct cache_pos *pos)
{
	if (cache_goes_on(cache, pos))
		return true;
	for (u32 i = 0; i < idle_count; i++)
		if (same_place(&idle[i], pos))
			return false;
	if (idle_count < IDLE_MAX)
		idle[idle_count++] = *pos;
	return false;
}

/* Has one of them gone on by now, in another execution? Then it was not idle, and is to be judged again. */
static void look_at_idle(void)
{
	u64 polls = trees_stats(cache_trees(cache))->polls;
	if (hd_likely(!idle_count || polls == idle_polls))
		return;
	idle_polls = polls;
	for (u32 i = 0; i < idle_count;)
		if (cache_goes_on(cache, &idle[i])) {
			idle[i] = idle[--idle_count];
			sched_want_restart();
		} else {
			i++;
		}
}

/* On a fiber: an error of the cache is one of the call, or ends the transition. */
static long settle(int err)
{
	note_clock_readings();
	look_at_idle();
	if (hd_likely(!err))
		return 0;
	note_error(err);
	if (NET_IS_ERRNO(err))
		return err;
	if (stopped)
		sched_stop();
	sched_prune();
}

/* ---- operations ---- */

static struct tree_key key_of(const struct net_address *to, u32 client)
{
	HD_WIDE_FRAME();
	const struct net_config *c = &rt_wire->config.net;
	struct tree_key k = {.to = *to, .client = client};
	HD_WIDE_FRAME();
	k.owner = client ? 0 : sched_self_slot() + 1; /* clients have names of their own */
	k.joint = client && net_client_is_joint(client);
	if (c->identical_clients && k.client)
		k.client = 1;
	return k;
}

void net_share(bool with_others)
{
	together = with_others;
}

bool net_wanted_alone(void)
{
	return together && wanted;
}

static long open_at(const struct tree_key *k, struct cache_pos *pos)
{
	if (hd_unlikely(together)) {
		wanted = true;
		sched_want_restart();
		sched_prune();
	}
	return settle(cache_open(cache, k, pos));
}

static long open_for(const struct net_address *to, u32 client, struct cache_pos *pos)
{
	struct tree_key k = key_of(to, client);
	return open_at(&k, pos);
}

/* What is said on one may change what is answered on the other. */
static void note_several_servers(void)
{
	const struct cache_pos *open[8];
	const struct trees *t = cache_trees(cache);
	u32 n = open_list(NULL, open, HD_ARRAY_LEN(open)), trees = 0;
	bool several = false;
	for (u32 i = 0; i < HD_MIN(n, (u32)HD_ARRAY_LEN(open)); i++)
		several |= open[i]->tree && !tree_key_of(t, open[i]->tree - 1)->client;
	for (u32 i = 0; i < trees_count(t) && !several; i++) {
		trees += !tree_key_of(t, i)->client;
		several = trees > 1;
	}
	rt_worker->result.several_servers |= several;
}

long net_connect(const struct net_address *to, struct cache_pos *pos)
{
	long r = open_for(to, 0, pos);
	if (!r && !rt_worker->result.several_servers)
		note_several_servers();
	return r;
}

long net_accept(const struct net_address *local, u32 client, struct cache_pos *pos)
{
	return open_for(local, client, pos);
}

long net_accept_again(const struct cache_pos *last, struct cache_pos *pos)
{
	return settle(cache_open_again(cache, last, pos));
}

bool net_servers_are_joint(void)
{
	return rt_wire->learnt.shared;
}

long net_connect_joint(struct cache_pos *all, const struct net_address *to, u32 number, struct cache_pos *pos)
{
	const struct tree_key servers = {.joint = 1};
	if (!number) {
		keep_first(rt_worker->result.incomplete, sizeof(rt_worker->result.incomplete),
			   "More than 127 connections at a time to server peers that are one conversation "
			   "(--peers shared) are not followed.");
		stopped = true;
		sched_stop();
	}
	long err = all->tree ? 0 : open_at(&servers, all);
	return err ? err : settle(cache_connect(cache, all, to, number, pos));
}

bool net_comes_again(const struct cache_pos *last)
{
	int found = cache_resolve_again(cache, last);
	if (found < 0)
		settle(found);
	return found > 0;
}

bool net_would_speak(const struct cache_pos *pos)
{
	int found = cache_resolve_late(cache, pos);
	note_clock_readings();
	if (found < 0)
		note_error(found);
	return found > 0;
}

long net_pass_time(struct cache_pos *pos)
{
	return settle(cache_pass_time(cache, pos));
}

long net_leave(struct cache_pos *pos)
{
	return settle(cache_leave(cache, pos));
}

long net_write(struct cache_pos *pos, const void *data, size_t n)
{
	return settle(cache_write(cache, pos, data, n));
}

long net_end(struct cache_pos *pos)
{
	return settle(cache_end(cache, pos));
}

long net_close(struct cache_pos *pos)
{
	return settle(cache_close(cache, pos));
}

void net_copy(const struct cache_pos *pos, u64 skip, void *to, size_t n)
{
	cache_copy(cache, pos, skip, to, n);
}

/* On a fiber an error does not return. */
static void resolved(int err)
{
	note_clock_readings();
	if (!sched_in_fiber())
		look_at_idle();
	if (sched_in_fiber()) {
		settle(err);
	} else if (hd_unlikely(err)) {
		note_error(err);
		has_unknown = true;
	}
}

void net_resolve(const struct cache_pos *pos)
{
	if (!pos->tree)
		return;
	resolved(cache_resolve(cache, pos));
}

void net_resolve_first(const struct net_address *local, u32 client)
{
	struct tree_key k = key_of(local, client);
	resolved(cache_resolve_first(cache, &k));
}

u32 net_first_connections(const struct net_address *local, u32 client)
{
	struct tree_key k = key_of(local, client);
	return cache_first_connections(cache, &k);
}

u32 net_connections(const struct cache_pos *pos)
{
	return cache_connections(cache, pos);
}

bool net_look(const struct cache_pos *pos, u64 *bytes, u32 *flags)
{
	*bytes = *flags = 0;
	if (!pos->tree)
		return false;
	return cache_look(cache, pos, bytes, flags);
}

bool net_is_full(const struct cache_pos *pos)
{
	u64 bytes;
	u32 flags;
	if (hd_likely(pos->written < NET_ROOM) || !net_look(pos, &bytes, &flags) ||
	    (flags & (NET_UNREAD | NET_EOF | NET_RESET)) != NET_UNREAD)
		return false;
	return cache_unread(cache, pos) >= NET_ROOM;
}

u64 net_ask(const struct cache_pos *pos, u32 *flags)
{
	u64 bytes;
	net_resolve(pos);
	net_look(pos, &bytes, flags);
	return bytes;
}

bool net_has_unknown(void)
{
	return has_unknown;
}

bool net_check_silence(const struct cache_pos *pos)
{
	int err = cache_check_silence(cache, pos, sut->closed_any());
	if (err)
		note_error(err);
	return !stopped && !run_wants_restart();
}

/* Recorded trees don't grow, so the answer is the same in every execution. */
bool net_may_serve(const struct net_address *path)
{
	if (rt_wire->config.net.servers || rt_wire->config.net.live)
		return rt_wire->config.net.servers;
	struct tree_key k = {.to = *path};
	return tree_find(cache_trees(cache), &k) != TREE_NONE;
}

u32 net_clients(void)
{
	return rt_wire->config.net.clients;
}

bool net_clients_identical(void)
{
	return rt_wire->config.net.identical_clients;
}

bool net_client_comes_to(u32 client, u16 port)
{
	u16 named = rt_wire->config.net.client_port[client - 1];
	return !named || named == port;
}

bool net_client_is_next(const u64 *taken, u32 client, u16 port)
{
	const struct net_config *c = &rt_wire->config.net;
	for (u32 i = 0; i < client; i++) {
		bool waits = !(taken[i / 64] >> i % 64 & 1) && net_client_comes_to(i + 1, port);
		if (waits && c->client_class[i] == c->client_class[client - 1])
			return i + 1 == client;
	}
	return false;
}

u32 net_next_client(const u64 *taken, u16 port)
{
	const struct net_config *c = &rt_wire->config.net;
	for (u32 i = 0; i < c->clients; i++)
		if (!(taken[i / 64] >> i % 64 & 1) && net_client_comes_to(i + 1, port))
			return i + 1;
	return 0;
}

/* ---- for the engine ---- */

bool net_stopped(void)
{
	return stopped;
}

void net_abort_if_never_connected(void)
{
	const struct net_config *c = &rt_wire->config.net;
	struct wire_result *r = &rt_worker->result;
	if (hd_likely(!r->refused_by[0] || !c->live || c->allow_refused || ever_connected()))
		return;
	keep_first(r->error, sizeof(r->error), r->refused_by);
	stopped = true;
}

void net_step_ended(void)
{
	cache_step_ended(cache);
}

void net_backtracked(void)
{
	cache_backtracked(cache);
}

void net_recheck(void)
{
	over = true;
	int err = cache_recheck(cache, rt_wire->config.net.recheck);
	note_clock_readings();
	if (err)
		note_error(err);
}

u32 net_client_of(const struct cache_pos *pos)
{
	return pos->tree ? tree_key_of(cache_trees(cache), pos->tree - 1)->client : 0;
}

bool net_answered(const struct cache_pos *pos)
{
	return pos->tree && tree_key_of(cache_trees(cache), pos->tree - 1)->to.type != NET_DGRAM &&
	       cache_answered(cache, pos);
}

void net_describe_peer(const struct cache_pos *pos, struct text *t)
{
	text_str(t, cache_peer_note(cache, pos));
}
