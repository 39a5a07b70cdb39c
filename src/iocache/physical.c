/*
 * Physical connections. The cache owns them: it opens them, keeps them as long as there is room, finds them
 * by where they stand, and alone decides which are closed. The broker only says that it has no room for one
 * more (NET_ERROR_FULL) or that the peer does not serve one more (NET_ERROR_UNSERVED, or a refusal): then
 * those go that the SUT's present state does not need.
 */
#include "cache_priv.h"

#include <linux/errno.h>
#include <string.h>

void physical_close(struct cache *c, struct physical *p)
{
	const struct tree_key *k = tree_key_of(c->t, p->tree);
	if (k->client || k->joint)
		saved_drop_group(c, p->group);
	c->transport.close(c->transport.self, p->conn);
	*p = (struct physical){0};
}

bool physical_stands_at(const struct physical *p, u32 tree, const struct tree_at *at)
{
	return p->conn && p->tree == tree && at_equal(&p->at, at);
}

struct physical *physical_find(struct cache *c, u32 tree, const struct tree_at *at)
{
	for (u32 i = 0; i < NET_MAX_CONNS; i++)
		if (physical_stands_at(&c->common->conn[i], tree, at))
			return &c->common->conn[i];
	return NULL;
}

/* ---- which of them does the SUT not need? ---- */

/*
 * Of several at one position, as many are needed as the SUT has connections there (c->open, opens of them).
 */
static bool is_spare(const struct cache *c, const struct physical *p, u32 opens)
{
	u32 there = 0;
	for (const struct physical *q = c->common->conn; q <= p; q++)
		there += physical_stands_at(q, p->tree, &p->at);
	for (u32 i = 0; i < opens && there; i++) {
		struct tree_at at = pos_at(c->open[i]);
		there -= physical_stands_at(p, c->open[i]->tree - 1, &at);
	}
	return there;
}

/* From the last one on: who stands first at a position is needed first. */
u32 physical_close_spare(struct cache *c, physical_which *which, const void *arg)
{
	u32 closed = 0, opens = cache_list_open(c);
	for (u32 i = NET_MAX_CONNS; i-- > 0;) {
		struct physical *p = &c->common->conn[i];
		if (!p->conn || !which(c, p, arg) || !is_spare(c, p, opens))
			continue;
		physical_close(c, p);
		closed++;
	}
	return closed;
}

struct same_peer {
	const struct tree_key *key;
	u32 group;
	const struct physical *but;
};

static bool leads_there(const struct cache *c, const struct physical *p, const void *arg)
{
	const struct same_peer *s = arg;
	const struct tree_key *k = tree_key_of(c->t, p->tree);
	if (p == s->but)
		return false;
	if (p->group && s->group)
		return p->group == s->group;
	return memcmp(&k->to, &s->key->to, sizeof(k->to)) == 0 && k->client == s->key->client;
}

/*
 * A peer that serves one connection at a time, or a few, may wait for the end of those that are open because
 * we keep them, not because the SUT does. False: there are none of those.
 */
static bool relieve_peer(struct cache *c, u32 tree, u32 group, const struct physical *but)
{
	struct same_peer s = {.key = tree_key_of(c->t, tree), .group = group, .but = but};
	return physical_close_spare(c, leads_there, &s) > 0;
}

/*
 * The least recently used goes, one that is needed only if all are: it can be opened again. False: there is
 * none.
 */
static bool evict(struct cache *c)
{
	u32 opens = cache_list_open(c);
	struct physical *best = NULL;
	bool best_spare = false;
	for (u32 i = 0; i < NET_MAX_CONNS; i++) {
		struct physical *p = &c->common->conn[i];
		if (!p->conn)
			continue;
		bool spare = is_spare(c, p, opens);
		if (!best || spare > best_spare || (spare == best_spare && p->last_use < best->last_use)) {
			best = p;
			best_spare = spare;
		}
	}
	if (best)
		physical_close(c, best);
	return best != NULL;
}

static struct physical *free_slot(struct cache *c)
{
	for (;;) {
		for (u32 i = 0; i < NET_MAX_CONNS; i++)
			if (!c->common->conn[i].conn)
				return &c->common->conn[i];
		evict(c);
	}
}

/* ---- exchanges ---- */

static int hear(struct cache *c, struct physical *p, const struct tree_at *at);

