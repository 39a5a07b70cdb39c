/*
 * Depth-first search, the default: the undo log is the way back, so a state on
 * the stack costs a mark, a count and the actions not yet tried.
 *
 * With a bound on the depth, matching has a trap: a state first met at the bound is
 * not extended, and if it is met again nearer to the initial state, "known" would hide what lies
 * below it. So each state's smallest depth is kept with its fingerprint; when a shorter path
 * to it is found (MOVE_CLOSER), it is extended once more. The steps from it are then repeated: they lead to
 * known states, perhaps on shorter paths, and are not counted a second time. By induction on
 * the distance, every state within the bound is reached at its true distance, hence "no
 * violation within max_depth steps" is true. `cut` is the number of states with
 * actions that were met at the bound only; if none is left at the end, the search was complete.
 *
 * With a reduction (reduction.h) only some of a state's actions are tried at first. The others stay on the
 * action stack, below them, and are dropped if one of the first has led to a state that is not on the path.
 * Otherwise they are tried, too: else threads that go round in circles would keep the others from ever
 * moving.
 *
 * With several workers (parallel.h) "not on the path" is "new, or closed": left for good by the worker that
 * entered it, which had not given away any part of the stack up to there. A state of which others have a part
 * is never closed. So every state from which something is left out leads to one of lower rank: by the time of
 * closing, and for those that are never closed, which rank above, by the time of coming, the latest lowest.
 * Hence what is left out is not left out for ever.
 */
#include "search/dfs_priv.h"
#include "search/parallel.h"
#include "search/prelude.h"
#include "search/reduction.h"
#include "search/sanity.h"
#include "search/escape.h"

/* A power of two. */
#define PASS_CHECK_EVERY 1024

static target_mark mark_of_top(struct dfs *d)
{
	return ((target_mark *)(d->marks.data + d->marks.len))[-1];
}

static u64 dfs_memory(const struct search *s)
{
	const struct dfs *d = s->mine;
	return d->frames.cap + d->marks.cap + d->prints.cap + d->actions.cap + d->unit.cap +
	       fingerprint_map_bytes(&d->on_path) + escape_memory(d->escape);
}

/*
 * Each way on counts alike, and so do the ways behind it: as far as a few levels can tell, that is how much
 * is done. What lies behind the ways is of very different size, so nobody may expect it to grow evenly.
 */
static void dfs_survey(const struct search *s)
{
	const struct dfs *d = s->mine;
	const struct dfs_frame *f = (const struct dfs_frame *)d->frames.data;
	u64 n = dfs_frame_count(d), done = 0, weight = 1000000000000u;
	s->stats->frontier = d->actions.len / sizeof(u32);
	if (s->team)
		return;
	for (u64 i = 0; i < n && weight > 1000000; i++) {
		u32 ways = HD_MAX(f[i].ways, 1), tried = ways - HD_MIN(f[i].left, ways);
		done += weight / ways * (tried ? tried - 1 : 0);
		weight /= ways;
	}
	s->stats->finished = done / 1000000;
}

static void reverse(u32 *a, u32 n)
{
	for (u32 i = 0; i < n / 2; i++) {
		u32 swap = a[i];
		a[i] = a[n - 1 - i];
		a[n - 1 - i] = swap;
	}
}

enum move dfs_push(struct dfs *d, u32 actions, u32 rest, bool repeating)
{
	struct search *s = d->s;
	struct dfs_frame *f = pages_vec_push(&d->frames, sizeof(*f));
	target_mark *mark = pages_vec_push(&d->marks, sizeof(*mark));
	if (!f || !mark)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	*f = (struct dfs_frame){
		.left = actions, .rest = rest, .repeating = repeating, .ways = (u8)HD_MIN(actions, 255u)};
	*mark = s->ops->mark(s->self);
	d->actions.len += (actions + rest) * sizeof(u32);
	s->stats->reduced += rest != 0;
	if (s->reduction && !s->team && !fingerprint_map_put(&d->on_path, s->ops->fingerprint(s->self), 1))
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	if (hd_unlikely(s->o->sanity >= 3 || s->team)) {
		struct fingerprint *fp = pages_vec_push(&d->prints, sizeof(*fp));
		if (!fp)
			return search_halt(s, SEARCH_LIMIT_MEMORY);
		*fp = s->ops->fingerprint(s->self);
	}
	return MOVE_NEW;
}

/*
 * The state at the end of the path is new, or nearer than thought. MOVE_NEW: it is on
 * the stack now; MOVE_DEAD: it is not to be extended.
 */
