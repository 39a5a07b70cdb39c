/* The interface of the cache. What the trees know is answered here; the rest is the mode's. */
#include "cache_priv.h"

#include <string.h>

static struct trees *find_trees(void *memory, enum cache_mode mode)
{
	struct trees *t = trees_create(memory, mode);
	if (!t)
		t = trees_attach(memory, TREES_SIZE);
	if (t && trees_mode(t) == mode)
		trees_set_limit(t, TREES_SIZE);
	return t && trees_mode(t) == mode ? t : NULL;
}

struct cache *cache_create_shared(void *memory, enum cache_mode mode, const struct transport *transport,
				  void *common)
{
	static const struct cache_mode_ops *const modes[] = {
		[CACHE_BRANCHING] = &branching_ops, [CACHE_LINEAR] = &linear_ops, [CACHE_NONE] = &none_ops};
	hd_assert((size_t)mode < HD_ARRAY_LEN(modes) && (!common || mode == CACHE_BRANCHING));
	struct cache *c = pages_map(sizeof(*c));
	if (!c)
		return NULL;
	c->several = common != NULL;
	c->common = common ? common : pages_map(sizeof(*c->common));
	if (!c->common)
		return NULL;
	cache_lock(c);
	c->t = find_trees(memory, mode);
	cache_unlock(c, 0);
	if (!c->t)
		return NULL;
	c->ops = modes[mode];
	c->live = transport != NULL;
	if (transport)
		c->transport = *transport;
	else if (!common)
		trees_use_nothing(c->t); /* an execution of its own */
	return c;
}

struct cache *cache_create(void *memory, enum cache_mode mode, const struct transport *transport)
{
	return cache_create_shared(memory, mode, transport, NULL);
}

struct trees *cache_trees(struct cache *c)
{
	return c->t;
}

const struct cache_error *cache_error(const struct cache *c)
{
	return &c->error;
}

void cache_set_open_list(struct cache *c, u32 (*list)(void *self, const struct cache_pos **out, u32 room),
			 void *self)
{
	c->list = list;
	c->list_self = self;
}

void cache_set_schedule(struct cache *c, void (*tell)(void *self, char *out, size_t cap), void *self)
{
	c->tell = tell;
	c->tell_self = self;
}

void cache_set_confirm(struct cache *c)
{
	hd_assert(c->live && c->ops != &none_ops);
	if (c->ops == &linear_ops)
		c->ops = &linear_confirm_ops;
	c->confirm = true;
}

u64 cache_clock_readings(const struct cache *c)
{
	return c->common->clock_readings;
}

void cache_set_checkpoint(struct cache *c, enum net_checkpoint strategy, bool clients)
{
	c->save_clients = clients;
	c->strategy = strategy;
}

const struct net_checkpoints *cache_checkpoints(const struct cache *c)
{
	return &c->common->counts;
}

void cache_backtracked(struct cache *c)
{
	c->epoch++;
}

u32 cache_list_open(struct cache *c)
{
	u32 n = c->list ? c->list(c->list_self, c->open, CACHE_MAX_OPEN) : 0;
	return HD_MIN(n, CACHE_MAX_OPEN);
}

/* Must a call that the trees could answer go out nevertheless? */
static bool always_asks(const struct cache *c)
{
	return c->live && (!c->ops->answers || c->confirm);
}

static void count(struct cache *c, bool hit)
{
	struct cache_stats *s = trees_stats(c->t);
	if (!hit)
		s->misses++;
	else if (c->ops->answers)
		s->hits++;
}

/* A call ends at *at. Outside a live search, what was used is noted, for traces. */
static int done(struct cache *c, const struct tree_at *at, bool hit)
{
	count(c, hit);
	if (!c->live)
		tree_use(c->t, at);
	return 0;
}

/* ---- open ---- */

/*
 * Of the connections that are open, those to the same destination: which instances they use (bits), how many
 * they are.
 */
