#include "search/search.h"

#include "search/parallel.h"
#include "search/prelude.h"
#include "search/recorder.h"
#include "search/reduction.h"
#include "search/sanity.h"
#include "search/search_priv.h"

/* A power of two, minus 1. Small enough to answer ^C at once when a step takes milliseconds. */
u32 search_poll_mask = 63;

static void measure_memory(struct search *s)
{
	u64 table = !s->team          ? visited_bytes(&s->visited) + bit_filter_bytes(&s->filter)
		    : s->team->number ? 0 /* the common one counts once */
				      : shared_visited_bytes(&s->team->table);
	s->stats->memory = table + s->path.cap + (s->in_prelude ? 0 : s->strategy->memory(s)) +
			   observers_memory(s) + s->ops->memory(s->self) +
			   (s->reduction ? reduction_memory(s->reduction) : 0);
}

enum move search_halt(struct search *s, enum search_end why)
{
	measure_memory(s);
	s->end = why;
	return MOVE_HALT;
}

static void filter_add(void *self, struct fingerprint fp)
{
	bit_filter_add(self, fp);
}

/*
 * When two thirds of the memory are in use, and most of it by the table, the rest becomes a filter
 * (bit_filter.h) that takes the table's place. It holds some ten times as many states, nearly all of which
 * are told apart. The search can't be complete any more, but goes on: what it finds is as true as before.
 */
static void shrink_table(struct search *s)
{
	u64 room = s->o->max_memory / 3;
	bool exact = !s->strategy->exhausts || s->team || s->hooks->record || s->filter.lines ||
		     s->o->no_matching || (s->o->max_depth && s->strategy->wants_depths);
	if (exact || s->stats->memory + room <= s->o->max_memory || visited_bytes(&s->visited) < room ||
	    bit_filter_begin(&s->filter, room) < 0)
		return;
	s->stats->filtered_from = s->stats->states;
	visited_each(&s->visited, filter_add, &s->filter);
	visited_reset(&s->visited);
	measure_memory(s);
}

enum move search_poll(struct search *s)
{
	measure_memory(s);
	if (s->strategy->survey && !s->in_prelude)
		s->strategy->survey(s);
	if (s->o->max_memory)
		shrink_table(s);
	u64 memory = s->team ? team_memory(s->team) : s->stats->memory;
	if (s->hooks->stop(s->hooks->self))
		return search_halt(s, SEARCH_INTERRUPTED);
	/* Of several workers, the first that sees it has a filter take the table's place, if that helps. */
	if (s->o->max_memory && memory > s->o->max_memory && (!s->team || !parallel_wants_filter(s)))
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	if (s->o->max_time_ms && s->hooks->now_ms(s->hooks->self) - s->started_ms >= s->o->max_time_ms)
		return search_halt(s, SEARCH_LIMIT_TIME);
	return s->team ? parallel_poll(s) : MOVE_KNOWN;
}

bool search_is_stale(const struct search *s)
{
	return s->ops->stale && s->ops->stale(s->self);
}

enum move search_complete(struct search *s, bool cut)
{
	if (search_is_stale(s))
		return MOVE_RESTART;
	s->stats->swept = s->stats->filtered_from != 0;
	if (s->stats->swept)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	return search_halt(s, cut ? SEARCH_LIMIT_DEPTH : SEARCH_COMPLETE);
}

/* A violation here. The same kind at the same place is told once: the end, if that can't be remembered. */
enum move search_violation(struct search *s)
{
	if (search_is_stale(s))
		return MOVE_RESTART;
	bool doubtful = s->ops->doubtful && s->ops->doubtful(s->self);
	struct fingerprint key = {s->ops->violation_key(s->self), 1 + doubtful};
	int known = visited_insert(&s->told, key);
	if (known == 0)
		return MOVE_DEAD;
	s->stats->violations += !doubtful;
	s->walk_told |= s->walking;
	s->hooks->violation(s->hooks->self, search_path(s), search_depth(s));
	if (!s->o->keep_going && !doubtful)
		return search_halt(s, SEARCH_VIOLATION);
	return known < 0 ? search_halt(s, SEARCH_LIMIT_MEMORY) : MOVE_DEAD;
}

/* States are numbered from 1 on, in the order of coming. */
static int match_number(struct search *s, struct fingerprint fp)
{
	u32 next = (u32)s->stats->states + 1;
	int known = visited_insert_number(&s->visited, fp, next, &s->number);
	if (known == 1)
		s->number = next;
	return known;
}

