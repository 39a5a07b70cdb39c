/*
 * saved.c: checkpoints of peers, and where in a tree they stand.
 *
 * A position in the tree of a client, or of joint servers, says all that the peer was told: it is a logical
 * checkpoint, and costs nothing. A physical one is a saved process. To reach a position the nearest one on
 * the way is brought back, and the rest is replayed and compared (physical_take, physical_bring). So whatever
 * is saved or not, what the program sees on the way to a position was said by one run of the peer.
 *
 * Saved ones belong to a process and its connections (physical.group); they end with it. Of that process one
 * runs at a time: bringing one back ends where it stood.
 */
#include "cache_priv.h"

static bool may_save(const struct cache *c, const struct physical *p)
{
	const struct tree_key *k = tree_key_of(c->t, p->tree);
	return c->transport.save && c->strategy != NET_CHECKPOINT_NONE && !c->confirm && p->group &&
	       !p->unsavable && (k->client ? c->save_clients : k->joint);
}

static void drop(struct cache *c, struct savepoint *s)
{
	c->transport.drop(c->transport.self, s->id);
	c->common->counts.dropped++;
	*s = (struct savepoint){0};
}

void saved_drop_group(struct cache *c, u32 group)
{
	for (u32 i = 0; group && i < CACHE_SAVED; i++)
		if (c->common->saved[i].id && c->common->saved[i].group == group)
			drop(c, &c->common->saved[i]);
}

static struct savepoint *saved_at(struct cache *c, u32 tree, const struct tree_at *at)
{
	for (u32 i = 0; i < CACHE_SAVED; i++)
		if (c->common->saved[i].id && c->common->saved[i].tree == tree &&
		    at_equal(&c->common->saved[i].at, at))
			return &c->common->saved[i];
	return NULL;
}

struct savepoint *saved_nearest(struct cache *c, u32 tree, const struct tree_at *to, bool hurried)
{
	struct savepoint *best = NULL;
	for (u32 i = 0; i < CACHE_SAVED; i++) {
		struct savepoint *s = &c->common->saved[i];
		if (s->id && s->tree == tree && tree_passes(c->t, &s->at, to) && (hurried || !s->hurried) &&
		    (!best || s->at.written > best->at.written || (s->at.ended && !best->at.ended)))
			best = s;
	}
	return best;
}

/* ---- room ---- */

/* Is it on the way to where the program stands now? Then it is likely to be needed next. */
static bool is_near(struct cache *c, const struct savepoint *s, u32 opens)
{
	for (u32 i = 0; i < opens; i++) {
		struct tree_at at = pos_at(c->open[i]);
		if (c->open[i]->tree == s->tree + 1 && tree_passes(c->t, &s->at, &at))
			return true;
	}
	return false;
}

/*
 * What goes first: what can be had again by replaying, before what perhaps can't, and that before what can't;
 * what lies beside the program's way, where all may be explored, before what lies on it; what was not used
 * for long. The first of a peer stays.
 */
static u32 worth(struct cache *c, const struct savepoint *s, u32 opens)
{
	if (!s->at.written && !s->at.ended)
		return 8;
	return (s->chose ? 4u : s->acted ? 2u : 0u) + is_near(c, s, opens);
}

static struct savepoint *make_room(struct cache *c)
{
	u32 opens = cache_list_open(c), least = ~0u;
	struct savepoint *victim = NULL;
	for (u32 i = 0; i < CACHE_SAVED; i++) {
		struct savepoint *s = &c->common->saved[i];
		if (!s->id)
			return s;
		u32 w = worth(c, s, opens);
		if (w < least || (w == least && s->last_use < victim->last_use)) {
			least = w;
			victim = s;
		}
	}
	drop(c, victim);
	return victim;
}

/* The backend has no memory for one more: half of what can be had again goes. False: nothing can. */
static bool thin_out(struct cache *c)
{
	u32 dropped = 0, nth = 0;
	for (u32 i = 0; i < CACHE_SAVED; i++) {
		struct savepoint *s = &c->common->saved[i];
		if (s->id && !s->acted && (s->at.written || s->at.ended) && ++nth % 2) {
			drop(c, s);
			dropped++;
		}
	}
	return dropped > 0;
}

/* ---- saving ---- */

static void count_saved(struct cache *c)
{
	u64 n = 0;
	for (u32 i = 0; i < CACHE_SAVED; i++)
		n += c->common->saved[i].id != 0;
	c->common->counts.taken++;
	c->common->counts.peak = HD_MAX(c->common->counts.peak, n);
}