static enum move enter(struct dfs *d, bool is_new)
{
	struct search *s = d->s;
	bool was_cut = !is_new && s->farther == s->o->max_depth;
	u32 *actions = search_action_room(&d->actions);
	if (hd_unlikely(!actions))
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	u32 n = s->ops->actions(s->self, actions);
	if (!n)
		return is_new ? search_terminal(s) : MOVE_DEAD;
	d->cut -= was_cut;
	if (search_at_bound(s)) {
		d->cut++;
		return MOVE_DEAD;
	}
	u32 first = s->reduction ? reduction_enter(s->reduction, actions, n) : n;
	reverse(actions, n);
	enum move m = dfs_push(d, first, n - first, !is_new && !was_cut);
	if (hd_unlikely(d->escape) && m == MOVE_NEW && !escape_enter(d->escape, s, true))
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	return m;
}

static enum move undo_to_top(struct dfs *d)
{
	struct search *s = d->s;
	s->path.len = d->frames.len / sizeof(struct dfs_frame) * sizeof(u32) - sizeof(u32);
	search_undo(s, mark_of_top(d));
	if (hd_likely(s->o->sanity < 3))
		return MOVE_KNOWN;
	struct fingerprint fp = ((struct fingerprint *)(d->prints.data + d->prints.len))[-1];
	return sanity_same(s, fp, "after undo the state is not the one before the step");
}

/* The topmost state is done, and the target stands there. */
static enum move leave(struct dfs *d)
{
	struct search *s = d->s;
	s->leaves_shared = dfs_frame_count(d) <= d->shared;
	enum move m = dfs_top(d)->taken ? MOVE_KNOWN : search_tell_leave(s);
	if (hd_unlikely(m >= MOVE_HALT))
		return m;
	if (hd_unlikely(d->escape) && !escape_leave(d->escape, s))
		parallel_no_room(s);
	if (s->reduction) {
		d->actions.len -= dfs_top(d)->rest * sizeof(u32);
		if (!s->team)
			fingerprint_map_remove(&d->on_path, s->ops->fingerprint(s->self));
		else if (dfs_frame_count(d) > d->shared && !parallel_filters(s))
			hd_assert(shared_visited_mark(&s->team->table, s->ops->fingerprint(s->self),
						      SHARED_CLOSED));
		reduction_leave(s->reduction);
	}
	d->frames.len -= sizeof(struct dfs_frame);
	d->shared = HD_MIN(d->shared, dfs_frame_count(d));
	d->marks.len -= sizeof(target_mark);
	if (d->prints.len)
		d->prints.len -= sizeof(struct fingerprint);
	return d->frames.len ? undo_to_top(d) : MOVE_KNOWN;
}

static enum move check_replay(struct dfs *d)
{
	struct search *s = d->s;
	struct fingerprint fp = s->ops->fingerprint(s->self);
	search_undo(s, s->root);
	return sanity_replay(s, fp, (target_mark *)d->marks.data);
}

/* The topmost state was just entered. Its actions lie in reverse; observers want them in order. */
static enum move tell_entered(struct dfs *d)
{
	if (hd_likely(!d->s->observers.count))
		return MOVE_NEW;
	u32 n = dfs_top(d)->left + dfs_top(d)->rest;
	reverse((u32 *)(d->actions.data + d->actions.len) - n, n);
	enum move m = search_tell_enter(d->s, (u32 *)(d->actions.data + d->actions.len) - n, n);
	reverse((u32 *)(d->actions.data + d->actions.len) - n, n);
	return m >= MOVE_HALT ? m : MOVE_NEW;
}

static enum move check_new(struct dfs *d, enum move m)
{
	if (m != MOVE_NEW || hd_likely(!sanity_wants_replay(d->s)))
		return m;
	enum move replayed = check_replay(d);
	return replayed == MOVE_KNOWN ? m : replayed;
}

/* A step was executed and led somewhere: enter the state if that is to be done, and tell. */
static enum move arrived(struct dfs *d, u32 action, enum move m)
{
	enum edge to = m == MOVE_DEAD ? EDGE_DEAD : m == MOVE_KNOWN ? EDGE_KNOWN : EDGE_NEW;
	if (m == MOVE_NEW || m == MOVE_CLOSER) {
		m = enter(d, m == MOVE_NEW);
		if (m == MOVE_DEAD)
			to = EDGE_END;
	}
	if (m >= MOVE_HALT)
		return m;
	if (hd_unlikely(d->escape) && to != EDGE_NEW && !escape_edge(d->escape, d->s, to))
		return search_halt(d->s, SEARCH_LIMIT_MEMORY);
	enum move told = search_tell_edge(d->s, action, to);
	if (hd_unlikely(told >= MOVE_HALT))
		return told;
	return m == MOVE_NEW ? tell_entered(d) : m;
}

/* Is the known state that the target stands in done with, by whomever? */
static bool is_closed(struct dfs *d)
{
	struct search *s = d->s;
	struct fingerprint fp = s->ops->fingerprint(s->self);
	return s->team ? !parallel_filters(s) && shared_visited_is(&s->team->table, fp, SHARED_CLOSED)
		       : !fingerprint_map_get(&d->on_path, fp);
}