static int match(struct search *s)
{
	if (s->o->no_matching)
		return 1;
	struct fingerprint fp = s->ops->fingerprint(s->self);
	if (hd_unlikely(s->hooks->record))
		return match_number(s, fp);
	if (s->team && hd_likely(!s->filter.lines))
		return shared_visited_insert(&s->team->table, fp);
	if (hd_unlikely(s->filter.lines)) {
		int known = bit_filter_insert(&s->filter, s->team ? shared_visited_key(fp) : fp);
		s->stats->missed = s->filter.missed / BIT_FILTER_UNIT;
		return known;
	}
	if (s->o->max_depth && s->strategy->wants_depths)
		return visited_insert_depth(&s->visited, fp, (u32)search_depth(s), &s->farther);
	return visited_insert(&s->visited, fp);
}

static enum move arrive_new(struct search *s)
{
	struct search_stats *st = s->stats;
	u64 known = s->team && s->o->max_states ? team_count_state(s->team) : st->states;
	if (s->o->max_states && known >= s->o->max_states)
		return search_halt(s, SEARCH_LIMIT_STATES);
	st->states++;
	st->max_depth = HD_MAX(st->max_depth, search_depth(s));
	return MOVE_NEW;
}

static enum move arrive(struct search *s)
{
	int known = match(s);
	if (known == 1)
		return arrive_new(s);
	if (known < 0)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	s->stats->revisited += !s->repeating;
	return known == VISITED_CLOSER ? MOVE_CLOSER : MOVE_KNOWN;
}

enum move search_step_ended(struct search *s, enum step_result r)
{
	enum move m;
	switch (r) {
	case STEP_VIOLATION:
		s->stats->transitions += !s->repeating;
		return search_violation(s);
	case STEP_PRUNED:
		s->stats->pruned += !s->repeating;
		/* Perhaps because the time is up, in a step that does not end. */
		m = search_poll(s);
		return m >= MOVE_HALT ? m : MOVE_DEAD;
	case STEP_RESTART:
		return MOVE_RESTART;
	case STEP_NO_MEMORY:
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	case STEP_STOP:
		return search_halt(s, SEARCH_STOPPED);
	default:
		return search_halt(s, SEARCH_TOOL_ERROR);
	}
}

enum move search_begin(struct search *s)
{
	if (s->o->sanity && sanity_state(s) == MOVE_HALT)
		return MOVE_HALT;
	return arrive(s);
}

enum move search_step(struct search *s, u32 action)
{
	u32 *at = pages_vec_push(&s->path, sizeof(*at));
	if (hd_unlikely(!at))
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	*at = action;
	if (hd_unlikely(!(++s->ticks & search_poll_mask))) {
		enum move m = search_poll(s);
		if (m >= MOVE_HALT)
			return m;
	}
	enum step_result r = s->ops->step(s->self, action);
	if (hd_unlikely(r != STEP_OK))
		return search_step_ended(s, r);
	s->stats->transitions += !s->repeating;
	if (hd_unlikely(!(s->ticks & s->sanity_mask)) && sanity_state(s) == MOVE_HALT)
		return MOVE_HALT;
	return arrive(s);
}

enum move search_terminal(struct search *s)
{
	if (s->reduction)
		reduction_look(s->reduction);
	if (s->ops->terminal(s->self) == TERMINAL_VIOLATION)
		return search_violation(s);
	s->stats->end_states++;
	return MOVE_DEAD;
}

enum move search_livelock(struct search *s, bool certain)
{
	if (!certain && s->ops->idles && s->ops->idles(s->self))
		return MOVE_DEAD;
	s->ops->livelock(s->self);
	return search_violation(s);
}

u32 *search_action_room(struct pages_vec *actions)
{
	const size_t room = TARGET_MAX_ACTIONS * sizeof(u32);
	if (actions->cap - actions->len < room) {
		if (!pages_vec_push(actions, room))
			return NULL;
		actions->len -= room;
	}
	return (u32 *)(actions->data + actions->len);
}

/*
 * Violations are forgotten with the rest: their paths count in steps that no
 * longer exist. The finer search finds them again.
 */
static void forget_all(struct search *s)
{
	*s->stats = (struct search_stats){.restarts = s->stats->restarts,
					  .passes = s->stats->passes,
					  .sanity_checks = s->stats->sanity_checks,
					  .walks = s->stats->walks,
					  .walk_steps = s->stats->walk_steps};
	visited_reset(&s->visited);
	bit_filter_reset(&s->filter);
	visited_reset(&s->told);
	s->path.len = 0;
	s->repeating = false;
}

