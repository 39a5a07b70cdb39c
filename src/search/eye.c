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
	/* Of a step that is cut: */
	struct pages_vec others;
	struct footprint rest, other;
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

static enum move look_at(struct eye *e, struct search *s, u32 a, u32 b, target_mark here)
{
	struct pair_end one, other;
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

/* Is this pair of control points to be looked at once more? */
static bool is_wanted(struct eye *e, u64 one, u64 other)
{
	u64 points = mix(0, one) + mix(0, other);
	struct pair *p = table_add(&e->pairs, points ? points : 1);
	return p && p->looks++ < LOOKS;
}

static enum move look_around(struct eye *e, struct search *s)
{
	target_mark here = s->ops->mark(s->self);
	for (u32 i = 0; i < e->n; i++)
		for (u32 j = i + 1; j < e->n; j++) {
			if (fiber_of(s, e->action[i]) == fiber_of(s, e->action[j]) ||
			    !is_wanted(e, e->point[i], e->point[j]))
				continue;
			enum move m = take(e, s, i, here);
			if (m == MOVE_KNOWN)
				m = take(e, s, j, here);
			if (m == MOVE_KNOWN && e->usable[i] && e->usable[j] &&
			    !footprint_conflicts(&e->print[i], &e->print[j]))
				m = look_at(e, s, e->action[i], e->action[j], here);
			if (m != MOVE_KNOWN)
				return m;
		}
	return MOVE_KNOWN;
}

/* ---- parts of steps ---- */

/* Of one step so many parts are looked at. */
#define PARTS_MAX 8
/* … while others go on for so many steps. */
#define FOLLOW 4
/* For is_wanted: to look at the parts of a step at all. */
#define PARTS 0x7061727473u

static enum move footprint_of(struct eye *e, struct search *s, u32 action, target_mark here,
			      struct footprint *out)
{
	bool good;
	enum move m = step(e, s, action, here, &good);
	if (m != MOVE_KNOWN)
		return m;
	*out = *s->ops->footprint(s->self);
	search_undo(s, here);
	return MOVE_KNOWN;
}

/* The fiber of `rest` has paused here. Its next part, and what another can do. */
static enum move look_at_part(struct eye *e, struct search *s, u32 rest, u32 other)
{
	const struct target_audit *audit = s->ops->audit;
	target_mark here = s->ops->mark(s->self);
	if (!is_wanted(e, audit->point(s->self, rest), audit->point(s->self, other)))
		return MOVE_KNOWN;
	enum move m = footprint_of(e, s, rest, here, &e->rest);
	if (m == MOVE_KNOWN)
		m = footprint_of(e, s, other, here, &e->other);
	if (m == MOVE_KNOWN && !footprint_conflicts(&e->rest, &e->other))
		m = look_at(e, s, rest, other, here);
	return m;
}

/* Some action of the fiber that is enabled here. */
static bool find_action(struct eye *e, struct search *s, u32 fiber, u32 *action)
{
	u32 *room = (u32 *)e->enabled.data, n = s->ops->actions(s->self, room);
	for (u32 i = 0; i < n; i++)
		if (fiber_of(s, room[i]) == fiber) {
			*action = room[i];
			return true;
		}
	return false;
}

/* While it stands there, another goes on for a while. */
static enum move look_along(struct eye *e, struct search *s, u32 rest, u32 other)
{
	target_mark here = s->ops->mark(s->self);
	u32 fiber = fiber_of(s, other);
	bool good = true;
	enum move m = MOVE_KNOWN;
	for (u32 i = 0; i < FOLLOW && m == MOVE_KNOWN && good && s->ops->audit->pauses(s->self); i++) {
		m = look_at_part(e, s, rest, other);
		if (m == MOVE_KNOWN)
			m = step(e, s, other, here, &good);
		if (!find_action(e, s, fiber, &other))
			break;
	}
	if (m != MOVE_HALT)
		search_undo(s, here);
	return m;
}

static enum move look_at_others(struct eye *e, struct search *s, u32 rest)
{
	u32 *other = (u32 *)e->others.data, n = s->ops->actions(s->self, other);
	enum move m = MOVE_KNOWN;
	for (u32 i = 0; i < HD_MIN(n, (u32)ACTIONS_MAX) && m == MOVE_KNOWN; i++)
		if (fiber_of(s, other[i]) != fiber_of(s, rest))
			m = look_along(e, s, rest, other[i]);
	return m;
}

static enum move walk_along(struct eye *e, struct search *s, u32 action, target_mark here)
{
	const struct target_audit *audit = s->ops->audit;
	u32 rest = audit->rest(s->self, action);
	bool good;
	audit->pause(s->self, action, 1);
	enum move m = step(e, s, action, here, &good);
	for (u32 part = 0; m == MOVE_KNOWN && good && audit->paused(s->self) && part < PARTS_MAX; part++) {
		audit->pause(s->self, rest, 2);
		m = look_at_others(e, s, rest);
		audit->pause(s->self, rest, 2);
		if (m == MOVE_KNOWN)
			m = step(e, s, rest, here, &good);
	}
	audit->pause(s->self, rest, 0);
	if (m != MOVE_HALT)
		search_undo(s, here);
	return m;
}

/*
 * What a step does behind a release, or behind the creation of a thread, is done while others may do what
 * they could not do before it; and operations that conflict hide what follows them. So a step is also cut
 * into parts, and each is looked at together with what others can do while its fiber stands before it.
 */
static enum move look_at_parts(struct eye *e, struct search *s)
{
	const struct target_audit *audit = s->ops->audit;
	if (!audit->pauses || !audit->pauses(s->self))
		return MOVE_KNOWN;
	target_mark here = s->ops->mark(s->self);
	enum move m = MOVE_KNOWN;
	for (u32 i = 0; i < e->n && m == MOVE_KNOWN && audit->pauses(s->self); i++) {
		if (!is_wanted(e, e->point[i], PARTS))
			continue;
		audit->experiment(s->self, true);
		m = walk_along(e, s, e->action[i], here);
		audit->experiment(s->self, false);
	}
	return m;
}

static enum move eye_enter(void *self, struct search *s, const u32 *actions, u32 n)
{
	struct eye *e = self;
	u64 budget = s->in_prelude ? EYE_PRELUDE : EYE_FREE + s->ticks / EYE_SHARE;
	if (hd_likely(e->spent >= budget) || !n || search_is_stale(s))
		return MOVE_KNOWN;
	u32 first = n > ACTIONS_MAX ? (u32)(e->turn++ % n) : 0;
	e->n = HD_MIN(n, (u32)ACTIONS_MAX);
	for (u32 i = 0; i < e->n; i++) {
		e->action[i] = actions[(first + i) % n];
		e->point[i] = s->ops->audit->point(s->self, e->action[i]);
		e->taken[i] = false;
	}
	e->spent++; /* to look whether there is anything to look at costs, too */
	enum move m = look_around(e, s);
	return m == MOVE_KNOWN ? look_at_parts(e, s) : m;
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
	if (search_action_room(&e->enabled) && search_action_room(&e->others))
		return e;
	pages_unmap(e, sizeof(*e));
	return NULL;
}

static void eye_end(void *self, struct search *s)
{
	(void)s;
	struct eye *e = self;
	pages_vec_free(&e->enabled);
	pages_vec_free(&e->others);
	table_free(&e->pairs);
	pages_unmap(e, sizeof(*e));
}

const struct observer observer_eye = {
	.begin = eye_begin,
	.enter = eye_enter,
	.end = eye_end,
};
