/*
 * Breadth-first search: the first violation found is one with the fewest steps, unless orders are left out.
 *
 * The undo log leads back along one path only, so states that wait to be extended are
 * kept as a tree of deltas. To go from one node to another, deltas are toggled up to
 * the common ancestor and down again; the queue is in the order of discovery, so
 * neighbours in it are mostly near each other in the tree. A state that has no actions, or that is at the
 * bound on the depth, is dealt with when it is found and never becomes a node.
 *
 * References: a node is held by its children, by the queue while it waits, and by the position of
 * the target. So everything that is needed to go from here to any waiting node is alive.
 *
 * With a reduction (reduction.h), the actions of a state that may be left out are left out if one of the
 * others leads to a new state.
 */
#include "search/nodes.h"
#include "search/reduction.h"
#include "search/sanity.h"
#include "search/search_priv.h"

/* Nodes; a power of two. */
#define PASS_CHECK_EVERY 256

struct bfs {
	struct search *s;
	struct nodes nodes;
	struct node *here;             /* where the target stands, apart from a step being tried */
	struct node *first, **last;    /* the queue */
	struct pages_vec way;          /* struct node *: scratch, the way down */
	struct pages_vec actions;      /* u32, of the node being extended */
	struct fingerprint here_print; /* sanity 3 */
	u64 extended;
	bool cut;
	bool led_on; /* an action of the node being extended led to a new state */
};

static u64 bfs_memory(const struct search *s)
{
	const struct bfs *b = s->mine;
	return b->nodes.bytes + b->way.cap + b->actions.cap;
}

static void enqueue(struct bfs *b, struct node *n)
{
	*b->last = n;
	b->last = &n->next;
	b->s->stats->frontier++;
}

static struct node *dequeue(struct bfs *b)
{
	struct node *n = b->first;
	b->first = n->next;
	b->s->stats->frontier--;
	if (!b->first)
		b->last = &b->first;
	return n;
}

static void go_up(struct bfs *b)
{
	struct node *from = b->here;
	b->s->ops->delta_apply(b->s->self, from->delta);
	b->s->path.len -= sizeof(from->action);
	b->here = from->parent;
	b->here->refs++;
	node_put(&b->nodes, from);
}

static enum move go_down(struct bfs *b, struct node *to)
{
	u32 *at = pages_vec_push(&b->s->path, sizeof(*at));
	if (!at)
		return search_halt(b->s, SEARCH_LIMIT_MEMORY);
	*at = to->action;
	b->s->ops->delta_apply(b->s->self, to->delta);
	to->refs++;
	node_put(&b->nodes, b->here);
	b->here = to;
	return MOVE_KNOWN;
}

/* Move the target, and the path with it, to a waiting node or to the root. */
static enum move go_to(struct bfs *b, struct node *to)
{
	b->way.len = 0;
	for (struct node *n = to; n != b->here;) {
		if (n->depth < b->here->depth) {
			go_up(b);
			continue;
		}
		struct node **slot = pages_vec_push(&b->way, sizeof(*slot));
		if (!slot)
			return search_halt(b->s, SEARCH_LIMIT_MEMORY);
		*slot = n;
		n = n->parent;
		hd_assert(n); /* the root is where all ways meet at the latest */
	}
	enum move m = MOVE_KNOWN;
	for (; b->way.len && m == MOVE_KNOWN; b->way.len -= sizeof(to))
		m = go_down(b, ((struct node **)(b->way.data + b->way.len))[-1]);
	return m;
}

/* Remember the state just found, one step from `here`, for later. */
static enum move add_node(struct bfs *b, target_mark before, u32 action)
{
	struct search *s = b->s;
	size_t size = s->ops->delta_size(s->self, before);
	struct node *n = node_new(&b->nodes, b->here, action, size);
	if (!n)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	s->ops->delta_save(s->self, before, n->delta);
	enqueue(b, n);
	return MOVE_NEW;
}

/* A state just found: MOVE_NEW if it is to be extended. */
static enum move classify(struct bfs *b)
{
	struct search *s = b->s;
	u32 *room = search_action_room(&s->scratch);
	if (!room)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	if (!s->ops->actions(s->self, room))
		return search_terminal(s);
	if (!search_at_bound(s))
		return MOVE_NEW;
	b->cut = true;
	return MOVE_DEAD;
}