static void restart(struct search *s)
{
	if (s->hooks->forget_former)
		s->hooks->forget_former(s->hooks->self);
	s->ops->undo(s->self, s->root);
	if (hd_likely(!s->keeps_steps))
		s->ops->restart(s->self);
	*(s->another_pass ? &s->stats->passes : &s->stats->restarts) += 1;
	/*
	 * The eye counts ticks: it shall see the same in a pass that is recorded and when that is
	 * followed.
	 */
	if (s->hooks->record && s->another_pass)
		s->ticks = 0;
	s->another_pass = false;
	if (s->walk_told)
		s->had_prelude = false; /* the search may take long to come to what walks found */
	s->walk_told = false;
	forget_all(s);
}

static const struct strategy *const strategies[] = {
	[SEARCH_DFS] = &strategy_dfs, [SEARCH_BFS] = &strategy_bfs,       [SEARCH_RANDOM] = &strategy_random,
	[SEARCH_PCT] = &strategy_pct, [SEARCH_SPREAD] = &strategy_spread,
};

/*
 * A bound on the depth counts the steps of all threads, those left out too; without state matching there is
 * no telling what leads back into the path.
 */
/* Who trusts a script does what it tells, and asks nobody what could be left out. */
static bool wants_reduction(const struct search *s)
{
	if (s->hooks->follow && s->hooks->follow->trust)
		return false;
	return s->o->reduce && s->strategy->reduces && !s->o->max_depth && !s->o->no_matching;
}

/* How many steps of a pass that is known to be wrong are made for what can still be learnt from it. */
#define PASS_MORE 1000

enum move search_check_pass(struct search *s, bool at_end)
{
	if (!reduction_was_wrong(s->reduction)) {
		/* Recorded, it must look the same to who knows all of that from the beginning. */
		if (!s->hooks->record || !at_end || reduction_facts(s->reduction) == s->pass_facts)
			return MOVE_KNOWN;
		s->no_pauses = s->another_pass = true;
		return MOVE_RESTART;
	}
	if (!s->pass_wrong_at)
		s->pass_wrong_at = s->ticks;
	u64 before = s->pass_wrong_at - s->pass_started_at, more = s->ticks - s->pass_wrong_at;
	if (!at_end && more < before + PASS_MORE)
		return MOVE_KNOWN;
	s->another_pass = true;
	return MOVE_RESTART;
}

static struct search *current;

const u32 *search_current_path(u64 *len)
{
	*len = current ? search_depth(current) : 0;
	return current ? search_path(current) : NULL;
}

bool search_is_walking(void)
{
	return current && current->walking;
}

enum search_end search_run(struct target *t, const struct search_options *o, const struct search_hooks *h,
			   struct search_stats *stats)
{
	hd_assert(o->strategy < HD_ARRAY_LEN(strategies));
	struct search s = {
		.ops = t->ops,
		.self = t->self,
		.o = o,
		.hooks = h,
		.stats = stats,
		.strategy = h->follow ? &strategy_follow : strategies[o->strategy],
		.started_ms = h->now_ms(h->self),
		.sanity_mask = sanity_mask(o->sanity),
		.pause_at = ~0ull,
	};
	*stats = (struct search_stats){0};
	current = &s;
	if (wants_reduction(&s))
		s.reduction = reduction_new(t);
	s.team = h->team && h->team->joined ? h->team : NULL;
	if (s.team)
		parallel_begin(&s);
	if (h->record)
		recorder_attach(&s);
	if (h->port)
		s.spread = spread_new(&s);
	for (;;) {
		s.root = s.ops->mark(s.self);
		enum move m = s.team && s.team->number ? MOVE_KNOWN : prelude_run(&s);
		if (s.spread) {
			spread_walked(s.spread, m);
			m = MOVE_KNOWN;
		}
		if (s.reduction) {
			reduction_begin_pass(s.reduction);
			s.pass_facts = reduction_facts(s.reduction);
		}
		s.pass_started_at = s.ticks;
		s.pass_wrong_at = 0;
		if (m == MOVE_KNOWN) {
			observers_begin(&s);
			m = s.strategy->run(&s);
			observers_end(&s);
		}
		if (s.team)
			m = parallel_conclude(&s, m);
		if (m == MOVE_HALT)
			break;
		restart(&s);
	}
	if (h->team && !s.team)
		h->team->joined = false;
	current = NULL;
	visited_reset(&s.told);
	visited_reset(&s.visited);
	bit_filter_reset(&s.filter);
	prelude_free(&s);
	spread_free(s.spread);
	pages_vec_free(&s.path);
	pages_vec_free(&s.scratch);
	reduction_free(s.reduction);
	return s.end;
}