static void ask(struct cache *c, const struct physical *p, const void *data, u64 n, bool end)
{
	u64 start = saved_now(c);
	c->reply = (struct transport_reply){0};
	c->transport.exchange(c->transport.self, p->conn, data, n, end, &c->reply);
	if (n)
		saved_measure(c, start, &c->common->counts.request_ns, &c->common->counts.least_request_ns);
	c->common->counts.requests += n > 0;
}

/*
 * The answer is in c->reply. Unless all is fine, the connection is dropped: where it stands is not known any
 * more.
 */
static int settle(struct cache *c, struct physical *p, u64 n)
{
	struct cache_stats *s = trees_stats(c->t);
	p->last_use = ++c->common->clock;
	s->polls++;
	if (c->reply.status) {
		int err = error_of_reply(c, p->tree); /* before the close: the text is the transport's */
		physical_close(c, p);
		return err;
	}
	s->bytes_sent += n;
	s->bytes_received += c->reply.len;
	return 0;
}

/* All is sent at the first asking, also to a peer that has not accepted the connection yet. */
static int exchange(struct cache *c, struct physical *p, const void *data, u64 n, bool end)
{
	if (p->acted && (n || end)) /* in the middle of a transition: what it did must not be done again */
		saved_take(c, p);
	ask(c, p, data, n, end);
	while (c->reply.status == NET_ERROR_UNSERVED && relieve_peer(c, p->tree, p->group, p))
		ask(c, p, "", 0, false);
	return settle(c, p, n);
}

int physical_hear_more(struct cache *c, struct physical *p, bool patient)
{
	if (patient && c->transport.await) {
		c->reply = (struct transport_reply){0};
		c->transport.await(c->transport.self, p->conn, &c->reply);
	} else {
		ask(c, p, "", 0, false);
	}
	int err = settle(c, p, 0);
	if (err || (!c->reply.len && !(c->reply.flags & NET_CLOSED & ~p->flags)))
		return err;
	err = error_spoke_late(c, p->tree, &p->at, patient);
	physical_close(c, p);
	return err;
}

/* It may open further connections: how many is not known from before. */
static bool is_joint_client(const struct tree_key *k)
{
	return k->joint && k->client;
}

/*
 * The answer at `at` is known, mostly. A peer that waits with a time-out is then not given that time again:
 * it has said all that it said before. Not where executions are played to be compared.
 */
static void expect_answer(struct cache *c, struct physical *p, const struct tree_at *at)
{
	struct mark_view m;
	if (!c->transport.expect || c->patient || c->confirm || p->tree >= CACHE_HURRIED ||
	    (c->common->slow[p->tree / 64] >> p->tree % 64 & 1) ||
	    is_joint_client(tree_key_of(c->t, p->tree)))
		return;
	if (!tree_mark_at(c->t, at, &m) || !(m.flags & NET_TIMED) || m.reply < p->said)
		return;
	c->transport.expect(c->transport.self, m.reply - p->said + 1);
	p->hurried = true;
}

static int forward(struct cache *c, struct physical *p, const struct tree_at *to, const void *data, size_t n,
		   bool end);

/*
 * On the way to `at`: brought back to where it had been given all its time, or fresh. p is gone. From the
 * nearest one on, for what it drew before that it would draw anew.
 */
static int begin_again(struct cache *c, struct physical *p, const struct tree_at *at, struct physical **out)
{
	u32 tree = p->tree;
	struct savepoint *s = saved_nearest(c, tree, at, false);
	if (s && s->group == p->group && (*out = saved_restore(c, s)))
		return 0;
	if (p->conn)
		physical_close(c, p);
	return physical_open(c, tree, out);
}

/* In the place of one that was hurried: one that is given all its time on the way to `at`. */
static int start_again(struct cache *c, struct physical *p, const struct tree_at *at)
{
	u32 tree = p->tree;
	struct physical *q = NULL;
	c->patient = true;
	int err = begin_again(c, p, at, &q);
	if (NET_IS_ERRNO(err))
		err = error_refused_again(c, tree);
	if (!err) {
		hd_assert(q); /* physical_open succeeded */
		err = physical_bring(c, q, at);
	}
	c->patient = false;
	if (err || q == p)
		return err;
	*p = *q;
	*q = (struct physical){0};
	return 0;
}

/*
 * Another answer than recorded came from a peer that was hurried: perhaps it would have done something in the
 * time that it was not given.
 */
