#include "search/livelock.h"

#include "search/search_priv.h"

void *memcpy(void *to, const void *from, size_t n);

#define ROUNDS_MAX 256u

struct livelock_round {
	u32 to, len; /* position of the state; number of actions */
	u64 at;      /* where they lie in words */
};

/* One state on the search's stack. */
struct livelock_visit {
	u32 at, low; /* own position in open; lowest one known to be reachable */
	bool exits, cyclic;
	struct target_loop inside;  /* the steps inside the component so far */
	struct target_loop entered; /* the one that led here */
};

static struct livelock_visit *top(struct livelock *l)
{
	return (struct livelock_visit *)(l->frames.data + l->frames.len) - 1;
}

static struct fingerprint *open_at(struct livelock *l, u64 i)
{
	return (struct fingerprint *)l->open.data + i;
}

static u64 open_count(const struct livelock *l)
{
	return l->open.len / sizeof(struct fingerprint);
}

bool livelock_begin(struct livelock *l)
{
	*l = (struct livelock){0};
	return fingerprint_map_begin(&l->positions);
}

void livelock_end(struct livelock *l)
{
	pages_vec_free(&l->open);
	pages_vec_free(&l->frames);
	pages_vec_free(&l->rounds);
	pages_vec_free(&l->words);
	fingerprint_map_free(&l->positions);
}

static void add_steps(struct target_loop *to, struct target_loop from)
{
	to->steps |= from.steps;
	to->waits += from.waits;
	to->several |= from.several || (to->fiber && from.fiber && to->fiber != from.fiber);
	to->fiber = to->fiber ? to->fiber : from.fiber;
}

void livelock_enter(struct livelock *l, struct fingerprint fp, struct target_loop step)
{
	struct livelock_visit *v = pages_vec_push(&l->frames, sizeof(*v));
	struct fingerprint *o = pages_vec_push(&l->open, sizeof(*o));
	if (o)
		*o = fp;
	u32 at = (u32)open_count(l) - 1;
	if (!v || !o || !fingerprint_map_put(&l->positions, fp, at + 1)) {
		l->failed = true;
		return;
	}
	*v = (struct livelock_visit){.at = at, .low = at, .entered = step};
}

