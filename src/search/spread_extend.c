/* Going from state to state, and extending one: see spread.c. */
#include "search/prelude.h"
#include "search/reduction.h"
#include "search/spread_priv.h"

static void apply(struct spread *d, struct node *n)
{
	d->s->ops->delta_apply(d->s->self, n->delta + sizeof(struct node_head));
}

void spread_go_up(struct spread *d)
{
	struct node *from = d->here;
	apply(d, from);
	d->s->path.len -= sizeof(from->action);
	d->here = from->parent;
	d->here->refs++;
	node_put(&d->nodes, from);
}

enum move spread_go_down(struct spread *d, struct node *to)
{
	u32 *at = pages_vec_push(&d->s->path, sizeof(*at));
	if (!at)
		return search_halt(d->s, SEARCH_LIMIT_MEMORY);
	*at = to->action;
	apply(d, to);
	to->refs++;
	node_put(&d->nodes, d->here);
	d->here = to;
	return MOVE_KNOWN;
}

static enum move go_to(struct spread *d, struct node *to)
{
	d->way.len = 0;
	for (struct node *n = to; n != d->here;) {
		if (n->depth < d->here->depth) {
			spread_go_up(d);
			continue;
		}
		struct node **slot = pages_vec_push(&d->way, sizeof(*slot));
		if (!slot)
			return search_halt(d->s, SEARCH_LIMIT_MEMORY);
		*slot = n;
		n = n->parent;
		hd_assert(n);
	}
	enum move m = MOVE_KNOWN;
	for (; d->way.len && m == MOVE_KNOWN; d->way.len -= sizeof(to))
		m = spread_go_down(d, ((struct node **)(d->way.data + d->way.len))[-1]);
	return m;
}

/* ---- extending a state ---- */

struct node *spread_node_here(struct spread *d, target_mark before, u32 action)
{
	const struct target_ops *ops = d->s->ops;
	size_t size = ops->delta_size(d->s->self, before) + sizeof(struct node_head);
	struct node *n = node_new(&d->nodes, d->here, action, size);
	if (!n)
		return NULL;
	*spread_head(n) = (struct node_head){.print = ops->fingerprint(d->s->self)};
	ops->delta_save(d->s->self, before, n->delta + sizeof(struct node_head));
	return n;
}

/* What was asked lately, in a table that grows with the questions: a small search needs a small one. */
static bool asked_lately(struct spread *d, struct fingerprint fp)
{
	struct fingerprint *at = &d->cache[fp.lo & (d->cache_size - 1)];
	if (at->lo == fp.lo && at->hi == fp.hi)
		return true;
	*at = fp;
	if (++d->cached < d->cache_size || d->cache_size == CACHE_MAX)
		return false;
	u32 size = 2 * d->cache_size;
	struct fingerprint *larger = pages_map(size * sizeof(*larger));
	if (!larger)
		return false;
	for (u32 i = 0; i < d->cache_size; i++)
		larger[d->cache[i].lo & (size - 1)] = d->cache[i];
	pages_unmap(d->cache, d->cache_size * sizeof(*d->cache));
	d->cache = larger;
	d->cache_size = size;
	d->cached = 0;
	return false;
}

/* ---- what may be left out ---- */

static struct rest *rest_of(struct node *n)
{
	return (struct rest *)n->delta;
}

/* The actions of n that may be left out if another of its actions led to a new state. */
static struct node *new_rest(struct spread *d, struct node *n, const u32 *action, u32 count)
{
	struct node *r = node_new(&d->nodes, n, 0, sizeof(struct rest) + count * sizeof(*action));
	if (!r)
		return NULL;
	*rest_of(r) = (struct rest){.count = count};
	memcpy(rest_of(r)->action, action, count * sizeof(*action));
	return r;
}

enum move spread_answered(struct spread *d, struct node *n, bool is_new)
{
	struct node *held = spread_head(n)->rest;
	enum move m = MOVE_KNOWN;
	spread_head(n)->rest = NULL;
	if (held) {
		struct rest *r = rest_of(held);
		r->pending--;
		d->s->stats->reduced += is_new && !r->led_on;
		r->led_on |= is_new;
		if (r->led_on || r->pending) {
			node_put(&d->nodes, held);
		} else {
			struct node **at = pages_vec_push(&d->rests, sizeof(*at));
			if (!at)
				return search_halt(d->s, SEARCH_LIMIT_MEMORY);
			*at = held;
		}
	}
	if (is_new)
		return spread_count_new(d, n);
	d->s->stats->revisited++;
	node_put(&d->nodes, n);
	return m;
}

/* ---- steps ---- */