static u32 open_to(struct cache *c, const struct tree_key *k, const struct cache_pos *but, u64 *instances)
{
	u32 n = 0, opens = cache_list_open(c);
	for (u32 i = 0; i < opens; i++) {
		const struct cache_pos *p = c->open[i];
		if (p == but || p->tree == 0)
			continue;
		const struct tree_key *other = tree_key_of(c->t, p->tree - 1);
		if (memcmp(&other->to, &k->to, sizeof(k->to)) != 0 || other->client != k->client ||
		    other->owner != k->owner || other->after != k->after ||
		    other->after_written != k->after_written || other->after_ended != k->after_ended ||
		    other->joint != k->joint)
			continue;
		instances[other->instance / 64 % (CACHE_MAX_OPEN / 64)] |= 1ull << other->instance % 64;
		n++;
	}
	return n;
}

/* The tree's key, and the number, from 1, of this connection among the simultaneous ones to it. */
static u32 choose_instance(struct cache *c, struct tree_key *k, const struct cache_pos *pos)
{
	u64 instances[CACHE_MAX_OPEN / 64 + 1] = {0};
	if (!c->ops->instances)
		k->owner = 0;
	u32 others = open_to(c, k, pos, instances);
	k->instance = 0;
	if (!c->ops->instances)
		return k->joint ? 1 : others + 1; /* those of a joint client are all of one process */
	while (instances[k->instance / 64] >> k->instance % 64 & 1)
		k->instance++;
	return 1;
}

static int connect_tree(struct cache *c, u32 tree, u32 nth)
{
	struct mark_view m;
	struct tree_at root = root_at(c, tree);
	struct physical *p = c->ops->instances ? physical_of_tree(c, tree) : NULL;
	if (p)
		physical_close(c, p);
	int err = physical_open(c, tree, &p);
	if (!NET_IS_ERRNO(err))
		return err;
	if (nth == 1 && tree_mark_at(c->t, &root, &m))
		return error_refused_again(c, tree);
	tree_refuse(c->t, tree, nth, (u32)-err);
	return err;
}

static void set_position(struct cache *c, struct cache_pos *pos, u32 tree)
{
	*pos = (struct cache_pos){.tree = tree + 1, .branch = tree_root(c->t, tree)};
}

/*
 * Of a tree that is known. Where every call goes out, a client's later connection is there already if the SUT
 * was not rolled back since it was asked for (cache_resolve_again).
 */
static bool must_open(struct cache *c, u32 tree, u32 nth)
{
	struct tree_at root = root_at(c, tree);
	if (always_asks(c) && tree_key_of(c->t, tree)->after) {
		const struct physical *p = physical_find(c, tree, &root);
		return !p || (!c->confirm && p->epoch != c->epoch);
	}
	return c->confirm || c->ops->open_again(c, tree, nth);
}

int cache_open(struct cache *c, const struct tree_key *key, struct cache_pos *pos)
{
	struct tree_key k = *key;
	struct mark_view m;
	u32 nth = choose_instance(c, &k, pos), tree = tree_find(c->t, &k), error, refused = 0;
	bool known = false;
	if (tree != TREE_NONE) {
		struct tree_at root = root_at(c, tree);
		known = tree_mark_at(c->t, &root, &m);
		refused = tree_refusal(c->t, tree, &error);
	}
	if (refused && nth >= refused && !always_asks(c)) {
		struct tree_at root = root_at(c, tree);
		done(c, &root, true);
		return error_refused(c, error);
	}
	bool ask = !known || (c->live && must_open(c, tree, nth));
	if (ask && !c->live)
		return error_left(c, &k, NULL);
	if (ask && must_be_sole(c))
		return CACHE_SOLE;
	if (tree == TREE_NONE && (tree = tree_add(c->t, &k)) == TREE_NONE)
		return error_out_of_memory(c);
	int err = ask ? connect_tree(c, tree, nth) : 0;
	if (err) {
		count(c, false);
		return err;
	}
	set_position(c, pos, tree);
	struct tree_at root = root_at(c, tree);
	return done(c, &root, !ask);
}

/* ---- a client's next connection ---- */

static struct tree_key key_after(const struct cache *c, const struct cache_pos *last)
{
	struct tree_key k = *tree_key_of(c->t, last->tree - 1);
	k.after = last->branch + 1;
	k.after_ended = last->ended;
	k.after_written = last->written;
	return k;
}

int cache_open_again(struct cache *c, const struct cache_pos *last, struct cache_pos *pos)
{
	hd_assert(last->tree);
	struct tree_key k = key_after(c, last);
	return cache_open(c, &k, pos);
}