void saved_take(struct cache *c, struct physical *p)
{
	bool acted = p->acted, chose = p->chose;
	p->acted = p->chose = p->moved = p->opened = false;
	if (!may_save(c, p))
		return;
	struct savepoint *s = saved_at(c, p->tree, &p->at);
	if (s && c->strategy != NET_CHECKPOINT_ALWAYS)
		return;
	if (s)
		drop(c, s);
	do {
		c->reply = (struct transport_reply){0};
		c->transport.save(c->transport.self, p->conn, &c->reply);
	} while (c->reply.status == NET_ERROR_FULL && thin_out(c));
	if (c->reply.status) {
		if (!c->common->counts.unsaved[0] && c->reply.text)
			str_copy(c->common->counts.unsaved, sizeof(c->common->counts.unsaved), c->reply.text);
		p->unsavable = c->reply.status == NET_ERROR_UNSAVED && c->reply.client;
		return;
	}
	u64 id = c->reply.saved;
	s = make_room(c);
	*s = (struct savepoint){.id = id,
				.tree = p->tree,
				.group = p->group,
				.at = p->at,
				.said = p->said,
				.flags = p->flags,
				.acted = acted,
				.chose = chose,
				.hurried = p->hurried,
				.last_use = ++c->common->clock};
	count_saved(c);
}

/* Does the program stand where this one does? */
static bool is_present(struct cache *c, const struct physical *p, u32 opens)
{
	for (u32 i = 0; i < opens; i++) {
		struct tree_at at = pos_at(c->open[i]);
		if (physical_stands_at(p, c->open[i]->tree - 1, &at))
			return true;
	}
	return false;
}

bool cache_wants_step(const struct cache *c)
{
	return c->touched || c->strategy == NET_CHECKPOINT_ALWAYS;
}

void cache_step_ended(struct cache *c)
{
	bool always = c->strategy == NET_CHECKPOINT_ALWAYS;
	if (hd_likely(!cache_wants_step(c)))
		return;
	u32 opens = always ? cache_list_open(c) : 0;
	c->touched = false;
	for (u32 i = 0; i < NET_MAX_CONNS; i++) {
		struct physical *p = &c->common->conn[i];
		if (!p->conn)
			continue;
		bool io = c->strategy == NET_CHECKPOINT_IO && p->moved;
		bool connect = c->strategy == NET_CHECKPOINT_CONNECT && p->opened;
		if (p->acted || io || connect || (always && is_present(c, p, opens)))
			saved_take(c, p);
		p->moved = p->opened = false;
	}
}

/* ---- bringing back ---- */

#define MEASURED 32u      /* restores: a few may all have been unlucky */
#define START_NS 1500000u /* at least: it may have been started before it was asked for */

u64 saved_now(const struct cache *c)
{
	return c->transport.now ? c->transport.now(c->transport.self) : 0;
}

void saved_measure(const struct cache *c, u64 start, u64 *sum, u64 *least)
{
	u64 took = saved_now(c) - start;
	*sum += took;
	*least = *least ? HD_MIN(*least, took) : took;
}

/* Where the way from the start on can be had again: nobody was seen to act on it. */
static bool may_start_again(const struct cache *c, u32 tree)
{
	if (c->common->counts.chose || c->strategy == NET_CHECKPOINT_ALWAYS)
		return false;
	for (u32 i = 0; i < CACHE_SAVED; i++)
		if (c->common->saved[i].id && c->common->saved[i].tree == tree && c->common->saved[i].acted)
			return false;
	return true;
}

static u64 marks_to(const struct cache *c, struct tree_at from, const struct tree_at *to)
{
	struct tree_at next;
	struct mark_view m;
	u64 n = 0;
	for (; tree_mark_after(c->t, &from, to, &next, &m); from = next)
		n++;
	return n;
}

bool saved_is_dearer(struct cache *c, const struct savepoint *s)
{
	struct net_checkpoints *n = &c->common->counts;
	if (n->restored < MEASURED || !n->starts || !n->requests || !may_start_again(c, s->tree))
		return false;
	/* Behind s the way is the same. */
	u64 replays = marks_to(c, root_at(c, s->tree), &s->at);
	u64 start = HD_MAX(n->least_start_ns, (u64)START_NS);
	bool dearer = n->least_restore_ns > start + replays * n->least_request_ns;
	n->cheaper += dearer;
	return dearer;
}

struct physical *saved_restore(struct cache *c, struct savepoint *s)
{
	struct physical *p = c->common->conn;
	while (p < c->common->conn + NET_MAX_CONNS && !(p->conn && p->group == s->group))
		p++;
	hd_assert(p < c->common->conn + NET_MAX_CONNS); /* else it had been dropped */
	u64 start = saved_now(c);
	c->reply = (struct transport_reply){0};
	c->transport.restore(c->transport.self, s->id, &c->reply);
	saved_measure(c, start, &c->common->counts.restore_ns, &c->common->counts.least_restore_ns);
	if (c->reply.status) { /* where the peer stands is not known any more */
		if (!c->common->counts.unsaved[0] && c->reply.text)
			str_copy(c->common->counts.unsaved, sizeof(c->common->counts.unsaved), c->reply.text);
		physical_close(c, p);
		return NULL;
	}
	*p = (struct physical){.conn = c->reply.conn,
			       .tree = s->tree,
			       .group = s->group,
			       .at = s->at,
			       .said = s->said,
			       .flags = s->flags,
			       .hurried = s->hurried,
			       .last_use = ++c->common->clock,
			       .epoch = c->epoch};
	s->last_use = c->common->clock;
	c->common->counts.restored++;
	return p;
}
