#include "search/eye.h"

#include "base/pages.h"
#include "base/table.h"
#include "search/audit.h"
#include "search/reduction.h"
#include "search/search_priv.h"

/* Of one state at most this many actions are looked at; in large states others each time. */
#define ACTIONS_MAX 16
/* A pair of control points is looked at so often, in different states: data differ. */
#define LOOKS 3

struct eye {
	u64 turn;
	u64 spent;          /* steps */
	struct table pairs; /* struct pair */
	struct pages_vec enabled;
	/* Of the state that is looked at: */
	u32 n;
	u32 action[ACTIONS_MAX];
	u64 point[ACTIONS_MAX];
	bool taken[ACTIONS_MAX], usable[ACTIONS_MAX];
	struct footprint print[ACTIONS_MAX];
};

struct pair {
	u64 points;
	u32 looks;
};

/* What a sequence of two steps leads to. */
struct pair_end {
	bool good;
	struct fingerprint fp;
	u64 actions;
	u64 output[2]; /* of the first, of the second */
};

static u32 fiber_of(struct search *s, u32 action)
{
	return s->ops->action_fiber(s->self, action);
}

/* MOVE_KNOWN: the step was made, and ended well or not. */
static enum move step(struct eye *e, struct search *s, u32 action, target_mark back, bool *good)
{
	e->spent++;
	enum step_result r = s->ops->step(s->self, action);
	*good = r == STEP_OK;
	if (r == STEP_STOP)
		return search_halt(s, SEARCH_STOPPED);
	if (r != STEP_RESTART && !search_is_stale(s))
		return MOVE_KNOWN;
	search_undo(s, back);
	return MOVE_RESTART;
}

static u64 mix(u64 hash, u64 value)
{
	return (hash ^ (value + 1)) * 0x9e3779b97f4a7c15u;
}

static bool is_enabled(struct eye *e, struct search *s, u32 action, u64 *all)
{
	u32 *room = (u32 *)e->enabled.data, n = s->ops->actions(s->self, room);
	bool found = false;
	*all = n;
	for (u32 i = 0; i < n; i++) {
		*all = mix(*all, room[i]);
		found |= room[i] == action;
	}
	return found;
}

static enum move take(struct eye *e, struct search *s, u32 i, target_mark here)
{
	if (e->taken[i])
		return MOVE_KNOWN;
	e->taken[i] = true;
	enum move m = step(e, s, e->action[i], here, &e->usable[i]);
	if (m != MOVE_KNOWN)
		return m;
	e->print[i] = *s->ops->footprint(s->self);
	search_undo(s, here);
	return MOVE_KNOWN;
}

static u64 output_of(struct search *s)
{
	return s->ops->audit->output ? s->ops->audit->output(s->self) : 0;
}

static enum move in_order(struct eye *e, struct search *s, u32 first, u32 second, target_mark here,
			  struct pair_end *out)
{
	u64 unused;
	*out = (struct pair_end){.good = false};
	enum move m = step(e, s, first, here, &out->good);
	out->output[0] = output_of(s);
	if (m == MOVE_KNOWN && out->good && is_enabled(e, s, second, &unused))
		m = step(e, s, second, here, &out->good);
	else
		out->good = false;
	out->output[1] = output_of(s);
	if (m != MOVE_KNOWN)
		return m;
	if (out->good) {
		out->fp = s->ops->fingerprint(s->self);
		is_enabled(e, s, first, &out->actions);
	}
	search_undo(s, here);
	return MOVE_KNOWN;
}

static enum move look_at(struct eye *e, struct search *s, u32 i, u32 j, target_mark here)
{
	struct pair_end one, other;
	u32 a = e->action[i], b = e->action[j];
	enum move m = in_order(e, s, a, b, here, &one);
	if (m == MOVE_KNOWN)
		m = in_order(e, s, b, a, here, &other);
	if (m != MOVE_KNOWN)
		return m;
	bool differ = one.good != other.good || one.fp.lo != other.fp.lo || one.fp.hi != other.fp.hi ||
		      one.actions != other.actions || one.output[0] != other.output[1] ||
		      one.output[1] != other.output[0];
	const struct target_audit *audit = s->ops->audit;
	u64 address = audit->both_store(s->self, a, b);
	if (!address && differ)
		address = audit->race(s->self, a, b);
	e->spent += 2;
	s->stats->glances++;
	if (address)
		audit_count_race(s, address, a, b);
	if (s->reduction && (address || differ))
		reduction_depend(s->reduction, fiber_of(s, a), fiber_of(s, b));
	return MOVE_KNOWN;
}

/* How often was this pair of control points looked at? NULL: no memory. */
static struct pair *pair_of(struct eye *e, u32 i, u32 j)
{
	u64 points = mix(0, e->point[i]) + mix(0, e->point[j]);
	return table_add(&e->pairs, points ? points : 1);
}

static enum move look_around(struct eye *e, struct search *s)
{
	target_mark here = s->ops->mark(s->self);
	for (u32 i = 0; i < e->n; i++)
		for (u32 j = i + 1; j < e->n; j++) {
			struct pair *p = pair_of(e, i, j);
			if (!p || p->looks >= LOOKS || fiber_of(s, e->action[i]) == fiber_of(s, e->action[j]))
				continue;
			p->looks++;
			enum move m = take(e, s, i, here);
			if (m == MOVE_KNOWN)
				m = take(e, s, j, here);
			if (m == MOVE_KNOWN && e->usable[i] && e->usable[j] &&
			    !footprint_conflicts(&e->print[i], &e->print[j]))
				m = look_at(e, s, i, j, here);
			if (m != MOVE_KNOWN)
				return m;
		}
	return MOVE_KNOWN;
}

static enum move eye_enter(void *self, struct search *s, const u32 *actions, u32 n)
{
	struct eye *e = self;
	u64 budget = s->in_prelude ? EYE_PRELUDE : EYE_FREE + s->ticks / EYE_SHARE;
	if (hd_likely(e->spent >= budget) || n < 2 || search_is_stale(s))
		return MOVE_KNOWN;
	u32 first = n > ACTIONS_MAX ? (u32)(e->turn++ % n) : 0;
	e->n = HD_MIN(n, (u32)ACTIONS_MAX);
	for (u32 i = 0; i < e->n; i++) {
		e->action[i] = actions[(first + i) % n];
		e->point[i] = s->ops->audit->point(s->self, e->action[i]);
		e->taken[i] = false;
	}
	e->spent++; /* to look whether there is anything to look at costs, too */
	return look_around(e, s);
}

static void *eye_begin(struct search *s)
{
	const struct target_audit *audit = s->ops->audit;
	/* Who follows a script without a reduction, or a part of one, leaves out nothing because of it. */
	if (s->hooks->follow && (!s->reduction || s->hooks->follow->part))
		return NULL;
	if (!s->ops->footprint || !audit || !audit->unmodified || !audit->unmodified(s->self))
		return NULL;
	struct eye *e = pages_map(sizeof(*e));
	if (!e)
		return NULL;
	e->pairs = (struct table)TABLE_OF(struct pair);
	if (search_action_room(&e->enabled))
		return e;
	pages_unmap(e, sizeof(*e));
	return NULL;
}

static void eye_end(void *self, struct search *s)
{
	(void)s;
	struct eye *e = self;
	pages_vec_free(&e->enabled);
	table_free(&e->pairs);
	pages_unmap(e, sizeof(*e));
}

const struct observer observer_eye = {
	.begin = eye_begin,
	.enter = eye_enter,
	.end = eye_end,
};