int cache_resolve_again(struct cache *c, const struct cache_pos *last)
{
	struct tree_at at = pos_at(last);
	struct mark_view m;
	struct cache_pos next = {0};
	if ((c->live && !c->transport.next) || (tree_mark_at(c->t, &at, &m) && (m.flags & NET_GONE)))
		return 0;
	int err = cache_open_again(c, last, &next);
	return err ? (NET_IS_ERRNO(err) ? 0 : err) : 1;
}

/* ---- joint clients ---- */

static bool find_root(const struct cache *c, const struct tree_key *key, struct tree_at *root)
{
	struct tree_key k = *key;
	struct mark_view m;
	if (!c->ops->instances)
		k.owner = 0;
	u32 tree = tree_find(c->t, &k);
	if (tree == TREE_NONE)
		return false;
	*root = root_at(c, tree);
	return tree_mark_at(c->t, root, &m);
}

int cache_resolve_first(struct cache *c, const struct tree_key *key)
{
	struct tree_at root;
	struct cache_pos pos = {0};
	return find_root(c, key, &root) ? 0 : cache_open(c, key, &pos);
}

u32 cache_first_connections(const struct cache *c, const struct tree_key *key)
{
	struct tree_at root;
	return find_root(c, key, &root) ? joint_connections(c, &root) : 0;
}

u32 cache_connections(const struct cache *c, const struct cache_pos *pos)
{
	struct tree_at at = pos_at(pos);
	struct mark_view m;
	return pos->tree && tree_mark_at(c->t, &at, &m) ? joint_connections(c, &at) : 0;
}

static bool is_independent(const struct cache *c, const struct physical *p)
{
	const struct tree_key *k = tree_key_of(c->t, p->tree);
	return !k->client && !k->joint;
}

void cache_may_join_servers(struct cache *c, bool may)
{
	c->may_share = may;
}

void cache_forget_servers(struct cache *c)
{
	c->may_share = false;
	for (u32 i = 0; i < NET_MAX_CONNS; i++)
		if (c->common->conn[i].conn && is_independent(c, &c->common->conn[i]))
			physical_close(c, &c->common->conn[i]);
}

/* ---- writes ---- */

/* What is not known, from *at on. */
static int send_rest(struct cache *c, u32 tree, struct tree_at *at, const void *data, size_t n, bool end,
		     bool *hit)
{
	int err;
	bool may_grow = c->live && (c->ops->forks || tree_is_leaf(c->t, at));
	*hit = true;
	if (may_grow && record_after_reset(c, at, data, n, end, &err))
		return err;
	*hit = false;
	if (!c->live && (c->ops->forks || tree_is_leaf(c->t, at)))
		return error_left(c, tree_key_of(c->t, tree), at);
	return c->ops->send(c, tree, at, data, n, end);
}

static int write_symbols(struct cache *c, struct cache_pos *pos, const void *data, size_t n, bool end)
{
	u32 tree = pos->tree - 1;
	struct tree_at at = pos_at(pos);
	size_t known = always_asks(c) ? 0 : tree_follow(c->t, &at, data, n);
	bool hit = known == n && !always_asks(c) && (!end || tree_follow_end(c->t, &at));
	if (!hit && must_be_sole(c))
		return CACHE_SOLE;
	if (!hit) {
		int err = send_rest(c, tree, &at, (const u8 *)data + known, n - known, end, &hit);
		if (err) {
			count(c, false);
			return err;
		}
	}
	pos->branch = at.branch;
	pos->written = at.written;
	if (!pos->connection)
		pos->ended = at.ended;
	return done(c, &at, hit);
}

static int write_event(struct cache *c, struct cache_pos *pos, enum net_joint_event what)
{
	const u8 symbol[NET_JOINT_SYMBOL] = {(u8)(NET_JOINT_EVENT + pos->connection), (u8)what};
	return write_symbols(c, pos, symbol, sizeof(symbol), false);
}

int cache_write(struct cache *c, struct cache_pos *pos, const void *data, size_t n)
{
	hd_assert(pos->tree && !pos->ended);
	if (!n || !pos->connection)
		return n ? write_symbols(c, pos, data, n, false) : 0;
	const u8 *symbols = joint_data(c, pos->connection, data, n);
	return symbols ? write_symbols(c, pos, symbols, NET_JOINT_SYMBOL * n, false) : error_out_of_memory(c);
}