/* A step led to this state, which may be another rank's. */
static enum move arrive(struct spread *d, target_mark before, u32 action)
{
	struct search *s = d->s;
	struct fingerprint fp = s->ops->fingerprint(s->self);
	u32 owner = spread_owner(fp, d->port->ranks);
	int is_new = owner == d->port->rank ? visited_insert(&s->visited, fp) : !asked_lately(d, fp);
	if (is_new < 0)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	if (!is_new) {
		s->stats->revisited++;
		return MOVE_KNOWN;
	}
	struct node *n = spread_node_here(d, before, action);
	if (!n)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	if (owner == d->port->rank) {
		d->led_on = true;
		return spread_count_new(d, n);
	}
	if (d->rest) {
		spread_head(n)->rest = d->rest;
		d->rest->refs++;
		rest_of(d->rest)->pending++;
	}
	spread_ask(d, owner, n);
	return MOVE_KNOWN;
}

static enum move step(struct spread *d, target_mark before, u32 action)
{
	struct search *s = d->s;
	u32 *at = pages_vec_push(&s->path, sizeof(*at));
	if (!at)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	*at = action;
	enum move m = !(++s->ticks & search_poll_mask) ? search_poll(s) : MOVE_KNOWN;
	if (m >= MOVE_HALT)
		return m;
	enum step_result r = s->ops->step(s->self, action);
	if (s->reduction && (r == STEP_OK || r == STEP_VIOLATION || r == STEP_PRUNED))
		reduction_learn(s->reduction, action, r != STEP_OK);
	if (r == STEP_OK) {
		s->stats->transitions++;
		m = arrive(d, before, action);
	} else {
		m = search_step_ended(s, r);
	}
	if (m == MOVE_HALT) {
		d->beyond = true;
		d->before = before;
		return m;
	}
	s->path.len -= sizeof(action);
	search_undo(s, before);
	return m == MOVE_RESTART ? m : MOVE_KNOWN;
}

static enum move steps(struct spread *d, target_mark before, const u32 *action, u32 count)
{
	enum move m = MOVE_KNOWN;
	for (u32 i = 0; i < count && m < MOVE_HALT; i++)
		m = step(d, before, action[i]);
	return m;
}

/*
 * The actions that have to be explored, and the others if none of the first led to a new state: at once, or
 * when the last owner has answered.
 */
static enum move reduced_steps(struct spread *d, struct node *n, target_mark before, u32 *action, u32 count)
{
	struct search *s = d->s;
	u32 first = reduction_enter(s->reduction, action, count);
	d->led_on = false;
	d->rest = first < count ? new_rest(d, n, action + first, count - first) : NULL;
	if (first < count && !d->rest)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	enum move m = steps(d, before, action, first);
	struct node *rest = d->rest;
	d->rest = NULL;
	if (rest) {
		bool waits = !d->led_on && rest_of(rest)->pending;
		rest_of(rest)->led_on = d->led_on;
		s->stats->reduced += d->led_on;
		node_put(&d->nodes, rest);
		if (m < MOVE_HALT && !waits && !d->led_on)
			m = steps(d, before, action + first, count - first);
	}
	reduction_leave(s->reduction);
	return m;
}

enum move spread_extend(struct spread *d, struct node *n)
{
	struct search *s = d->s;
	enum move m = go_to(d, n);
	if (m != MOVE_KNOWN)
		return m;
	u32 *actions = search_action_room(&d->actions);
	if (!actions)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	u32 count = s->ops->actions(s->self, actions);
	target_mark before = s->ops->mark(s->self);
	s->stats->depth = n->depth;
	if (!count)
		m = search_terminal(s);
	else
		m = search_tell_enter(s, actions, count);
	if (count && m < MOVE_HALT)
		m = s->reduction ? reduced_steps(d, n, before, actions, count)
				 : steps(d, before, actions, count);
	if (count && m < MOVE_HALT)
		m = search_tell_leave(s);
	return m < MOVE_HALT ? MOVE_KNOWN : m;
}

enum move spread_extend_rest(struct spread *d, struct node *rest)
{
	struct search *s = d->s;
	struct rest *r = rest_of(rest);
	enum move m = go_to(d, rest->parent);
	if (m != MOVE_KNOWN)
		return m;
	target_mark before = s->ops->mark(s->self);
	reduction_meet(s->reduction);
	m = steps(d, before, r->action, r->count);
	reduction_leave(s->reduction);
	node_put(&d->nodes, rest);
	return m;
}

/* ---- back to the beginning ---- */

enum move spread_go_back(struct spread *d)
{
	struct search *s = d->s;
	if (d->beyond)
		search_undo(s, d->before);
	d->beyond = false;
	enum move m = go_to(d, d->root);
	s->path.len = 0;
	s->root = s->ops->mark(s->self);
	return m == MOVE_HALT ? m : MOVE_RESTART;
}

enum move spread_pause(struct spread *d)
{
	struct search *s = d->s;
	enum move m = go_to(d, d->root);
	if (m != MOVE_KNOWN)
		return m;
	s->root = s->ops->mark(s->self);
	m = interlude_at_root(s);
	if (m == MOVE_HALT) {
		d->beyond = true;
		d->before = s->root;
	}
	return m;
}
