#include "runtime/net/net.h"

#include <linux/errno.h>
#include <string.h>

#include "runtime/rt.h"
#include "runtime/sched/run.h"
#include "runtime/sched/sched.h"
#include "runtime/net/net_idle.h"
#include "runtime/net/net_schedule.h"
#include "runtime/net/wire_transport.h"
#include "search/search.h"
#include "search/target.h"
#include "wire/wire.h"

#define SLEEP_MIN 10000000u /* ns: shorter sleeps are taken for pacing, and teach nothing */

static struct cache *cache;
static const struct net_sut *sut;
static bool stopped;     /* the search must end */
static bool several;     /* workers share the cache */
static bool over;        /* it has: nothing can be learnt for it any more */
static bool has_unknown; /* a position could not be resolved */
/* The lessons that this worker's search goes by: wire/learnt.h. */
static bool shared;
static u64 joint_clients[NET_MAX_CLIENTS / 64];

/* Calls of the cache, as cache.h wants them. */
#define ASK(err, call) \
	do { \
		if (hd_unlikely(several)) \
			cache_lock(cache); \
		(err) = (call); \
	} while (hd_unlikely(several) && cache_unlock(cache, (int)(err)))
#define LOOK(result, call) \
	do { \
		if (hd_unlikely(several)) \
			cache_lock(cache); \
		(result) = (call); \
		if (hd_unlikely(several)) \
			cache_unlock(cache, 0); \
	} while (0)

void net_register(const struct net_sut *s)
{
	sut = s;
}

static u32 open_list(void *self, const struct cache_pos **out, u32 room)
{
	(void)self;
	return sut ? sut->open_connections(out, room) : 0;
}

bool net_client_is_joint(u32 client)
{
	return joint_clients[(client - 1) / 64] >> (client - 1) % 64 & 1;
}

/* With all that are like it. False: that was known. */
static bool learn_joint(u32 client)
{
	const struct net_config *c = &rt_wire->config.net;
	bool fresh = false;
	for (u32 i = 0; i < c->clients; i++) {
		if (c->client_class[i] != c->client_class[client - 1] || net_client_is_joint(i + 1))
			continue;
		joint_clients[i / 64] |= 1ull << i % 64;
		__atomic_fetch_or(&rt_wire->learnt.joint_clients[i / 64], 1ull << i % 64, __ATOMIC_ACQ_REL);
		fresh = true;
	}
	return fresh;
}

static void set_shared(void)
{
	shared = true;
	__atomic_store_n(&rt_wire->learnt.shared, 1, __ATOMIC_RELEASE);
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
			set_shared();
	}
}

static bool may_learn_shared(void)
{
	const struct net_config *c = &rt_wire->config.net;
	return c->peers == NET_PEERS_AUTO && c->servers && c->mode != CACHE_LINEAR && c->live && !c->confirm;
}

static void forget_servers(void)
{
	cache_lock_sole(cache);
	cache_forget_servers(cache);
	cache_unlock(cache, 0);
}

void net_load_lessons(void)
{
	const struct wire_learnt *l = &rt_wire->learnt;
	for (u32 i = 0; i < HD_ARRAY_LEN(joint_clients); i++)
		joint_clients[i] = __atomic_load_n(&l->joint_clients[i], __ATOMIC_ACQUIRE);
	bool now = __atomic_load_n(&l->shared, __ATOMIC_ACQUIRE);
	if (now && !shared) /* another worker has found out */
		forget_servers();
	shared = now;
}

static void wait(bool waits)
{
	cache_wait(cache, waits);
}