int cache_end(struct cache *c, struct cache_pos *pos)
{
	hd_assert(pos->tree);
	if (pos->ended || !pos->connection)
		return pos->ended ? 0 : write_symbols(c, pos, "", 0, true);
	int err = write_event(c, pos, NET_JOINT_END);
	pos->ended = !err;
	return err;
}

int cache_connect(struct cache *c, struct cache_pos *all, const struct net_address *to, u32 connection,
		  struct cache_pos *pos)
{
	u8 symbols[JOINT_CONNECT_MAX];
	u32 n = joint_connect(connection, to, symbols);
	struct cache_pos at = *all;
	if (c->touched && must_be_sole(c))
		return CACHE_SOLE;
	at.connection = connection;
	int err = write_symbols(c, &at, symbols, n, false);
	if (!err)
		err = cache_resolve(c, &at);
	if (err)
		return err;
	struct tree_at behind = pos_at(&at);
	struct physical *p = c->touched ? physical_find(c, at.tree - 1, &behind) : NULL;
	if (p)
		p->opened = true;
	all->branch = at.branch;
	all->written = at.written;
	struct tree_at there = pos_at(&at);
	u32 refusal = joint_refusal(c, &there, connection);
	if (refusal)
		return error_refused(c, refusal);
	*pos = at;
	return 0;
}

int cache_leave(struct cache *c, struct cache_pos *pos)
{
	hd_assert(pos->tree && pos->connection);
	struct tree_at at = pos_at(pos);
	struct mark_view m;
	if (tree_mark_at(c->t, &at, &m) && (m.flags & NET_GONE)) /* nobody is there to notice */
		return 0;
	return write_event(c, pos, NET_JOINT_CLOSE);
}

int cache_close(struct cache *c, struct cache_pos *pos)
{
	hd_assert(pos->tree && !pos->connection);
	struct tree_at at = pos_at(pos);
	struct physical *p = c->confirm ? physical_find(c, pos->tree - 1, &at) : NULL;
	if (p)
		physical_close(c, p);
	int err = c->ops->close(c, pos->tree - 1, &at);
	*pos = (struct cache_pos){0};
	return err;
}

/* ---- time ---- */

static const u8 time_passes[NET_JOINT_SYMBOL] = {NET_JOINT_EVENT, NET_JOINT_TIME};

int cache_resolve_late(struct cache *c, const struct cache_pos *pos)
{
	struct tree_at at = pos_at(pos), late = at;
	struct mark_view now, then;
	if (!pos->tree || !tree_mark_at(c->t, &at, &now) || !(now.flags & NET_TIMED) ||
	    (now.flags & NET_GONE) || joint_times(c, &at) >= CACHE_TIMES)
		return 0;
	if (!tree_follow_time(c->t, &late) || !tree_mark_at(c->t, &late, &then)) {
		late = at;
		if (!c->live || c->confirm)
			return 0;
		if (must_be_sole(c))
			return CACHE_SOLE;
		int err = c->ops->send(c, pos->tree - 1, &late, time_passes, sizeof(time_passes), false);
		if (err)
			return err;
		hd_assert(tree_mark_at(c->t, &late, &then));
	}
	return then.reply != now.reply;
}

int cache_pass_time(struct cache *c, struct cache_pos *pos)
{
	return write_symbols(c, pos, time_passes, sizeof(time_passes), false);
}

int cache_move_clocks(struct cache *c, struct cache_pos *all, u64 ns)
{
	u8 symbols[NET_JOINT_SYMBOL * (1 + NET_JOINT_CLOCK_BYTES)] = {NET_JOINT_EVENT, NET_JOINT_CLOCK};
	for (u32 i = 0; i < NET_JOINT_CLOCK_BYTES; i++) {
		symbols[NET_JOINT_SYMBOL * (i + 1)] = NET_JOINT_NOBODY;
		symbols[NET_JOINT_SYMBOL * (i + 1) + 1] = (u8)(ns >> 8 * i);
	}
	int err = write_symbols(c, all, symbols, sizeof(symbols), false);
	return err ? err : cache_resolve(c, all);
}

