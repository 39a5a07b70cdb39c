#include "report/trees_walk.h"

#include <stdlib.h>

/* A piece of one branch. */
struct leg {
	u32 branch;
	u64 from, to;
	bool fresh; /* the mark at `from` is part of it */
	bool end;   /* so is the end of writing */
};

/* A way that is still to be walked. */
struct way {
	u32 branch, n, of, depth;
	u64 from, said, token;
	bool fresh;
};

struct tree_walk {
	const struct trees *trees;
	struct tree_visitor *visitor;
	u64 said;   /* by the peer, up to here */
	bool heard; /* the peer was waited for behind the last event of the SUT */
	struct way *way;
	size_t ways, room;
};

static void tell(struct tree_walk *w, enum tree_event_kind kind, const u8 *bytes, u64 len, u32 flags)
{
	const struct tree_event e = {kind, bytes, len, flags};

	w->heard = kind != TREE_WRITTEN && kind != TREE_ENDED;
	w->visitor->event(w->visitor->self, &e);
}

static void tell_written(struct tree_walk *w, const struct branch_view *b, u64 from, u64 to)
{
	if (from < to)
		tell(w, TREE_WRITTEN, b->bytes + (from - b->fork), to - from, 0);
}

/*
 * What is new since the last mark lies in the branch itself: it stores all beyond its last ancestor's mark.
 */
static void tell_mark(struct tree_walk *w, const struct branch_view *b, const struct mark_view *m)
{
	u64 from = HD_MAX(w->said, b->reply_from), to = HD_MIN(m->reply, b->reply_from + b->reply_len);

	if (from < to) {
		tell(w, TREE_SAID, b->reply + (from - b->reply_from), to - from, m->flags);
		w->said = to;
	}
	if (m->flags & NET_RESET)
		tell(w, TREE_RESET, NULL, 0, m->flags);
	else if (m->flags & NET_EOF)
		tell(w, TREE_CLOSED, NULL, 0, m->flags);
	else if (from >= to)
		tell(w, TREE_SILENT, NULL, 0, m->flags);
}

static void walk_leg(struct tree_walk *w, const struct leg *l)
{
	struct branch_view b;
	struct mark_view m;
	bool ended = false;
	u64 at = l->from;

	branch_get(w->trees, l->branch, &b);
	for (u32 i = 0; i < b.marks; i++) {
		mark_get(w->trees, l->branch, i, &m);
		if (m.at < l->from || (m.at == l->from && !m.ended && !l->fresh))
			continue;
		if (m.at > l->to || (m.ended && !l->end))
			break;
		tell_written(w, &b, at, m.at);
		at = m.at;
		if (m.ended && !ended) {
			tell(w, TREE_ENDED, NULL, 0, 0);
			ended = true;
		}
		tell_mark(w, &b, &m);
	}
	tell_written(w, &b, at, l->to);
	if (l->end && !ended)
		tell(w, TREE_ENDED, NULL, 0, 0);
}

static bool push(struct tree_walk *w, const struct way *way)
{
	if (w->ways == w->room) {
		size_t room = w->room ? 2 * w->room : 64;
		struct way *grown = realloc(w->way, room * sizeof(*grown));

		if (!grown)
			return false;
		w->way = grown;
		w->room = room;
	}
	w->way[w->ways++] = *way;
	return true;
}

/* Where the next child leaves, and how many do so there. None: `none`, 0. */
static u64 next_fork(const struct trees *t, u32 branch, u64 from, bool fresh, u64 none, u32 *children)
{
	u64 fork = none;

	*children = 0;
	for (u32 c = branch_first_child(t, branch); c != TREE_NONE; c = branch_next_sibling(t, c)) {
		struct branch_view b;

		branch_get(t, c, &b);
		if (b.fork < from || (b.fork == from && !fresh) || (*children && b.fork > fork))
			continue;
		*children = *children && b.fork == fork ? *children + 1 : 1;
		fork = b.fork;
	}
	return fork;
}

