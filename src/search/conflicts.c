/*
 * Whether what is done next at one control point conflicts with what can be done from another one
 * (reduction.h).
 */
#include "search/reduction_priv.h"

static bool is_hit(const struct reduction *r, u32 u, bool u_moves, u32 v, enum bit_set uses)
{
	const u64 *pending = bits_of(r, u, SET_PENDING), *taken = bits_of(r, u, SET_TAKEN);
	const u64 *others = bits_of(r, v, uses);
	u64 common = 0;
	for (u32 w = 0; w < r->words; w++)
		common |= (pending[w] | (u_moves ? taken[w] : 0)) & others[w];
	return common;
}

static bool is_needed(const struct control_point *p, enum fact_kind kind, u64 object)
{
	for (u32 i = 0; i < p->need_count[kind]; i++)
		if (p->need[kind][i] == object)
			return true;
	return false;
}

/* Could this edge only be taken when something is gone that the next step of u needs? */
static bool makes_what_is_there(const struct reduction *r, const struct link *e,
				const struct control_point *u, bool u_moves)
{
	for (u32 i = 0; i < e->made_count; i++) {
		u64 made = ((const u64 *)r->made.data)[e->made + i];
		if (is_needed(u, FACT_PENDING, made) || (u_moves && is_needed(u, FACT_TAKEN, made)))
			return true;
	}
	return false;
}

/* waits: for u's end. Then it goes nowhere, but what it does aside comes before that. */
static void walk_on(struct reduction *r, u32 at, const struct control_point *u, bool u_moves, bool waits)
{
	for (u32 i = point_at(r, at)->edges_out; i && !r->failed;) {
		const struct link *e = link_at(r, i);
		i = e->next_out;
		struct control_point *to = point_at(r, e->to);
		if (to->stamp == r->stamp || makes_what_is_there(r, e, u, u_moves))
			continue;
		if (waits && to->joins != JOINS_ASIDE && to->joins != u->fiber + 1)
			continue;
		to->stamp = r->stamp;
		knowledge_push_work(r, e->to);
	}
}

/*
 * Walks from v, while u's fiber stands at u: nobody gets past a wait for its end, or starts it anew, and
 * nobody makes what is there already because u needs it. (Who takes it away first is found to conflict with
 * u.)
 */
static bool reaches_conflict(struct reduction *r, u32 u, bool u_moves, u32 v)
{
	const struct control_point *a = point_at(r, u);
	r->stamp++;
	r->worklist.len = 0;
	if (!knowledge_push_work(r, v))
		return true;
	point_at(r, v)->stamp = r->stamp;
	while (r->worklist.len && !r->failed) {
		r->worklist.len -= sizeof(u32);
		u32 at = *(u32 *)(r->worklist.data + r->worklist.len);
		const struct control_point *p = point_at(r, at);
		if (p->fiber == a->fiber)
			continue;
		bool waits = p->joins == a->fiber + 1;
		if (waits) {
			walk_on(r, at, a, u_moves, waits);
			continue;
		}
		if (p->world[FACT_PENDING] || p->world[FACT_TAKEN] || is_hit(r, u, u_moves, at, SET_OWN))
			return true;
		walk_on(r, at, a, u_moves, waits);
	}
	return r->failed;
}

bool knowledge_conflicts(struct reduction *r, u32 u, bool u_moves, u32 v)
{
	const struct control_point *a = point_at(r, u);
	if (a->world[FACT_PENDING] || (u_moves && a->world[FACT_TAKEN]))
		return true;
	if (a->ends[FACT_PENDING] || (u_moves && a->ends[FACT_TAKEN]))
		return true;
	if (!point_at(r, v)->future_world && !is_hit(r, u, u_moves, v, SET_FUTURE))
		return false;
	struct refined *known = table_add(&r->refined, pair_key(u, u_moves, v));
	if (!known)
		return true;
	if (known->news != CONFLICT && known->news != r->news + 1)
		known->news = reaches_conflict(r, u, u_moves, v) ? CONFLICT : r->news + 1;
	return known->news == CONFLICT;
}