/* A step of the topmost state was executed: what the reduction makes of it. */
static void learn(struct dfs *d, u32 action, enum move m)
{
	reduction_learn(d->s->reduction, action, m == MOVE_DEAD);
	if (dfs_top(d)->rest && m != MOVE_DEAD && !dfs_top(d)->led_away)
		dfs_top(d)->led_away = m == MOVE_NEW || is_closed(d);
}

/* All that had to be tried of the topmost state was tried. */
static enum move finish(struct dfs *d)
{
	struct dfs_frame *f = dfs_top(d);
	if (hd_likely(!f->rest || f->led_away))
		return leave(d);
	f->left = f->rest;
	f->ways = (u8)HD_MIN(f->rest, 255u);
	f->rest = 0;
	d->s->stats->reduced--;
	return MOVE_KNOWN;
}

/* Try the next action of the topmost state. */
static enum move advance(struct dfs *d)
{
	struct search *s = d->s;
	struct dfs_frame *f = dfs_top(d);
	f->left--;
	d->actions.len -= sizeof(u32);
	s->repeating = f->repeating;
	u32 action = *(u32 *)(d->actions.data + d->actions.len);
	enum move m = search_tell_step(s, action);
	if (hd_unlikely(d->escape))
		escape_step(d->escape, s, action);
	if (hd_likely(m < MOVE_HALT))
		m = check_new(d, search_step(s, action));
	if (s->reduction && hd_likely(m < MOVE_HALT)) {
		learn(d, action, m);
		if (hd_unlikely(!(s->ticks & (PASS_CHECK_EVERY - 1))) &&
		    search_check_pass(s, false) == MOVE_RESTART)
			return MOVE_RESTART;
	}
	if (hd_likely(m < MOVE_HALT))
		m = arrived(d, action, m);
	if (m == MOVE_KNOWN || m == MOVE_DEAD)
		m = undo_to_top(d);
	s->stats->depth = search_depth(s);
	return m;
}

/* The target stands at the topmost state: time for some walks (prelude.h). */
static enum move pause(struct dfs *d)
{
	enum move m = interlude_run(d->s, (target_mark *)d->marks.data);
	((target_mark *)(d->marks.data + d->marks.len))[-1] = d->s->ops->mark(d->s->self);
	return m;
}

/* From the initial state on. */
static enum move begin(struct dfs *d)
{
	enum move m = search_begin(d->s);
	if (m == MOVE_NEW)
		m = enter(d, true);
	return m == MOVE_NEW ? tell_entered(d) : m;
}

static enum move explore_stack(struct dfs *d, enum move m)
{
	while (m < MOVE_HALT && d->frames.len) {
		if (hd_unlikely(d->s->save_due) && (m = parallel_rest(d->s)) >= MOVE_HALT)
			break;
		m = dfs_top(d)->left ? advance(d) : finish(d);
		if (hd_unlikely(d->s->ticks >= d->s->pause_at) && m < MOVE_HALT && d->frames.len)
			m = pause(d);
	}
	return m;
}

static enum move explore(struct dfs *d)
{
	enum move m = explore_stack(d, begin(d));
	if (m < MOVE_HALT && d->s->reduction && search_check_pass(d->s, true) == MOVE_RESTART)
		return MOVE_RESTART;
	if (m < MOVE_HALT)
		m = search_complete(d->s, d->cut != 0);
	return m;
}

/* One of several workers: whoever has nothing left to do takes from others, until nobody has. */
static enum move explore_together(struct dfs *d)
{
	enum move m = MOVE_KNOWN;
	bool failed;
	d->escape = escape_begin(d->s, &failed);
	if (failed)
		return search_halt(d->s, SEARCH_LIMIT_MEMORY);
	if (!d->s->team->number && team_begin(d->s->team))
		m = begin(d);
	while ((m = explore_stack(d, m)) < MOVE_HALT)
		m = dfs_take(d);
	return m;
}

static enum move dfs_run(struct search *s)
{
	struct dfs d = {.s = s};
	s->mine = &d;
	enum move m = s->team ? explore_together(&d) : explore(&d);
	pages_vec_free(&d.frames);
	pages_vec_free(&d.marks);
	pages_vec_free(&d.prints);
	pages_vec_free(&d.actions);
	pages_vec_free(&d.unit);
	fingerprint_map_free(&d.on_path);
	escape_end(d.escape);
	s->mine = NULL;
	return m;
}

const struct strategy strategy_dfs = {
	.run = dfs_run,
	.memory = dfs_memory,
	.survey = dfs_survey,
	.wants_depths = true,
	.reduces = true,
	.exhausts = true,
	.walks = true,
	.give = dfs_give,
	.pack = dfs_pack,
};
