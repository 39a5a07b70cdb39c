#include "search/reduction_priv.h"

static void learn_pending(struct reduction *r, u32 fiber, u32 point)
{
	struct footprint f;
	r->ops->reduction->pending(r->self, fiber, &f);
	knowledge_print(r, point, &f, FACT_PENDING);
}

/* ---- pairs ---- */

static void rely_on(struct reduction *r, u32 u, bool u_moves, u32 v)
{
	if (!table_add(&r->relied, pair_key(u, u_moves, v)))
		reduction_fail(r);
}

void reduction_say_relied(const struct reduction *r, void (*say)(void *to, const u64 *word, u32 words),
			  void *to)
{
	for (const struct key_only *k = NULL; (k = table_next(&r->relied, k)) != NULL;) {
		u64 pair = k->key - 1;
		const u64 word[] = {point_at(r, (u32)(pair >> 32))->key, pair & 1,
				    point_at(r, (u32)pair >> 1)->key};
		say(to, word, HD_ARRAY_LEN(word));
	}
}

void reduction_rely(struct reduction *r, const u64 *word, u32 words)
{
	hd_assert(words == 3);
	rely_on(r, knowledge_told_point(r, word[0]), word[1], knowledge_told_point(r, word[2]));
	r->checked = ~0ull;
}

bool reduction_was_wrong(struct reduction *r)
{
	if (r->failed && r->relied.count)
		r->wrong = true;
	if (r->wrong || r->checked == r->news)
		return r->wrong;
	r->checked = r->news;
	for (const struct key_only *k = NULL; !r->wrong && (k = table_next(&r->relied, k)) != NULL;) {
		u64 pair = k->key - 1;
		r->wrong = knowledge_conflicts(r, (u32)(pair >> 32), pair & 1, (u32)pair >> 1);
	}
	return r->wrong;
}

/* ---- states ---- */

static void push_points(struct reduction *r)
{
	u32 *to = pages_vec_push(&r->path, (r->n + 1) * sizeof(*to));
	if (!to) {
		reduction_fail(r);
		return;
	}
	for (u32 i = 0; i < r->n; i++)
		to[i] = r->at[i];
	to[r->n] = r->n;
}

/* The points of the state that was entered last. */
static const u32 *points_of_top(const struct reduction *r, u32 *n)
{
	const u32 *end = (const u32 *)(r->path.data + r->path.len);
	*n = end[-1];
	return end - 1 - *n;
}

static void find_points(struct reduction *r)
{
	const struct target_reduction *t = r->ops->reduction;
	r->n = t->fibers(r->self, r->fiber, FIBERS_MAX);
	if (r->n > FIBERS_MAX) {
		r->n = 0;
		reduction_fail(r);
	}
	for (u32 i = 0; i < r->n && !r->failed; i++)
		r->at[i] = knowledge_point(r, r->fiber[i]);
}

/* Which fibers must join the set if the i-th is in it. */
static const u64 *drags(struct reduction *r, u32 i)
{
	u64 *d = r->drags[i];
	if (r->have_drags[i])
		return d;
	r->have_drags[i] = true;
	for (u32 w = 0; w < FIBER_WORDS; w++)
		d[w] = 0;
	for (u32 j = 0; j < r->n; j++)
		if (i == j || knowledge_conflicts(r, r->at[i], r->action_count[i], r->at[j]))
			put_bit(d, j);
	return d;
}

static void close_set(struct reduction *r, u64 *set)
{
	u64 done[FIBER_WORDS] = {0};
	for (bool more = true; more;) {
		more = false;
		for (u32 w = 0; w < FIBER_WORDS; w++)
			for (u64 left = set[w] & ~done[w]; left; left &= left - 1) {
				u32 i = w * 64 + (u32)__builtin_ctzl(left);
				put_bit(done, i);
				more = true;
				const u64 *d = drags(r, i);
				for (u32 x = 0; x < FIBER_WORDS; x++)
					set[x] |= d[x];
			}
	}
}

static u32 count_actions(const struct reduction *r, const u64 *set)
{
	u32 n = 0;
	for (u32 i = 0; i < r->n; i++)
		n += has_bit(set, i) ? r->action_count[i] : 0;
	return n;
}

/* The smallest set, by actions; its size. */
static u32 choose(struct reduction *r, u32 all, u64 *best)
{
	u32 fewest = all;
	for (u32 i = 0; i < r->n && fewest > 1; i++) {
		if (!r->action_count[i] || r->action_count[i] >= fewest)
			continue;
		u64 set[FIBER_WORDS] = {0};
		put_bit(set, i);
		close_set(r, set);
		u32 n = count_actions(r, set);
		if (n >= fewest)
			continue;
		fewest = n;
		for (u32 w = 0; w < FIBER_WORDS; w++)
			best[w] = set[w];
	}
	return fewest;
}

