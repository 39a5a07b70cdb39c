#include "runtime/net/net.h"

#include <linux/errno.h>
#include <string.h>

#include "runtime/engine.h"
#include "runtime/engine_priv.h"
#include "runtime/net/wire_transport.h"
#include "runtime/scratch.h"
#include "runtime/vkernel/vk.h"
#include "search/search.h"

static struct cache *cache;
static bool stopped; /* trouble: the search must end */

static u32 open_list(void *self, const struct cache_pos **out, u32 room)
{
	(void)self;
	return vk_open_connections(out, room);
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

void net_setup(void)
{
	const struct net_config *c = &rt_wire->config.net;
	cache = cache_create((char *)rt_wire + WIRE_TREES, (enum cache_mode)c->mode,
			     c->live ? wire_transport() : NULL);
	hd_assert(cache);
	cache_set_open_list(cache, open_list, NULL);
	cache_set_schedule(cache, schedule, NULL);
}

/* ---- trouble ---- */

static void keep_first(char *to, size_t cap, const char *text)
{
	if (!to[0])
		str_copy(to, cap, text);
}

static bool ever_connected(void)
{
	return trees_stats(cache_trees(cache))->connections != 0; /* trees remember refusals, too */
}

static bool hopeless(void)
{
	const struct net_config *c = &rt_wire->config.net;
	return rt_worker->result.nobody[0] && c->live && !c->allow_refused && !ever_connected();
}

/* Where the verdict comes from; true: the search must end. */
static bool note_trouble(enum cache_problem problem)
{
	const struct cache_why *why = cache_why(cache);
	struct wire_result *r = &rt_worker->result;
	switch (problem) {
	case CACHE_FINE:
		return false;
	case CACHE_REFUSED:
		keep_first(r->nobody, sizeof r->nobody, why->text);
		return false;
	case CACHE_LEFT:
		keep_first(r->incomplete, sizeof r->incomplete, why->text);
		return false;
	case CACHE_TOOL:
		keep_first(r->error, sizeof r->error, why->text);
		stopped = true;
		return true;
	default:
		keep_first(r->incomplete, sizeof r->incomplete, why->text);
		stopped = true;
		return true;
	}
}

/* On the fiber: scratch calls must return before a transition is abandoned. */
static long settle(u64 problem)
{
	if (hd_likely(problem == CACHE_FINE))
		return 0;
	if (note_trouble((enum cache_problem)problem))
		engine_abandon(ABANDON_STOP);
	if (problem == CACHE_REFUSED)
		return -cache_why(cache)->error;
	engine_abandon(ABANDON_PRUNED);
}

/* ---- operations ---- */

static u64 do_open(u64 to, u64 client, u64 pos, u64 unused)
{
	const struct net_config *c = &rt_wire->config.net;
	struct tree_key k = {.to = *(const struct net_address *)to, .client = (u32)client};
	(void)unused;
	k.owner = client ? 0 : engine_current() + 1; /* clients have names of their own */
	if (c->identical_clients && k.client)
		k.client = 1;
	return cache_open(cache, &k, (struct cache_pos *)pos);
}

static u64 do_write(u64 pos, u64 data, u64 n, u64 unused)
{
	(void)unused;
	return cache_write(cache, (struct cache_pos *)pos, (const void *)data, n);
}

static u64 do_end(u64 pos, u64 a, u64 b, u64 c)
{
	(void)a;
	(void)b;
	(void)c;
	return cache_end(cache, (struct cache_pos *)pos);
}

static u64 do_close(u64 pos, u64 a, u64 b, u64 c)
{
	(void)a;
	(void)b;
	(void)c;
	return cache_close(cache, (struct cache_pos *)pos);
}

static u64 do_copy(u64 pos, u64 skip, u64 to, u64 n)
{
	cache_copy(cache, (const struct cache_pos *)pos, skip, (void *)to, n);
	return 0;
}

struct look {
	u64 bytes;
	u32 flags;
};

static u64 do_look(u64 pos, u64 out, u64 a, u64 b)
{
	struct look *l = (struct look *)out;
	(void)a;
	(void)b;
	return cache_look(cache, (const struct cache_pos *)pos, &l->bytes, &l->flags);
}

long net_connect(const struct net_address *to, struct cache_pos *pos)
{
	return settle(scratch_call(do_open, (u64)to, 0, (u64)pos, 0));
}

long net_accept(const struct net_address *local, u32 client, struct cache_pos *pos)
{
	return settle(scratch_call(do_open, (u64)local, client, (u64)pos, 0));
}

long net_write(struct cache_pos *pos, const void *data, size_t n)
{
	return settle(scratch_call(do_write, (u64)pos, (u64)data, n, 0));
}

long net_end(struct cache_pos *pos)
{
	return settle(scratch_call(do_end, (u64)pos, 0, 0, 0));
}

long net_close(struct cache_pos *pos)
{
	return settle(scratch_call(do_close, (u64)pos, 0, 0, 0));
}

void net_copy(const struct cache_pos *pos, u64 skip, void *to, size_t n)
{
	scratch_call(do_copy, (u64)pos, skip, (u64)to, n);
}

bool net_look_known(const struct cache_pos *pos, u64 *bytes, u32 *flags)
{
	static struct look l; /* off the fiber's stack */
	l = (struct look){0};
	u64 problem = engine_in_fiber() ? scratch_call(do_look, (u64)pos, (u64)&l, 0, 0)
					: do_look((u64)pos, (u64)&l, 0, 0);
	if (hd_unlikely(problem)) {
		note_trouble((enum cache_problem)problem);
		l = (struct look){0};
	}
	*bytes = l.bytes;
	*flags = l.flags;
	return !problem;
}

bool net_confirm_silence(const struct cache_pos *pos)
{
	enum cache_problem problem = cache_confirm(cache, pos, vk_has_parted());
	return !problem || !note_trouble(problem);
}

u64 net_look(const struct cache_pos *pos, u32 *flags)
{
	u64 bytes;
	net_look_known(pos, &bytes, flags);
	return bytes;
}

static u64 do_find(u64 to, u64 a, u64 b, u64 c)
{
	struct tree_key k = {.to = *(const struct net_address *)to};
	(void)a;
	(void)b;
	(void)c;
	return tree_find(cache_trees(cache), &k) != TREE_NONE;
}

bool net_may_serve(const struct net_address *path)
{
	if (rt_wire->config.net.servers)
		return true;
	return engine_in_fiber() ? scratch_call(do_find, (u64)path, 0, 0, 0) : do_find((u64)path, 0, 0, 0);
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

void net_stop_if_hopeless(void)
{
	struct wire_result *r = &rt_worker->result;
	if (hd_likely(!hopeless()))
		return;
	keep_first(r->error, sizeof r->error, r->nobody);
	stopped = true;
}

void net_backtracked(void)
{
	cache_backtracked(cache);
}

void net_ask_again(void)
{
	if (rt_wire->config.net.ask_again)
		note_trouble(cache_ask_again(cache));
}

u32 net_client_of(const struct cache_pos *pos)
{
	return pos->tree ? tree_key_of(cache_trees(cache), pos->tree - 1)->client : 0;
}

void net_describe_peer(const struct cache_pos *pos, struct text *t)
{
	text_str(t, cache_peer_note(cache, pos));
}