/* The frame of an open state that is still on the search's stack; frames ascend by position. */
static struct livelock_visit *on_stack(struct livelock *l, u32 at)
{
	struct livelock_visit *v = (struct livelock_visit *)l->frames.data;
	u64 low = 0, high = l->frames.len / sizeof(*v);
	while (low < high) {
		u64 middle = (low + high) / 2;
		if (v[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->frames.len / sizeof(*v) && v[low].at == at ? &v[low] : NULL;
}

static struct livelock_round *round_to(struct livelock *l, u32 at)
{
	struct livelock_round *r = (struct livelock_round *)l->rounds.data;
	for (u64 i = 0; i < l->rounds.len / sizeof(*r); i++)
		if (r[i].to == at)
			return &r[i];
	return NULL;
}

/* The first way back to each state is enough; for messages, so a few of them are. */
static void keep_round(struct livelock *l, u32 to, const u32 *path, u64 len)
{
	struct livelock_visit *v = on_stack(l, to);
	if (!v || l->rounds.len >= ROUNDS_MAX * sizeof(struct livelock_round) || round_to(l, to))
		return;
	/* So many actions lead to the state. */
	u64 depth = l->base + (u64)(v - (struct livelock_visit *)l->frames.data);
	struct livelock_round *r = pages_vec_push(&l->rounds, sizeof(*r));
	u32 *copy = pages_vec_push(&l->words, (len - depth) * sizeof(*copy));
	if (!r || !copy) {
		l->failed = true;
		return;
	}
	*r = (struct livelock_round){to, (u32)(len - depth), (u64)(copy - (u32 *)l->words.data)};
	memcpy(copy, path + depth, (len - depth) * sizeof(*copy));
}

static void forget_rounds(struct livelock *l, u32 from)
{
	struct livelock_round *r = (struct livelock_round *)l->rounds.data;
	u64 kept = 0;
	for (u64 i = 0; i < l->rounds.len / sizeof(*r); i++)
		if (r[i].to < from)
			r[kept++] = r[i];
	l->rounds.len = kept * sizeof(*r);
	if (!kept)
		l->words.len = 0;
}

void livelock_known(struct livelock *l, struct fingerprint fp, struct target_loop step, const u32 *path,
		    u64 len)
{
	if (l->failed)
		return;
	struct livelock_visit *v = top(l);
	u32 found = fingerprint_map_get(&l->positions, fp);
	if (!found) {
		v->exits = true; /* to a component that is complete */
		return;
	}
	u32 to = found - 1;
	v->cyclic = true;
	add_steps(&v->inside, step);
	v->low = HD_MIN(v->low, to);
	keep_round(l, to, path, len);
}

void livelock_out(struct livelock *l)
{
	if (!l->failed)
		top(l)->exits = true;
}

static void close_component(struct livelock *l, u32 from)
{
	while (open_count(l) > from) {
		fingerprint_map_remove(&l->positions, *open_at(l, open_count(l) - 1));
		l->open.len -= sizeof(struct fingerprint);
	}
}

bool livelock_leave(struct livelock *l, const u32 **round, u64 *len)
{
	*round = NULL;
	*len = 0;
	if (l->failed)
		return false;
	struct livelock_visit v = *top(l);
	l->frames.len -= sizeof(v);
	struct livelock_visit *parent = l->frames.len ? top(l) : NULL;
	if (v.low < v.at) {
		hd_assert(parent); /* the state it leads back to lies further up the path */
		parent->low = HD_MIN(parent->low, v.low);
		parent->exits |= v.exits;
		parent->cyclic = true;
		add_steps(&parent->inside, v.inside);
		add_steps(&parent->inside, v.entered);
		return false;
	}
	if (parent)
		parent->exits = true;
	struct livelock_round *r = round_to(l, v.at);
	if (r) {
		*round = (const u32 *)l->words.data + r->at;
		*len = r->len;
	}
	close_component(l, v.at);
	forget_rounds(l, v.at);
	l->loop = v.inside;
	return v.cyclic && !v.exits && (v.inside.steps & (LOOP_WAITS | LOOP_WORKS)) == LOOP_WAITS;
}

/*
 * ---- as an observer of the search ----
 *
 * Of several workers each looks at the states that it entered itself. A state of which another has a part may
 * have ways out, and so may those that others entered. What is found so is a livelock; what is not found so
 * is found at the end (escape.h).
 */

static void *watch_begin(struct search *s)
{
	bool matching = !(s->hooks->follow && (s->hooks->follow->trust || s->hooks->follow->part)) &&
			!s->o->max_depth && !s->o->no_matching;
	if (s->o->strategy != SEARCH_DFS || !matching || !s->ops->can_livelock ||
	    !s->ops->can_livelock(s->self))
		return NULL;
	struct livelock *l = pages_map(sizeof(*l));
	if (l && !livelock_begin(l)) {
		pages_unmap(l, sizeof(*l));
		l = NULL;
	}
	return l;
}

static void watch_end(void *self, struct search *s)
{
	(void)s;
	livelock_end(self);
	pages_unmap(self, sizeof(struct livelock));
}

static enum move watch_step(void *self, struct search *s, u32 action)
{
	struct target_loop *step = &((struct livelock *)self)->step;
	bool busy = s->ops->busy(s->self, action);
	bool looks = !busy && s->ops->looks && s->ops->looks(s->self, action);
	*step = (struct target_loop){.steps = busy    ? LOOP_WAITS
					      : looks ? LOOP_LOOKS
						      : LOOP_WORKS,
				     .waits = busy,
				     .fiber = s->ops->action_fiber(s->self, action) + 1};
	return MOVE_KNOWN;
}

/* The step has been made. */
static struct target_loop *step_made(struct livelock *l, struct search *s)
{
	const struct target_audit *audit = s->ops->audit;
	if (l->step.steps != LOOP_WORKS && audit && audit->output && audit->output(s->self))
		l->step.steps |= LOOP_SAYS;
	return &l->step;
}

static enum move watch_enter(void *self, struct search *s, const u32 *actions, u32 n)
{
	(void)actions;
	(void)n;
	struct livelock *l = self;
	if (!l->frames.len)
		l->base = search_depth(s);
	livelock_enter(l, s->ops->fingerprint(s->self), *step_made(l, s));
	return MOVE_KNOWN;
}

static enum move watch_edge(void *self, struct search *s, u32 action, enum edge to)
{
	(void)action;
	struct livelock *l = self;
	if (!l->frames.len) /* a state that another worker entered */
		return MOVE_KNOWN;
	if (to == EDGE_KNOWN)
		livelock_known(l, s->ops->fingerprint(s->self), *step_made(l, s), search_path(s),
			       search_depth(s));
	else if (to != EDGE_NEW)
		livelock_out(l);
	return MOVE_KNOWN;
}

static enum move watch_leave(void *self, struct search *s)
{
	const u32 *round;
	u64 len, before = s->path.len;
	if (s->leaves_shared) /* some of its edges are others' */
		livelock_out(self);
	if (!livelock_leave(self, &round, &len))
		return MOVE_KNOWN;
	const struct target_loop *loop = &((struct livelock *)self)->loop;
	if (loop->steps & LOOP_LOOKS && !(s->ops->in_vain && s->ops->in_vain(s->self, loop)))
		return MOVE_KNOWN;
	/* The path there, and once around: the words stay where they are until the next call. */
	u32 *to = pages_vec_push(&s->path, len * sizeof(*to));
	if (!to)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	for (u64 i = 0; i < len; i++)
		to[i] = round[i];
	enum move m = search_livelock(s, loop->steps & LOOP_LOOKS);
	s->path.len = before;
	return m < MOVE_HALT ? MOVE_KNOWN : m;
}

static u64 watch_memory(const void *self)
{
	const struct livelock *l = self;
	return l->open.cap + l->frames.cap + fingerprint_map_bytes(&l->positions);
}

const struct observer observer_livelock = {
	.begin = watch_begin,
	.enter = watch_enter,
	.step = watch_step,
	.edge = watch_edge,
	.leave = watch_leave,
	.end = watch_end,
	.memory = watch_memory,
};
