#include "search/audit.h"

#include "base/pages.h"
#include "base/text.h"
#include "search/dependence.h"
#include "search/sanity.h"
#include "search/search_priv.h"

/* Of one state so many actions, and uses merged into one, are looked at; in large ones others each time. */
#define ACTIONS_MAX 24
#define MERGED_MAX 12

/* How a sequence of actions ended. */
enum ending {
	ENDED_OK,
	ENDED_DISABLED, /* one of them was not enabled when its turn came */
	ENDED_CHANGED,  /* the first changed what the second's fiber can do */
	ENDED_BADLY,    /* violation, or pruned */
	ENDED_RESTART,
	ENDED_STOP,
};

struct audit_result {
	enum ending how;
	u64 actions; /* hash of the enabled actions */
	struct fingerprint fp;
};

struct audit {
	u64 turn; /* which of many actions come first */
	u32 n;    /* of the state being audited */
	u32 action[ACTIONS_MAX];
	struct footprint print[ACTIONS_MAX];
	bool usable[ACTIONS_MAX]; /* the step ended well, alone */
	struct pages_vec enabled; /* room for the actions of one state */
	struct footprint rest;
	/* A4: the live fibers, what they can do, and what they declare that depends on. */
	u32 fibers, fiber[ACTIONS_MAX];
	u64 could[ACTIONS_MAX];
	struct footprint pending[ACTIONS_MAX];
	char text[900];
};

static u32 fiber_of(struct search *s, u32 action)
{
	const struct target_reduction *t = s->ops->reduction;
	return t && t->actor ? t->actor(s->self, action) : s->ops->action_fiber(s->self, action);
}

static const struct target_audit *ops_of(const struct search *s)
{
	return s->ops->audit;
}

static enum ending step(struct search *s, u32 action)
{
	s->audit_steps++;
	switch (s->ops->step(s->self, action)) {
	case STEP_OK:
		return ENDED_OK;
	case STEP_RESTART:
		return ENDED_RESTART;
	case STEP_STOP:
		return ENDED_STOP;
	default:
		return ENDED_BADLY;
	}
}

static u32 *enabled_now(struct audit *a, struct search *s, u32 *n)
{
	u32 *room = (u32 *)a->enabled.data; /* made in begin */
	*n = s->ops->actions(s->self, room);
	return room;
}

static bool is_enabled(struct audit *a, struct search *s, u32 action)
{
	u32 n;
	const u32 *enabled = enabled_now(a, s, &n);
	while (n && enabled[n - 1] != action)
		n--;
	return n;
}

static u64 hash_step(u64 hash, u32 action)
{
	return (hash ^ (action + 1)) * 0x9e3779b97f4a7c15u;
}

static u64 hash_enabled(struct audit *a, struct search *s)
{
	u32 n;
	const u32 *enabled = enabled_now(a, s, &n);
	u64 hash = n;
	for (u32 i = 0; i < n; i++)
		hash = hash_step(hash, enabled[i]);
	return hash;
}

/* The same of one fiber's actions. */
static u64 hash_fiber(struct audit *a, struct search *s, u32 fiber)
{
	u32 n;
	const u32 *enabled = enabled_now(a, s, &n);
	u64 hash = 1;
	for (u32 i = 0; i < n; i++)
		if (fiber_of(s, enabled[i]) == fiber)
			hash = hash_step(hash, enabled[i]);
	return hash;
}

static void conclude(struct audit *a, struct search *s, struct audit_result *r)
{
	if (r->how != ENDED_OK)
		return;
	r->fp = s->ops->fingerprint(s->self);
	r->actions = hash_enabled(a, s);
}

static bool same_result(const struct audit_result *a, const struct audit_result *b)
{
	if (a->how != b->how || a->how != ENDED_OK)
		return a->how == b->how;
	return a->fp.lo == b->fp.lo && a->fp.hi == b->fp.hi && a->actions == b->actions;
}

/* What an ending that is nobody's fault means for the search; MOVE_KNOWN: nothing. */
static enum move interruption(struct search *s, enum ending how, target_mark back)
{
	if (how == ENDED_STOP)
		return search_halt(s, SEARCH_STOPPED);
	if (how != ENDED_RESTART)
		return MOVE_KNOWN;
	search_undo(s, back);
	return MOVE_RESTART;
}

/* ---- telling ---- */

static void describe(struct search *s, u32 action, struct text *t)
{
	char buf[200];
	ops_of(s)->describe(s->self, action, buf, sizeof(buf));
	text_str(t, buf);
}

