#include "search/walk.h"

#include "search/sanity.h"

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators). */
static u64 finish(u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

u64 walk_random(struct walk_runs *w)
{
	return finish(w->random += 0x9e3779b97f4a7c15ull);
}

u64 walk_below(struct walk_runs *w, u64 n)
{
	return (u64)((unsigned __int128)walk_random(w) * n >> 64);
}

u64 walk_scatter(u64 a, u64 b)
{
	return finish(a + (b + 1) * 0x9e3779b97f4a7c15ull);
}

u32 walk_choose(struct walk_runs *w, const u32 *actions, u32 n)
{
	struct search *s = w->s;
	u64 best = 0, ties = 0;
	u32 chosen = 0;
	for (u32 i = 0; i < n; i++) {
		u64 score = w->score(w, s->ops->action_fiber(s->self, actions[i]));
		if (!i || score > best) {
			best = score;
			ties = 0;
		} else if (score < best) {
			continue;
		}
		if (walk_below(w, ++ties) == 0)
			chosen = actions[i];
	}
	return chosen;
}

static enum move check_replay(struct search *s)
{
	struct fingerprint fp = s->ops->fingerprint(s->self);
	search_undo(s, s->root);
	return sanity_replay(s, fp, NULL);
}

/* The chosen step, told to the observers. */
static enum move tell_and_step(struct search *s, const u32 *actions, u32 n, u32 action)
{
	enum move m = search_tell_enter(s, actions, n);
	if (m < MOVE_HALT)
		m = search_tell_step(s, action);
	if (m < MOVE_HALT)
		m = search_step(s, action);
	if (m >= MOVE_HALT)
		return m;
	enum edge to = m == MOVE_DEAD ? EDGE_DEAD : m == MOVE_NEW ? EDGE_NEW : EDGE_KNOWN;
	enum move told = search_tell_edge(s, action, to);
	if (told < MOVE_HALT)
		told = search_tell_leave(s);
	return told < MOVE_HALT ? m : told;
}

/* MOVE_DEAD: this run is over. */
static enum move one_step(struct walk_runs *w, bool is_new)
{
	struct search *s = w->s;
	u32 *actions = search_action_room(&s->scratch);
	if (!actions)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	u32 n = s->ops->actions(s->self, actions);
	if (!n)
		return is_new ? search_terminal(s) : MOVE_DEAD;
	if (search_at_bound(s) || search_depth(s) >= WALK_MAX_STEPS)
		return MOVE_DEAD;
	if (w->before_step)
		w->before_step(w, actions, n);
	u32 action = walk_choose(w, actions, n);
	u32 fiber = s->ops->action_fiber(s->self, action);
	enum move m = tell_and_step(s, actions, n, action);
	s->stats->depth = search_depth(s);
	if (m == MOVE_NEW && hd_unlikely(sanity_wants_replay(s))) {
		enum move replayed = check_replay(s);
		m = replayed == MOVE_KNOWN ? m : replayed;
	}
	if (w->after_step && m <= MOVE_KNOWN)
		w->after_step(w, fiber);
	return m;
}

static enum move back_to_start(struct search *s, struct fingerprint initial)
{
	s->path.len = 0;
	search_undo(s, s->root);
	if (s->o->sanity < 3)
		return MOVE_KNOWN;
	return sanity_same(s, initial, "after undo of a run the state is not the initial one");
}

static enum move one_run(struct walk_runs *w, bool initial_is_new)
{
	w->run++;
	if (w->begin_run)
		w->begin_run(w);
	enum move m = initial_is_new ? MOVE_NEW : MOVE_KNOWN;
	while (m <= MOVE_KNOWN)
		m = one_step(w, m == MOVE_NEW);
	if (w->end_run)
		w->end_run(w);
	w->s->stats->runs += m != MOVE_RESTART;
	return m;
}

static u64 runs_wanted(const struct search_options *o)
{
	bool limited = o->max_runs || o->max_time_ms || o->max_states || o->max_memory;
	return limited ? o->max_runs : WALK_DEFAULT_RUNS;
}

void walk_free(struct walk_runs *w)
{
	if (w)
		pages_unmap(w, w->size);
}

enum move walk_run_all(struct walk_runs *w)
{
	struct search *s = w->s;
	struct fingerprint initial = s->ops->fingerprint(s->self);
	u64 wanted = runs_wanted(s->o);
	w->random = walk_scatter(s->o->seed, 0);
	enum move m = search_begin(s);
	bool is_new = true;
	while (m < MOVE_HALT) {
		if (wanted && w->run == wanted)
			return search_halt(s, SEARCH_LIMIT_RUNS);
		m = one_run(w, is_new);
		is_new = false;
		if (m < MOVE_HALT)
			m = back_to_start(s, initial);
	}
	return m;
}