static int hear_again(struct cache *c, struct physical *p, const struct tree_at *at)
{
	c->common->slow[p->tree / 64] |= 1ull << p->tree % 64;
	int err = start_again(c, p, at);
	if (err || at_equal(&p->at, at))
		return err;
	err = forward(c, p, at, NULL, 0, false);
	return err ? err : hear(c, p, at);
}

/*
 * The peer was heard at p->at. What a server does that is taken for independent of other connections can't
 * be brought back; all of them together can.
 */
static int note_act(struct cache *c, struct physical *p, u32 acts)
{
	const struct tree_key *k = tree_key_of(c->t, p->tree);
	c->touched = p->moved = true;
	p->acted |= acts && !c->confirm;
	p->chose |= (acts & NET_CHOSE) && !c->confirm;
	if (!(acts & NET_CHOSE) || c->confirm)
		return 0;
	c->common->counts.chose++;
	bool followed = k->client || k->joint;
	if (followed ? c->strategy != NET_CHECKPOINT_NONE : !c->may_share)
		return 0;
	return error_acted(c, p->tree, &p->at);
}

static int hear(struct cache *c, struct physical *p, const struct tree_at *at)
{
	/* What is closed stays closed, whether the transport says so each time or once. */
	c->reply.flags |= p->flags;
	u32 acts = c->reply.flags & (NET_ACTED | NET_CHOSE);
	int err = record_reply(c, p->tree, at, p->said);
	if (err == CACHE_NONDETERMINISTIC && p->hurried && !c->patient)
		return hear_again(c, p, at);
	if (err) {
		physical_close(c, p);
		return err;
	}
	p->at = *at;
	p->said += c->reply.len;
	p->flags = c->reply.flags & NET_CLOSED;
	err = note_act(c, p, acts);
	if (!err && p->acted && c->several) /* another process may bring the peer elsewhere before long */
		saved_take(c, p);
	return err;
}

/* ---- opening ---- */

static bool make_room(struct cache *c, u32 tree)
{
	int status = c->reply.status;
	if (status == NET_ERROR_FULL)
		return evict(c);
	if (status == NET_ERROR_UNSERVED || NET_IS_ERRNO(status))
		return relieve_peer(c, tree, c->reply.group, NULL);
	return false;
}

/*
 * A client's later connection: the one before is brought to where the SUT closed it, and closed. -ENOENT:
 * none follows. The answer is in c->reply.
 */
static int connect_after(struct cache *c, const struct tree_key *key)
{
	struct tree_at at = {
		.branch = key->after - 1, .ended = key->after_ended, .written = key->after_written};
	struct branch_view before;
	struct physical *p;
	branch_get(c->t, at.branch, &before);
	int err = physical_take(c, before.tree, &at, &p);
	if (!err && !at_equal(&p->at, &at))
		err = physical_send(c, p, &at, NULL, 0, false);
	if (err)
		return err;
	u32 conn = p->conn, group = p->group;
	*p = (struct physical){0};
	c->reply = (struct transport_reply){0};
	c->transport.next(c->transport.self, conn, &c->reply);
	c->reply.group = group;
	if (c->reply.status)
		return error_of_reply(c, before.tree);
	return c->reply.conn ? 0 : -ENOENT;
}

static int connect_first(struct cache *c, u32 tree)
{
	const struct tree_key *k = tree_key_of(c->t, tree);
	u64 start = saved_now(c);
	do {
		c->reply = (struct transport_reply){0};
		c->transport.open(c->transport.self, tree_key_of(c->t, tree), &c->reply);
	} while (c->reply.status && make_room(c, tree));
	if (!c->reply.status && (k->client || k->joint)) {
		c->common->counts.starts++;
		saved_measure(c, start, &c->common->counts.start_ns, &c->common->counts.least_start_ns);
	}
	return c->reply.status ? error_of_reply(c, tree) : 0;
}

static int connect(struct cache *c, u32 tree, struct physical **out)
{
	struct cache_stats *s = trees_stats(c->t);
	const struct tree_key key = *tree_key_of(c->t, tree);
	int err = key.after ? connect_after(c, &key) : connect_first(c, tree);
	if (err)
		return err;
	u32 conn = c->reply.conn, group = c->reply.group;
	struct physical *p = free_slot(c);
	*p = (struct physical){
		.conn = conn, .tree = tree, .group = group, .at = root_at(c, tree), .epoch = c->epoch};
	s->connections++;
	s->peer_starts += key.client > 0 && !key.after;
	c->common->counts.restarted += (key.client || key.joint) && !key.after && tree_opened(c->t, tree);
	tree_count_open(c->t, tree);
	*out = p;
	return 0;
}