/* Always MOVE_HALT. The text says where the difference is; no other is to be told besides. */
static enum move differs(struct audit *a, struct search *s)
{
	ops_of(s)->remember(s->self);
	return sanity_differs(s, a->text);
}

void audit_count_race(struct search *s, u64 address, u32 a, u32 b)
{
	struct search_stats *st = s->stats;
	st->unsynchronised++;
	if (s->ops->audit->note_race)
		s->ops->audit->note_race(s->self, address, a, b);
	for (u32 i = 0; i < SEARCH_MAX_UNSYNCHRONISED; i++) {
		struct search_unsynchronised *u = &st->unsynchronised_at[i];
		if (u->address == address)
			return;
		if (u->address)
			continue;
		*u = (struct search_unsynchronised){address, {a, b}};
		return;
	}
}

static const char *what_differs(const struct audit_result *one, const struct audit_result *other)
{
	if (one->how == ENDED_DISABLED || other->how == ENDED_DISABLED)
		return "after the one, the other is no longer possible";
	if (one->how == ENDED_CHANGED || other->how == ENDED_CHANGED)
		return "the one changes what the other's thread can do next";
	if (one->how != other->how)
		return "only one of the two orders ends in a violation";
	if (one->fp.lo != other->fp.lo || one->fp.hi != other->fp.hi)
		return "the two orders lead to different states";
	return "what is possible after them depends on the order";
}

/* ---- A1 ---- */

/* The action was executed, and the target stands where it led. */
static enum move check_declared(struct audit *a, struct search *s, u32 action)
{
	char why[300];
	if (!ops_of(s)->undeclared(s->self, action, why, sizeof(why)))
		return MOVE_KNOWN;
	struct text t;
	text_init(&t, a->text, sizeof(a->text));
	text_str(&t, "a step changed something that it had not declared: ");
	text_str(&t, why);
	return differs(a, s);
}

/* ---- A2 ---- */

/* The footprints of the state's actions, each executed from here. */
static enum move take_footprints(struct audit *a, struct search *s, target_mark here)
{
	for (u32 i = 0; i < a->n; i++) {
		enum ending how = step(s, a->action[i]);
		enum move m = interruption(s, how, here);
		if (m != MOVE_KNOWN)
			return m;
		a->usable[i] = how == ENDED_OK;
		a->print[i] = *s->ops->footprint(s->self);
		if (a->usable[i] && (m = check_declared(a, s, a->action[i])) != MOVE_KNOWN)
			return m;
		search_undo(s, here);
	}
	return MOVE_KNOWN;
}

/* Does the i-th action conflict with none of the actions of this fiber, nor with what it waits for? */
static bool apart_from_fiber(struct audit *a, struct search *s, u32 i, u32 fiber)
{
	if (s->ops->reduction)
		s->ops->reduction->pending(s->self, fiber, &a->rest);
	if (s->ops->reduction && footprint_conflicts(&a->print[i], &a->rest))
		return false;
	for (u32 j = 0; j < a->n; j++)
		if (fiber_of(s, a->action[j]) == fiber &&
		    (!a->usable[j] || footprint_conflicts(&a->print[i], &a->print[j])))
			return false;
	return true;
}

/* The i-th action and then the j-th. */
static struct audit_result in_order(struct audit *a, struct search *s, u32 i, u32 j)
{
	u32 second = a->action[j], fiber = fiber_of(s, second);
	bool apart = apart_from_fiber(a, s, i, fiber);
	u64 could = hash_fiber(a, s, fiber);
	struct audit_result r = {.how = step(s, a->action[i])};
	if (r.how != ENDED_OK)
		return r;
	if (!is_enabled(a, s, second))
		r.how = ENDED_DISABLED;
	else if (apart && hash_fiber(a, s, fiber) != could)
		r.how = ENDED_CHANGED;
	else
		r.how = step(s, second);
	conclude(a, s, &r);
	return r;
}