static void rely_on_set(struct reduction *r, const u64 *set)
{
	for (u32 i = 0; i < r->n; i++)
		for (u32 j = 0; has_bit(set, i) && j < r->n; j++)
			if (!has_bit(set, j))
				rely_on(r, r->at[i], r->action_count[i], r->at[j]);
}

static u32 position_of(const struct reduction *r, u32 fiber)
{
	u32 i = 0;
	while (i < r->n && r->fiber[i] != fiber)
		i++;
	return i;
}

/* Those of the set to the front, all in their order. */
static bool sort(struct reduction *r, const u64 *set, u32 *actions, u32 n)
{
	r->sorted.len = 0;
	u32 *rest = pages_vec_push(&r->sorted, n * sizeof(*rest)), chosen = 0, others = 0;
	if (!rest)
		return reduction_fail(r);
	for (u32 i = 0; i < n; i++)
		if (has_bit(set, position_of(r, actor_of(r, actions[i]))))
			actions[chosen++] = actions[i];
		else
			rest[others++] = actions[i];
	for (u32 i = 0; i < others; i++)
		actions[chosen + i] = rest[i];
	return true;
}

/* How many actions each fiber has; false: the actions don't all belong to live fibers, or all to one. */
static bool count_by_fiber(struct reduction *r, const u32 *actions, u32 n)
{
	u32 fibers = 0;
	for (u32 i = 0; i < r->n; i++) {
		r->action_count[i] = 0;
		r->have_drags[i] = false;
	}
	for (u32 i = 0; i < n; i++) {
		u32 at = position_of(r, actor_of(r, actions[i]));
		if (at == r->n)
			return false;
		fibers += !r->action_count[at]++;
	}
	return fibers > 1;
}

/* What an operation waits for may be changed by others: so it is learnt in every state. */
static void learn_all_pending(struct reduction *r)
{
	for (u32 i = 0; i < r->n && !r->failed; i++)
		learn_pending(r, r->fiber[i], r->at[i]);
}

void reduction_look(struct reduction *r)
{
	if (hd_unlikely(r->failed))
		return;
	find_points(r);
	learn_all_pending(r);
}

void reduction_meet(struct reduction *r)
{
	if (hd_unlikely(r->failed))
		return;
	find_points(r);
	push_points(r);
	learn_all_pending(r);
}

u32 reduction_enter(struct reduction *r, u32 *actions, u32 n)
{
	u64 set[FIBER_WORDS] = {0};
	if (hd_unlikely(r->failed))
		return n;
	find_points(r);
	push_points(r);
	if (r->n > 1)
		learn_all_pending(r);
	if (r->failed || n < 2 || !r->ops->reduction->usable(r->self) || !count_by_fiber(r, actions, n))
		return n;
	u32 chosen = r->failed ? n : choose(r, n, set);
	if (chosen == n || !sort(r, set, actions, n))
		return n;
	rely_on_set(r, set);
	return chosen;
}

void reduction_leave(struct reduction *r)
{
	if (hd_unlikely(r->failed))
		return;
	u32 n;
	points_of_top(r, &n);
	r->path.len -= (n + 1) * sizeof(u32);
}

static u32 point_before(const struct reduction *r, u32 fiber)
{
	u32 n;
	const u32 *at = points_of_top(r, &n);
	for (u32 i = 0; i < n; i++)
		if (point_at(r, at[i])->fiber == fiber)
			return at[i];
	return NO_POINT;
}

/* A fiber stands at another control point because of a step that was made at `by`. */
static void learn_move(struct reduction *r, u32 fiber, u32 by)
{
	u32 before = point_before(r, fiber), after = knowledge_point(r, fiber);
	if (before == NO_POINT)
		before = by;
	if (after == NO_POINT)
		return;
	if (before != NO_POINT)
		knowledge_edge(r, before, after, r->ops->footprint(r->self));
	learn_pending(r, fiber, after);
}

/* Fibers that the step of one that stood at `from` has moved, or made. */
static void learn_others(struct reduction *r, u32 fiber, u32 from, const struct footprint *f)
{
	for (u32 i = 0; i < f->count && !r->failed; i++) {
		u64 object = f->access[i].object;
		u32 mode = f->access[i].mode, other = (u32)object & OBJECT_THREAD_SLOT;
		if (object_class(object) == OBJECT_THREAD && (mode == ACCESS_WRITE || mode == ACCESS_MAKE) &&
		    other != fiber)
			learn_move(r, other, from);
	}
}