static enum move try_action(struct bfs *b, target_mark before, u32 action)
{
	struct search *s = b->s;
	enum move m = search_tell_step(s, action);
	if (hd_likely(m < MOVE_HALT))
		m = search_step(s, action);
	if (s->reduction && hd_likely(m < MOVE_HALT))
		reduction_learn(s->reduction, action, m == MOVE_DEAD);
	b->led_on |= m == MOVE_NEW;
	enum edge to = m == MOVE_DEAD ? EDGE_DEAD : m == MOVE_KNOWN ? EDGE_KNOWN : EDGE_NEW;
	if (m == MOVE_NEW) {
		m = classify(b);
		if (m == MOVE_DEAD)
			to = EDGE_END;
	}
	if (m == MOVE_NEW)
		m = add_node(b, before, action);
	if (hd_likely(m < MOVE_HALT)) {
		enum move told = search_tell_edge(s, action, to);
		m = hd_unlikely(told >= MOVE_HALT) ? told : m;
	}
	/* After MOVE_HALT the target is left where it is, for a report. */
	if (m == MOVE_HALT)
		return m;
	s->path.len -= sizeof(action);
	search_undo(s, before);
	if (hd_unlikely(s->o->sanity >= 3) && m != MOVE_RESTART)
		m = sanity_same(s, b->here_print, "after undo the state is not the one before the step");
	return m;
}

/* The target stands at the root and will do so afterwards. */
static enum move replay_to(struct bfs *b, const struct node *to)
{
	struct search *s = b->s;
	target_mark initial = s->ops->mark(s->self);
	if (to->depth && !pages_vec_push(&s->path, to->depth * sizeof(u32)))
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	for (u32 *path = (u32 *)s->path.data; to->parent; to = to->parent)
		path[to->depth - 1] = to->action;
	enum move m = sanity_replay(s, b->here_print, NULL);
	if (m == MOVE_HALT)
		return m;
	s->path.len = 0;
	search_undo(s, initial);
	return m;
}

/* Sanity 3: did the deltas lead to the state they should, and do the steps lead there, too? */
static enum move check_here(struct bfs *b)
{
	struct search *s = b->s;
	b->here_print = s->ops->fingerprint(s->self);
	if (!s->o->no_matching && !s->filter.lines && !visited_contains(&s->visited, b->here_print))
		return sanity_differs(s, "deltas lead to a state that was never visited");
	enum move m = sanity_state(s);
	if (m != MOVE_KNOWN || !sanity_wants_replay(s))
		return m;
	struct node *to = b->here, *root = to;
	while (root->parent)
		root = root->parent;
	m = go_to(b, root);
	if (m == MOVE_KNOWN)
		m = replay_to(b, to);
	return m == MOVE_KNOWN ? go_to(b, to) : m;
}

static enum move extend(struct bfs *b, struct node *n)
{
	struct search *s = b->s;
	enum move m = go_to(b, n);
	if (m == MOVE_KNOWN && hd_unlikely(s->o->sanity >= 3))
		m = check_here(b);
	if (m != MOVE_KNOWN)
		return m;
	u32 *actions = search_action_room(&b->actions);
	if (!actions)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	u32 count = s->ops->actions(s->self, actions);
	target_mark before = s->ops->mark(s->self);
	s->stats->depth = n->depth;
	m = search_tell_enter(s, actions, count);
	u32 first = s->reduction ? reduction_enter(s->reduction, actions, count) : count;
	b->led_on = false;
	for (u32 i = 0; i < count && m < MOVE_HALT; i++) {
		if (i == first && b->led_on) {
			s->stats->reduced++;
			break;
		}
		m = try_action(b, before, actions[i]);
	}
	if (s->reduction)
		reduction_leave(s->reduction);
	if (m < MOVE_HALT)
		m = search_tell_leave(s);
	return m < MOVE_HALT ? MOVE_KNOWN : m;
}

static enum move explore(struct bfs *b, struct node *root)
{
	enum move m = search_begin(b->s);
	if (m == MOVE_NEW)
		m = classify(b);
	if (m == MOVE_NEW)
		enqueue(b, root);
	while (m < MOVE_HALT && b->first) {
		struct node *n = dequeue(b);
		m = extend(b, n);
		node_put(&b->nodes, n);
		if (b->s->reduction && m < MOVE_HALT &&
		    (!b->first || !(++b->extended & (PASS_CHECK_EVERY - 1))) &&
		    search_check_pass(b->s, !b->first) == MOVE_RESTART)
			m = MOVE_RESTART;
	}
	if (m < MOVE_HALT)
		m = search_complete(b->s, b->cut != 0);
	return m;
}

/* The root is held by three: us, the position, the queue. */
static enum move from_root(struct bfs *b)
{
	struct search *s = b->s;
	struct node *root = node_new(&b->nodes, NULL, 0, 0);
	if (!root)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	root->refs = 3;
	b->here = root;
	enum move m = explore(b, root);
	if (m == MOVE_RESTART) {
		m = go_to(b, root);
		s->root = s->ops->mark(s->self);
		m = m == MOVE_HALT ? m : MOVE_RESTART;
	}
	return m;
}

static enum move bfs_run(struct search *s)
{
	struct bfs b = {.s = s};
	b.last = &b.first;
	s->mine = &b;
	enum move m = from_root(&b);
	nodes_free(&b.nodes);
	pages_vec_free(&b.way);
	pages_vec_free(&b.actions);
	s->mine = NULL;
	return m;
}

const struct strategy strategy_bfs = {
	.run = bfs_run, .memory = bfs_memory, .reduces = true, .exhausts = true};