static enum move tell_pair(struct audit *a, struct search *s, u32 i, u32 j, const struct audit_result *one,
			   const struct audit_result *other)
{
	target_mark here = s->ops->mark(s->self);
	struct text t;
	text_init(&t, a->text, sizeof(a->text));
	text_str(&t, "two steps were declared independent (\"");
	describe(s, a->action[i], &t);
	text_str(&t, "\" and \"");
	describe(s, a->action[j], &t);
	text_str(&t, "\"), but ");
	text_str(&t, what_differs(one, other));
	if (one->how == ENDED_OK && other->how == ENDED_OK) {
		char buf[300];
		in_order(a, s, i, j);
		ops_of(s)->remember(s->self);
		search_undo(s, here);
		in_order(a, s, j, i);
		if (ops_of(s)->difference(s->self, buf, sizeof(buf))) {
			text_str(&t, ": ");
			text_str(&t, buf);
		}
		search_undo(s, here);
	}
	return differs(a, s);
}

static enum move check_pair(struct audit *a, struct search *s, u32 i, u32 j, target_mark here)
{
	struct audit_result one = in_order(a, s, i, j);
	enum move m = interruption(s, one.how, here);
	if (m != MOVE_KNOWN)
		return m;
	search_undo(s, here);
	struct audit_result other = in_order(a, s, j, i);
	m = interruption(s, other.how, here);
	if (m != MOVE_KNOWN)
		return m;
	search_undo(s, here);
	bool agree = same_result(&one, &other) && one.how != ENDED_DISABLED && one.how != ENDED_CHANGED;
	if (footprint_conflicts(&a->print[i], &a->print[j])) {
		dependence_count(s->stats, &a->print[i], &a->print[j], agree && one.how == ENDED_OK);
		return MOVE_KNOWN;
	}
	s->stats->audits++;
	u64 address = agree ? 0 : ops_of(s)->race(s->self, a->action[i], a->action[j]);
	if (address)
		audit_count_race(s, address, a->action[i], a->action[j]);
	return agree || address ? MOVE_KNOWN : tell_pair(a, s, i, j, &one, &other);
}

static enum move check_pairs(struct audit *a, struct search *s, target_mark here)
{
	for (u32 i = 0; i < a->n; i++)
		for (u32 j = i + 1; j < a->n; j++) {
			if (!a->usable[i] || !a->usable[j] ||
			    fiber_of(s, a->action[i]) == fiber_of(s, a->action[j]) ||
			    (s->o->sanity < 3 && footprint_conflicts(&a->print[i], &a->print[j])))
				continue;
			enum move m = check_pair(a, s, i, j, here);
			if (m != MOVE_KNOWN)
				return m;
		}
	return MOVE_KNOWN;
}

/* ---- A3 ---- */

/* A step that ends before its k-th merged use. */
static enum ending step_split(struct search *s, u32 action, u32 k)
{
	ops_of(s)->split(s->self, k);
	enum ending how = step(s, action);
	ops_of(s)->split(s->self, 0);
	return how;
}

/* The first part of the action (all of it: k is 0), another's step, and the rest. */
static struct audit_result around(struct audit *a, struct search *s, u32 action, u32 k, u32 between)
{
	struct audit_result r = {.how = k ? step_split(s, action, k) : step(s, action)};
	if (r.how == ENDED_OK)
		r.how = is_enabled(a, s, between) ? step(s, between) : ENDED_DISABLED;
	if (r.how == ENDED_OK && k) {
		u32 rest = ops_of(s)->rest(s->self, action);
		r.how = is_enabled(a, s, rest) ? step(s, rest) : ENDED_DISABLED;
	}
	conclude(a, s, &r);
	return r;
}

static enum move tell_split(struct audit *a, struct search *s, u32 action, u32 k, u32 between,
			    const struct audit_result *whole, const struct audit_result *parts)
{
	target_mark here = s->ops->mark(s->self);
	struct text t;
	text_init(&t, a->text, sizeof(a->text));
	text_str(&t, "a use was merged into a step (\"");
	describe(s, action, &t);
	text_str(&t, "\", use ");
	text_dec(&t, (long)k);
	text_str(&t, ": \"");
	if (step_split(s, action, k) == ENDED_OK) {
		describe(s, ops_of(s)->rest(s->self, action), &t);
		text_str(&t, "\") that another can tell apart (\"");
		describe(s, between, &t);
	}
	text_str(&t, "\"): ");
	search_undo(s, here);
	text_str(&t, what_differs(whole, parts));
	if (whole->how == ENDED_OK && parts->how == ENDED_OK) {
		char buf[300];
		around(a, s, action, 0, between);
		ops_of(s)->remember(s->self);
		search_undo(s, here);
		around(a, s, action, k, between);
		if (ops_of(s)->difference(s->self, buf, sizeof(buf))) {
			text_str(&t, ": ");
			text_str(&t, buf);
		}
		search_undo(s, here);
	}
	return differs(a, s);
}