/* ---- reads ---- */

/* Get an answer for a position that has none (none: for any where no connection stands). */
static int get_answer(struct cache *c, u32 tree, const struct tree_at *at, bool *hit)
{
	struct tree_at same = *at;
	int err;
	*hit = true;
	if (c->live && record_after_reset(c, &same, "", 0, false, &err))
		return err;
	*hit = false;
	if (!c->live && c->ops->forks)
		return error_left(c, tree_key_of(c->t, tree), at);
	return c->ops->look(c, tree, at);
}

int cache_resolve(struct cache *c, const struct cache_pos *pos)
{
	hd_assert(pos->tree);
	struct tree_at at = pos_at(pos);
	struct mark_view m;
	bool hit = tree_mark_at(c->t, &at, &m) && !always_asks(c);
	if (!hit && must_be_sole(c))
		return CACHE_SOLE;
	if (!hit) {
		u64 polls = trees_stats(c->t)->polls;
		int err = get_answer(c, pos->tree - 1, &at, &hit);
		hit |= !err && trees_stats(c->t)->polls == polls;
		if (err) {
			count(c, false);
			return err;
		}
		hd_assert(tree_mark_at(c->t, &at, &m));
	}
	return done(c, &at, hit);
}

bool cache_look(const struct cache *c, const struct cache_pos *pos, u64 *bytes, u32 *flags)
{
	struct tree_at at = pos_at(pos);
	struct mark_view m;
	*bytes = *flags = 0;
	if (!tree_mark_at(c->t, &at, &m))
		return false;
	u64 said = m.reply;
	u32 ended = 0;
	if (pos->connection)
		joint_look(c, &at, pos->connection, &said, &ended);
	*bytes = said > pos->read ? said - pos->read : 0;
	*flags = m.flags | ended;
	return true;
}

u64 cache_unread(const struct cache *c, const struct cache_pos *pos)
{
	struct tree_at at = pos_at(pos), i = root_at(c, pos->tree - 1);
	struct mark_view m;
	u64 read = 0;
	if (pos->connection || !tree_mark_at(c->t, &at, &m) || !(m.flags & NET_UNREAD))
		return 0;
	while (tree_mark_after(c->t, &i, &at, &i, &m))
		if (!(m.flags & NET_UNREAD))
			read = i.written;
	return at.written - read;
}

void cache_copy(struct cache *c, const struct cache_pos *pos, u64 skip, void *to, size_t n)
{
	struct tree_at at = pos_at(pos);
	struct mark_view m;
	if (pos->connection) {
		joint_copy(c, &at, pos->connection, pos->read + skip, to, n);
		return;
	}
	hd_assert(tree_mark_at(c->t, &at, &m) && pos->read + skip + n <= m.reply);
	tree_reply_copy(c->t, &at, pos->read + skip, to, n);
}

bool cache_answered(const struct cache *c, const struct cache_pos *pos)
{
	struct tree_at at = pos_at(pos), earlier = at;
	struct mark_view now, then;
	if (pos->connection)
		return !pos->ended && joint_answered(c, &at, pos->connection);
	if (!tree_mark_at(c->t, &at, &now) || !now.reply || !at.written || at.ended)
		return false;
	earlier.written--;
	return tree_mark_before(c->t, &earlier, &then) && then.reply == now.reply;
}

struct tree_key cache_key(const struct cache *c, const struct cache_pos *pos)
{
	return *tree_key_of(c->t, pos->tree - 1);
}

bool cache_goes_on(struct cache *c, const struct cache_pos *pos)
{
	struct tree_at at = pos_at(pos), where;
	struct mark_view m;
	if (!pos->tree || pos->connection || at.ended || !tree_mark_at(c->t, &at, &m) ||
	    (m.flags & (NET_TIMED | NET_GUESSED)) || !tree_goes_on(c->t, &at, &where))
		return false;
	if (!c->live)
		tree_use(c->t, &where);
	return true;
}

const char *cache_peer_note(struct cache *c, const struct cache_pos *pos)
{
	struct tree_at at = pos_at(pos);
	struct mark_view m;
	return pos->tree && tree_mark_before(c->t, &at, &m) ? m.note : "";
}