/* The last way is pushed first. A single one is no fork. */
static bool push_ways(struct tree_walk *w, const struct way *here, u64 at, bool goes_on, u32 children)
{
	u32 of = children + goes_on, n = 0;
	struct way next = {.of = of,
			   .depth = here->depth + (of > 1),
			   .from = at,
			   .said = w->said,
			   .token = w->visitor->token};
	size_t first = w->ways;

	if (goes_on) {
		next.branch = here->branch;
		next.n = ++n;
		if (!push(w, &next))
			return false;
	}
	for (u32 c = branch_first_child(w->trees, here->branch); c != TREE_NONE;
	     c = branch_next_sibling(w->trees, c)) {
		struct branch_view b;

		branch_get(w->trees, c, &b);
		if (b.fork != at)
			continue;
		next.branch = c;
		next.n = ++n;
		if (!push(w, &next))
			return false;
	}
	for (size_t i = 0; i < (w->ways - first) / 2; i++) {
		struct way swap = w->way[first + i];

		w->way[first + i] = w->way[w->ways - 1 - i];
		w->way[w->ways - 1 - i] = swap;
	}
	return true;
}

static bool walk_way(struct tree_walk *w, const struct way *way)
{
	struct tree_visitor *v = w->visitor;
	struct branch_view b;
	struct leg leg = {.branch = way->branch, .from = way->from, .fresh = way->fresh};
	u32 children;

	v->token = way->token;
	w->said = way->said;
	if (way->of > 1 && v->way)
		v->way(v->self, way->n, way->of, way->from, way->depth);
	branch_get(w->trees, way->branch, &b);
	leg.to = next_fork(w->trees, way->branch, way->from, way->fresh, b.fork + b.len, &children);
	leg.end = !children && b.ended;
	walk_leg(w, &leg);
	if (children)
		return push_ways(w, way, leg.to, leg.to < b.fork + b.len || b.ended, children);
	if (!w->heard)
		tell(w, TREE_UNHEARD, NULL, 0, 0);
	return true;
}

bool tree_walk(const struct trees *t, u32 tree, struct tree_visitor *v)
{
	struct tree_walk w = {.trees = t, .visitor = v};
	const struct way root = {.branch = tree_root(t, tree), .of = 1, .fresh = true, .token = v->token};
	bool ok = push(&w, &root);

	while (ok && w.ways) {
		struct way next = w.way[--w.ways];

		ok = walk_way(&w, &next);
	}
	free(w.way);
	return ok;
}

bool tree_trace_ends(const struct trees *t, u32 branch)
{
	struct branch_view b;
	u32 children;

	branch_get(t, branch, &b);
	next_fork(t, branch, b.fork + b.len, true, 0, &children);
	return b.ended || !children;
}

/* From the root down: the branches' numbers, owned by the caller. NULL: no memory. */
static u32 *lineage(const struct trees *t, u32 branch, size_t *n)
{
	struct branch_view b;
	u32 *list;
	size_t i = 0;

	hd_assert(branch != TREE_NONE);
	for (u32 at = branch; at != TREE_NONE; at = b.parent, i++)
		branch_get(t, at, &b);
	*n = i;
	list = calloc(i, sizeof(*list));
	for (u32 at = branch; list && at != TREE_NONE; at = b.parent) {
		branch_get(t, at, &b);
		list[--i] = at;
	}
	return list;
}

bool tree_walk_trace(const struct trees *t, u32 branch, struct tree_visitor *v)
{
	struct tree_walk w = {.trees = t, .visitor = v};
	size_t n;
	u32 *list = lineage(t, branch, &n);
	bool ok = list != NULL;

	for (size_t i = 0; ok && i < n; i++) {
		struct branch_view b, next;
		struct leg leg = {.branch = list[i], .fresh = i == 0};

		branch_get(t, list[i], &b);
		leg.from = b.fork;
		leg.to = b.fork + b.len;
		leg.end = b.ended;
		if (i + 1 < n) {
			branch_get(t, list[i + 1], &next);
			leg.to = next.fork;
			leg.end = false;
		}
		walk_leg(&w, &leg);
	}
	if (ok && !w.heard)
		tell(&w, TREE_UNHEARD, NULL, 0, 0);
	free(list);
	return ok;
}