/* By what both declare, nobody can tell whether the rest of the action comes before or after `between`? */
static enum move may_move(struct audit *a, struct search *s, u32 between, target_mark back, bool *may)
{
	target_mark here = s->ops->mark(s->self);
	enum ending how = step(s, between);
	enum move m = interruption(s, how, back);
	if (m != MOVE_KNOWN)
		return m;
	*may = how == ENDED_OK && footprint_merges(&a->rest, s->ops->footprint(s->self));
	search_undo(s, here);
	return MOVE_KNOWN;
}

static enum move check_around(struct audit *a, struct search *s, u32 action, u32 k, u32 between,
			      target_mark here)
{
	struct audit_result parts = around(a, s, action, k, between);
	enum move m = interruption(s, parts.how, here);
	if (m != MOVE_KNOWN)
		return m;
	search_undo(s, here);
	struct audit_result whole = around(a, s, action, 0, between);
	m = interruption(s, whole.how, here);
	if (m != MOVE_KNOWN)
		return m;
	search_undo(s, here);
	s->stats->audits++;
	if (same_result(&whole, &parts))
		return MOVE_KNOWN;
	/*
	 * Behind the first part, the rest and the other's step are a pair as in A2. A race there is not
	 * counted: the cut may be inside of libc, which holds locks of its own then (stdout's, in a flush).
	 */
	u64 address = 0;
	if (step_split(s, action, k) == ENDED_OK)
		address = ops_of(s)->race(s->self, ops_of(s)->rest(s->self, action), between);
	search_undo(s, here);
	return address ? MOVE_KNOWN : tell_split(a, s, action, k, between, &whole, &parts);
}

/* What the rest of the action declares, after its first part; false: cutting it there leads nowhere. */
static enum move take_rest(struct audit *a, struct search *s, u32 action, u32 k,
			   const struct audit_result *whole, target_mark here, bool *good)
{
	*good = false;
	struct audit_result r = {.how = step_split(s, action, k)};
	if (r.how == ENDED_OK)
		r.how = step(s, ops_of(s)->rest(s->self, action));
	enum move m = interruption(s, r.how, here);
	if (m != MOVE_KNOWN)
		return m;
	a->rest = *s->ops->footprint(s->self);
	conclude(a, s, &r);
	search_undo(s, here);
	*good = same_result(&r, whole) && r.how == ENDED_OK;
	return MOVE_KNOWN;
}

static enum move check_split(struct audit *a, struct search *s, u32 action, u32 k,
			     const struct audit_result *whole, target_mark here)
{
	bool good;
	enum move m = take_rest(a, s, action, k, whole, here, &good);
	if (m != MOVE_KNOWN || !good)
		return m;
	u32 others[ACTIONS_MAX], n = 0, all;
	if (step_split(s, action, k) != ENDED_OK)
		return MOVE_KNOWN;
	const u32 *enabled = enabled_now(a, s, &all);
	for (u32 i = 0; i < all && n < ACTIONS_MAX; i++)
		if (fiber_of(s, enabled[i]) != fiber_of(s, action))
			others[n++] = enabled[i];
	bool may[ACTIONS_MAX];
	for (u32 i = 0; i < n && m == MOVE_KNOWN; i++)
		m = may_move(a, s, others[i], here, &may[i]);
	if (m != MOVE_KNOWN)
		return m;
	search_undo(s, here);
	for (u32 i = 0; i < n && m == MOVE_KNOWN; i++)
		if (may[i])
			m = check_around(a, s, action, k, others[i], here);
	return m;
}

static enum move check_merged(struct audit *a, struct search *s, u32 action, target_mark here)
{
	struct audit_result whole = {.how = step(s, action)};
	enum move m = interruption(s, whole.how, here);
	if (m != MOVE_KNOWN)
		return m;
	u32 merged = HD_MIN(ops_of(s)->merged(s->self), (u32)MERGED_MAX);
	conclude(a, s, &whole);
	search_undo(s, here);
	for (u32 k = 1; k <= merged && whole.how == ENDED_OK && m == MOVE_KNOWN; k++)
		m = check_split(a, s, action, k, &whole, here);
	return m;
}

/* ---- A4 ---- */