void net_setup(void)
{
	const struct net_config *c = &rt_wire->config.net;
	wire_transport_on_wait(wait);
	cache = cache_create_shared(rt_trees, (enum cache_mode)c->mode, c->live ? wire_transport() : NULL,
				    rt_wire->team ? (char *)rt_wire + WIRE_CACHE : NULL);
	hd_assert(cache);
	several = rt_wire->team;
	net_idle_setup(cache);
	net_load_lessons();
	if (!c->live)
		learn_from_trees();
	else if (c->peers == NET_PEERS_SHARED && c->servers)
		set_shared();
	if (c->confirm)
		cache_set_confirm(cache);
	cache_set_checkpoint(cache, (enum net_checkpoint)c->checkpoint, c->save_all);
	cache_may_join_servers(cache, may_learn_shared() && !shared);
	cache_set_open_list(cache, open_list, NULL);
	cache_set_schedule(cache, net_schedule, NULL);
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
	if (!may_learn_shared() || !told || !cache_error(cache)->of_server || shared)
		return false;
	keep_first(rt_worker->result.shared_why, sizeof(rt_worker->result.shared_why),
		   cache_error(cache)->text);
	if (over) /* whoever started it may do so again */
		return false;
	set_shared();
	forget_servers();
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

static u32 noted_at; /* so many requests had been made */

void net_note_counts(void)
{
	noted_at = rt_worker->net.request;
	rt_worker->result.checkpoints = *cache_checkpoints(cache);
	rt_worker->result.clock_readings = (u32)cache_clock_readings(cache);
}

/* A live replay is judged while it still runs: hence after each call. Counts change by requests alone. */
static void note_clock_readings(void)
{
	if (hd_unlikely(rt_worker->net.request != noted_at))
		net_note_counts();
}

/* On a fiber: an error of the cache is one of the call, or ends the transition. */
static long settle(int err)
{
	note_clock_readings();
	net_look_at_idle();
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

static long open_at(const struct tree_key *k, struct cache_pos *pos)
{
	int err;
	ASK(err, cache_open(cache, k, pos));
	return settle(err);
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
	int err;
	ASK(err, cache_open_again(cache, last, pos));
	return settle(err);
}

bool net_servers_are_joint(void)
{
	return shared;
}

long net_connect_joint(struct cache_pos *all, const struct net_address *to, u32 number, struct cache_pos *pos)
{
	const struct tree_key servers = {.joint = 1};
	if (!number) {
		keep_first(rt_worker->result.incomplete, sizeof(rt_worker->result.incomplete),
			   "More than 126 connections at a time to server peers that are one conversation "
			   "(--peers shared) are not followed.");
		stopped = true;
		sched_stop();
	}
	long err = all->tree ? 0 : open_at(&servers, all);
	if (err)
		return err;
	ASK(err, cache_connect(cache, all, to, number, pos));
	return settle((int)err);
}

bool net_comes_again(const struct cache_pos *last)
{
	int found;
	ASK(found, cache_resolve_again(cache, last));
	if (found < 0)
		settle(found);
	return found > 0;
}

bool net_would_speak(const struct cache_pos *pos)
{
	int found;
	ASK(found, cache_resolve_late(cache, pos));
	note_clock_readings();
	if (found < 0)
		note_error(found);
	return found > 0;
}

long net_pass_time(struct cache_pos *pos)
{
	int err;
	ASK(err, cache_pass_time(cache, pos));
	return settle(err);
}

/* Has any connection to a server ever been made? */
static bool knows_servers(void)
{
	const struct trees *t = cache_trees(cache);
	for (u32 i = 0; i < trees_count(t); i++)
		if (!tree_key_of(t, i)->client)
			return true;
	return false;
}

bool net_moves_clocks(u64 ns)
{
	const struct net_config *c = &rt_wire->config.net;
	if (rt_lessons.peer_time)
		return shared;
	if (ns < SLEEP_MIN || over || !c->live || c->confirm || !c->servers || !knows_servers() ||
	    (!shared && !may_learn_shared()))
		return false;
	RT_LEARN(peer_time);
	if (!shared) {
		keep_first(rt_worker->result.shared_why, sizeof(rt_worker->result.shared_why),
			   "The program sleeps between requests: the servers' clocks move with its own.");
		set_shared();
		forget_servers();
	}
	sched_want_restart();
	return false;
}

long net_move_clocks(struct cache_pos *all, u64 ns)
{
	int err;
	ASK(err, cache_move_clocks(cache, all, ns));
	return settle(err);
}

void net_note_untold_time(void)
{
	rt_worker->result.untold_time = 1;
}

long net_leave(struct cache_pos *pos)
{
	int err;
	ASK(err, cache_leave(cache, pos));
	return settle(err);
}

long net_write(struct cache_pos *pos, const void *data, size_t n)
{
	int err;
	ASK(err, cache_write(cache, pos, data, n));
	return settle(err);
}

long net_end(struct cache_pos *pos)
{
	int err;
	ASK(err, cache_end(cache, pos));
	return settle(err);
}

long net_close(struct cache_pos *pos)
{
	int err;
	ASK(err, cache_close(cache, pos));
	return settle(err);
}

void net_copy(const struct cache_pos *pos, u64 skip, void *to, size_t n)
{
	cache_lock(cache);
	cache_copy(cache, pos, skip, to, n);
	cache_unlock(cache, 0);
}

/* On a fiber an error does not return. */
static void resolved(int err)
{
	note_clock_readings();
	if (!sched_in_fiber())
		net_look_at_idle();
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
	int err;
	ASK(err, cache_resolve(cache, pos));
	resolved(err);
}

void net_resolve_first(const struct net_address *local, u32 client)
{
	struct tree_key k = key_of(local, client);
	int err;
	ASK(err, cache_resolve_first(cache, &k));
	resolved(err);
}

u32 net_first_connections(const struct net_address *local, u32 client)
{
	struct tree_key k = key_of(local, client);
	u32 n;
	LOOK(n, cache_first_connections(cache, &k));
	return n;
}

u32 net_connections(const struct cache_pos *pos)
{
	u32 n;
	LOOK(n, cache_connections(cache, pos));
	return n;
}

bool net_look(const struct cache_pos *pos, u64 *bytes, u32 *flags)
{
	*bytes = *flags = 0;
	if (!pos->tree)
		return false;
	bool known;
	LOOK(known, cache_look(cache, pos, bytes, flags));
	return known;
}

bool net_is_full(const struct cache_pos *pos)
{
	u64 bytes;
	u32 flags;
	if (hd_likely(pos->written < NET_ROOM) || !net_look(pos, &bytes, &flags) ||
	    (flags & (NET_UNREAD | NET_EOF | NET_RESET)) != NET_UNREAD)
		return false;
	LOOK(bytes, cache_unread(cache, pos));
	return bytes >= NET_ROOM;
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
	int err;
	ASK(err, cache_check_silence(cache, pos, sut->closed_any()));
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
	if (hd_likely(!cache_wants_step(cache)))
		return;
	cache_lock_sole(cache);
	cache_step_ended(cache);
	cache_unlock(cache, 0);
}

void net_backtracked(void)
{
	cache_backtracked(cache);
}

void net_recheck(void)
{
	over = true;
	cache_lock_sole(cache);
	int err = cache_recheck(cache, rt_wire->config.net.recheck);
	cache_unlock(cache, 0);
	note_clock_readings();
	if (err)
		note_error(err);
}

static struct tree_key key_at(const struct cache_pos *pos)
{
	HD_WIDE_FRAME();
	struct tree_key k;
	LOOK(k, cache_key(cache, pos));
	HD_WIDE_FRAME();
	return k;
}

u32 net_client_of(const struct cache_pos *pos)
{
	return pos->tree ? key_at(pos).client : 0;
}

bool net_answered(const struct cache_pos *pos)
{
	bool answered;
	if (!pos->tree || key_at(pos).to.type == NET_DGRAM)
		return false;
	LOOK(answered, cache_answered(cache, pos));
	return answered;
}

void net_describe_peer(const struct cache_pos *pos, struct text *t)
{
	const char *note;
	LOOK(note, cache_peer_note(cache, pos));
	text_str(t, note); /* notes stay where they are */
}
