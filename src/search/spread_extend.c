/* Going from state to state, and extending one: see spread.c. */
#include "search/spread_priv.h"

/* Before its delta, a node has the fingerprint of its state. */
struct fingerprint *spread_print_of(struct node *n)
{
	return (struct fingerprint *)n->delta;
}

static void apply(struct spread *d, struct node *n)
{
	d->s->ops->delta_apply(d->s->self, n->delta + sizeof(struct fingerprint));
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
	size_t size = ops->delta_size(d->s->self, before) + sizeof(struct fingerprint);
	struct node *n = node_new(&d->nodes, d->here, action, size);
	if (!n)
		return NULL;
	*spread_print_of(n) = ops->fingerprint(d->s->self);
	ops->delta_save(d->s->self, before, n->delta + sizeof(struct fingerprint));
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
	if (owner == d->port->rank)
		return spread_count_new(d, n);
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
	if (r == STEP_OK) {
		s->stats->transitions++;
		m = arrive(d, before, action);
	} else {
		m = search_step_ended(s, r);
	}
	if (m == MOVE_HALT)
		return m;
	s->path.len -= sizeof(action);
	search_undo(s, before);
	return m == MOVE_RESTART ? m : MOVE_KNOWN;
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
	for (u32 i = 0; i < count && m < MOVE_HALT; i++)
		m = step(d, before, actions[i]);
	return m < MOVE_HALT ? MOVE_KNOWN : m;
}