/* hash_fiber of all of them. */
static void hash_fibers(struct audit *a, struct search *s, u64 *out)
{
	u32 n;
	const u32 *enabled = enabled_now(a, s, &n);
	for (u32 f = 0; f < a->fibers; f++) {
		out[f] = 1;
		for (u32 i = 0; i < n; i++)
			if (fiber_of(s, enabled[i]) == a->fiber[f])
				out[f] = hash_step(out[f], enabled[i]);
	}
}

/* What each fiber can do here, and what it declares to depend on; false: nobody relies on that here. */
static bool take_pending(struct audit *a, struct search *s)
{
	const struct target_reduction *t = s->ops->reduction;
	if (!t || !t->usable(s->self))
		return false;
	a->fibers = HD_MIN(t->fibers(s->self, a->fiber, ACTIONS_MAX), (u32)ACTIONS_MAX);
	hash_fibers(a, s, a->could);
	for (u32 i = 0; i < a->fibers; i++)
		t->pending(s->self, a->fiber[i], &a->pending[i]);
	return true;
}

static enum move tell_enabling(struct audit *a, struct search *s, u32 action, u32 fiber)
{
	struct text t;
	text_init(&t, a->text, sizeof(a->text));
	text_str(&t, "a step (\"");
	describe(s, action, &t);
	text_str(&t, "\") changes what another thread can do, which depends on nothing in it: \"");
	describe(s, s->ops->reduction->action(fiber), &t);
	text_str(&t, "\"");
	return differs(a, s);
}

static enum move check_enabling(struct audit *a, struct search *s, target_mark here)
{
	if (!take_pending(a, s))
		return MOVE_KNOWN;
	for (u32 i = 0; i < a->n; i++) {
		u32 found = a->fibers;
		enum ending how = a->usable[i] ? step(s, a->action[i]) : ENDED_BADLY;
		enum move m = interruption(s, how, here);
		if (m != MOVE_KNOWN)
			return m;
		u64 can[ACTIONS_MAX];
		if (how == ENDED_OK)
			hash_fibers(a, s, can);
		for (u32 f = 0; f < a->fibers && how == ENDED_OK && found == a->fibers; f++)
			if (a->fiber[f] != fiber_of(s, a->action[i]) &&
			    s->ops->reduction->point(s->self, a->fiber[f]) && can[f] != a->could[f] &&
			    !footprint_conflicts(&a->print[i], &a->pending[f]))
				found = f;
		search_undo(s, here);
		if (found != a->fibers)
			return tell_enabling(a, s, a->action[i], a->fiber[found]);
	}
	return MOVE_KNOWN;
}

/* ---- the observer ---- */

static bool wanted(const struct search *s)
{
	return s->o->sanity >= 3 || s->audit_steps < s->ticks + AUDIT_FREE;
}

static enum move audit_enter(void *self, struct search *s, const u32 *actions, u32 n)
{
	struct audit *a = self;
	if (!wanted(s))
		return MOVE_KNOWN;
	u32 first = n > ACTIONS_MAX ? (u32)(a->turn++ % n) : 0;
	a->n = HD_MIN(n, (u32)ACTIONS_MAX);
	for (u32 i = 0; i < a->n; i++)
		a->action[i] = actions[(first + i) % n];
	target_mark here = s->ops->mark(s->self);
	enum move m = take_footprints(a, s, here);
	if (m == MOVE_KNOWN)
		m = check_pairs(a, s, here);
	if (m == MOVE_KNOWN)
		m = check_enabling(a, s, here);
	for (u32 i = 0; i < a->n && m == MOVE_KNOWN && ops_of(s)->split; i++)
		if (a->usable[i])
			m = check_merged(a, s, a->action[i], here);
	return m;
}

static enum move audit_edge(void *self, struct search *s, u32 action, enum edge to)
{
	return to == EDGE_DEAD ? MOVE_KNOWN : check_declared(self, s, action);
}

static void *audit_begin(struct search *s)
{
	if (s->o->sanity < 2 || !s->ops->audit || !s->ops->footprint)
		return NULL;
	struct audit *a = pages_map(sizeof(*a));
	if (a && !search_action_room(&a->enabled)) {
		pages_unmap(a, sizeof(*a));
		return NULL;
	}
	return a;
}

static void audit_end(void *self, struct search *s)
{
	(void)s;
	struct audit *a = self;
	pages_vec_free(&a->enabled);
	pages_unmap(a, sizeof(*a));
}

const struct observer observer_audit = {
	.begin = audit_begin,
	.enter = audit_enter,
	.edge = audit_edge,
	.end = audit_end,
};