void reduction_learn(struct reduction *r, u32 action, bool ended)
{
	if (hd_unlikely(r->failed))
		return;
	const struct target_reduction *t = r->ops->reduction;
	u32 fiber = actor_of(r, action), from = NO_POINT;
	const struct footprint *f = r->ops->footprint(r->self);
	if (fiber == TARGET_NOBODY) { /* nobody was about to do anything that it could conflict with */
		if (!ended)
			learn_others(r, fiber, from, f);
		return;
	}
	if ((from = point_before(r, fiber)) == NO_POINT) {
		reduction_fail(r);
		return;
	}
	knowledge_print(r, from, f, FACT_TAKEN);
	u32 beside = t->aside && t->aside(r->self, action) ? knowledge_aside(r, from) : from;
	if (beside != from && beside != NO_POINT)
		knowledge_print(r, beside, f, FACT_TAKEN);
	if (ended || r->failed)
		return;
	u32 after = knowledge_point(r, fiber);
	if (after != NO_POINT && !r->failed) {
		knowledge_edge(r, beside, after, f);
		learn_pending(r, fiber, after);
	}
	learn_others(r, fiber, from, f);
}

/* An object of their own, which both write. */
void reduction_depend(struct reduction *r, u32 fiber, u32 other)
{
	u32 at[2] = {knowledge_point(r, fiber), knowledge_point(r, other)};
	if (r->failed || at[0] == NO_POINT || at[1] == NO_POINT)
		return;
	u64 object = object_id(OBJECT_PAIR, mix_hash(0, point_at(r, at[0])->coarse) +
						    mix_hash(0, point_at(r, at[1])->coarse));
	for (u32 i = 0; i < 2; i++)
		knowledge_pair(r, at[i], object);
}

/* ---- with several workers ---- */

void reduction_share(struct reduction *r, void (*say)(void *to, const u64 *word, u32 words), void *to)
{
	r->say = say;
	r->to = to;
}

void reduction_hear(struct reduction *r, const u64 *word, u32 words)
{
	if (hd_unlikely(r->failed))
		return;
	r->hearing = true;
	knowledge_hear(r, word, words);
	r->hearing = false;
}

void reduction_pass_on(struct reduction *r, const u64 *word, u32 words)
{
	if (hd_likely(!r->failed))
		knowledge_hear(r, word, words);
}

/* ---- passes ---- */

void reduction_begin_pass(struct reduction *r)
{
	table_free(&r->relied);
	r->relied = (struct table)TABLE_OF(struct key_only);
	r->path.len = 0;
	r->wrong = false;
	r->checked = r->news;
}

struct reduction *reduction_new(const struct target *t)
{
	if (!t->ops->reduction || !t->ops->footprint)
		return NULL;
	struct reduction *r = pages_map(sizeof(*r));
	if (!r)
		return NULL;
	*r = (struct reduction){.ops = t->ops,
				.self = t->self,
				.words = FIRST_WORDS,
				.point_table = TABLE_OF(struct key_index),
				.variants = TABLE_OF(struct variants),
				.objects = TABLE_OF(struct object),
				.fact_table = TABLE_OF(struct key_only),
				.edge_table = TABLE_OF(struct key_only),
				.relied = TABLE_OF(struct key_only),
				.refined = TABLE_OF(struct refined)};
	return r;
}

void reduction_free(struct reduction *r)
{
	if (!r)
		return;
	table_free(&r->point_table);
	table_free(&r->variants);
	table_free(&r->objects);
	table_free(&r->fact_table);
	table_free(&r->edge_table);
	table_free(&r->relied);
	table_free(&r->refined);
	pages_vec_free(&r->made);
	pages_vec_free(&r->pairs);
	pages_vec_free(&r->points);
	pages_vec_free(&r->facts);
	pages_vec_free(&r->edges);
	pages_vec_free(&r->wide);
	pages_vec_free(&r->worklist);
	pages_vec_free(&r->path);
	pages_vec_free(&r->sorted);
	if (r->bits)
		pages_unmap(r->bits, r->bits_room * BIT_SETS * r->words * sizeof(*r->bits));
	pages_unmap(r, sizeof(*r));
}

u64 reduction_memory(const struct reduction *r)
{
	return table_bytes(&r->point_table) + table_bytes(&r->variants) + table_bytes(&r->objects) +
	       table_bytes(&r->fact_table) + table_bytes(&r->edge_table) + table_bytes(&r->relied) +
	       table_bytes(&r->refined) + r->made.cap + r->pairs.cap + r->points.cap + r->facts.cap +
	       r->edges.cap + r->wide.cap + r->path.cap +
	       r->bits_room * BIT_SETS * r->words * sizeof(*r->bits);
}

u64 reduction_facts(const struct reduction *r)
{
	return r->news;
}