int physical_open(struct cache *c, u32 tree, struct physical **out)
{
	struct tree_at root = root_at(c, tree);
	struct physical *p = NULL;
	int err = connect(c, tree, &p);
	if (!err)
		expect_answer(c, p, &root);
	if (!err)
		err = exchange(c, p, "", 0, false);
	if (!err)
		err = hear(c, p, &root);
	if (err)
		return err;
	*out = p;
	saved_take(c, p); /* the beginning: a peer need not be started again */
	p->opened = p->moved = true;
	return 0;
}

struct physical *physical_of_tree(struct cache *c, u32 tree)
{
	for (u32 i = 0; i < NET_MAX_CONNS; i++)
		if (c->common->conn[i].conn && c->common->conn[i].tree == tree)
			return &c->common->conn[i];
	return NULL;
}

int physical_take(struct cache *c, u32 tree, const struct tree_at *to, struct physical **out)
{
	struct physical *best = NULL;
	for (u32 i = 0; i < NET_MAX_CONNS; i++) {
		struct physical *p = &c->common->conn[i];
		if (p->conn && p->tree == tree && tree_passes(c->t, &p->at, to) &&
		    (!best || p->at.written > best->at.written || (p->at.ended && !best->at.ended)))
			best = p;
	}
	struct savepoint *saved = saved_nearest(c, tree, to, true);
	if (saved && (best ? saved->at.written > best->at.written : !saved_is_dearer(c, saved))) {
		struct physical *p = saved_restore(c, saved);
		best = p ? p : best && best->conn ? best : NULL;
	}
	if (best) {
		*out = best;
		return 0;
	}
	int err = physical_open(c, tree, out);
	return NET_IS_ERRNO(err) ? error_refused_again(c, tree) : err;
}

/* ---- on the way ---- */

/* Written bytes [p->at, to), then data, in one piece. NULL: memory is out. */
static const void *gather(struct cache *c, const struct physical *p, const struct tree_at *to,
			  const void *data, size_t n)
{
	size_t rest = (size_t)(to->written - p->at.written);
	if (rest == 0)
		return n ? data : "";
	c->scratch.len = 0;
	char *place = pages_vec_push(&c->scratch, rest + n);
	if (!place)
		return NULL;
	tree_bytes_copy(c->t, to, p->at.written, place, rest);
	if (n)
		memcpy(place + rest, data, n);
	return place;
}

static int forward(struct cache *c, struct physical *p, const struct tree_at *to, const void *data, size_t n,
		   bool end)
{
	u64 rest = to->written - p->at.written;
	const void *piece = gather(c, p, to, data, n);
	if (!piece)
		return error_out_of_memory(c);
	int err = exchange(c, p, piece, rest + n, end || to->ended > p->at.ended);
	if (!err)
		trees_stats(c->t)->bytes_replayed += rest;
	return err;
}

int physical_bring(struct cache *c, struct physical *p, const struct tree_at *to)
{
	struct tree_at next;
	struct mark_view m;
	while (tree_mark_after(c->t, &p->at, to, &next, &m)) {
		expect_answer(c, p, &next);
		c->common->counts.replayed++;
		int err = forward(c, p, &next, NULL, 0, false);
		if (!err)
			err = hear(c, p, &next);
		if (err)
			return err;
	}
	return 0;
}

/* *at moves as far as it is. */
static bool is_known(const struct cache *c, struct tree_at *at, const void *data, size_t n, bool end)
{
	struct mark_view m;
	return tree_follow(c->t, at, data, n) == n && (!end || tree_follow_end(c->t, at)) &&
	       tree_mark_at(c->t, at, &m);
}

int physical_send(struct cache *c, struct physical *p, struct tree_at *at, const void *data, size_t n,
		  bool end)
{
	struct tree_at behind = *at;
	int err = physical_bring(c, p, at);
	if (!err && is_known(c, &behind, data, n, end))
		expect_answer(c, p, &behind);
	else if (!err && p->hurried) /* what is not known yet is only learnt of peers that had their time */
		err = start_again(c, p, at);
	if (!err)
		err = forward(c, p, at, data, n, end);
	if (err)
		return err;
	behind = *at;
	err = record_written(c, &behind, data, n, end);
	if (!err)
		err = hear(c, p, &behind);
	if (!err)
		*at = behind;
	return err;
}
