#include "search/parallel.h"

#include "search/reduction.h"
#include "search/escape.h"

/* Kinds of notes (team.h). */
enum note_kind { NOTE_TARGET = 1, NOTE_REDUCTION, NOTE_RELIED, NOTE_ESCAPE };

static void goes_alone(struct search *s, enum target_alone why)
{
	if (s->ops->team && s->ops->team->goes_alone)
		s->ops->team->goes_alone(s->self, why);
}

void parallel_no_room(struct search *s)
{
	goes_alone(s, TARGET_ALONE_NOTES);
	team_call(s->team, TEAM_ALONE, 0);
}

bool parallel_say_escape(struct search *s, const u64 *word, u32 words)
{
	return team_say(s->team, NOTE_ESCAPE, word, words);
}

void parallel_each_escape(struct search *s, void (*fn)(void *self, const u64 *word, u32 words), void *self)
{
	team_each_note(s->team, NOTE_ESCAPE, fn, self);
}

static void say_target(void *to, const u64 *word, u32 words)
{
	struct search *s = to;
	if (s->team && !team_say(s->team, NOTE_TARGET, word, words))
		parallel_no_room(s);
}

static void say_reduction(void *to, const u64 *word, u32 words)
{
	struct search *s = to;
	if (s->team && !team_say(s->team, NOTE_REDUCTION, word, words))
		parallel_no_room(s);
}

static bool learns_on(struct search *s)
{
	return s->ops->team && s->ops->team->learns_on && s->ops->team->learns_on(s->self);
}

/* Reads all that others have said so far. True: the search must start again. */
static bool hear(struct search *s)
{
	bool again = false;
	const u64 *word;
	u32 words;
	u16 kind;
	while ((word = team_hear(s->team, &kind, &words)) != NULL)
		if (kind == NOTE_TARGET)
			again |= s->ops->team && s->ops->team->hear(s->self, word, words);
		else if (s->reduction && kind == NOTE_REDUCTION)
			reduction_hear(s->reduction, word, words);
		else if (s->reduction && kind == NOTE_RELIED && team_heard_saved(s->team))
			reduction_rely(s->reduction, word, words);
	return again;
}

static void filter_add(void *self, struct fingerprint fp)
{
	bit_filter_add(self, fp);
}

/* From now on this worker uses the filter that all have in common. */
static void attach_filter(struct search *s)
{
	u64 bytes;
	void *at = shared_visited_filter_at(&s->team->table, &bytes);
	bit_filter_lend(&s->filter, at, bytes);
	s->stats->filtered_from = team_filtered_from(s->team);
}

/*
 * As search.c does it for one: when two thirds of the memory are in use, and most of it by the table, or when
 * the table can't grow any more (full), a filter takes its place. False: that would not help.
 */
static bool wants_filter(struct search *s, bool full)
{
	u64 room = s->o->max_memory / 3, memory = team_memory(s->team);
	u64 table = shared_visited_bytes(&s->team->table), rest = memory - HD_MIN(memory, table);
	if (!s->o->max_memory || parallel_filters(s) || rest + room > s->o->max_memory)
		return false;
	if (!full && (memory + room <= s->o->max_memory || table < room))
		return false;
	team_call_filter(s->team, room);
	return true;
}

bool parallel_wants_filter(struct search *s)
{
	return wants_filter(s, true);
}

void parallel_begin(struct search *s)
{
	if (s->team->table.shared->poured)
		attach_filter(s);
	if (s->ops->team)
		s->ops->team->join(s->self, say_target, s);
	if (s->reduction)
		reduction_share(s->reduction, say_reduction, s);
	if (!team_same_start(s->team, s->ops->fingerprint(s->self)))
		team_call(s->team, TEAM_ALONE, 0);
}

/* All workers have come, and none learns anything any more: what this one knows now decides. */
static u32 check(void *self, u32 called, u32 end)
{
	struct search *s = self;
	const struct target_team *t = s->ops->team;
	u32 why = hear(s) || search_is_stale(s) ? TEAM_RESTART : 0;
	if (t && t->wants_alone(s->self))
		why |= TEAM_ALONE;
	if (called & TEAM_SAVE && !s->at_rest)
		why |= TEAM_UNREADY;
	if (!(called & TEAM_END) || end != SEARCH_COMPLETE || parallel_filters(s))
		return why;
	if (s->reduction && reduction_was_wrong(s->reduction))
		why |= TEAM_PASS;
	if (t && t->widens && t->widens(s->self))
		why |= TEAM_RESTART;
	if (!why && !s->team->number && escape_lacks(s)) {
		goes_alone(s, TARGET_ALONE_LIVELOCK);
		why = TEAM_LIVELOCK;
	}
	return why;
}

/* Whoever is not alone from now on has nothing to say any more. */
static enum move leave_the_rest_to_one(struct search *s)
{
	bool first = s->team->number == 0;
	s->team = NULL;
	if (s->ops->team)
		s->ops->team->leave(s->self);
	if (s->reduction)
		reduction_share(s->reduction, NULL, NULL);
	if (first)
		return MOVE_RESTART;
	s->ops->undo(s->self, s->root);
	s->ops->restart(s->self);
	*s->stats = (struct search_stats){0};
	s->end = SEARCH_COMPLETE;
	return MOVE_HALT;
}

static void say_relied(void *to, const u64 *word, u32 words)
{
	struct search *s = to;
	if (!team_say(s->team, NOTE_RELIED, word, words))
		parallel_no_room(s);
}

/* All workers have come, and are at rest. */
static void save(struct search *s)
{
	const void *unit = NULL;
	u64 bytes = s->strategy->pack(s, &unit);
	team_deposit(s->team, unit, bytes);
	if (s->reduction)
		reduction_say_relied(s->reduction, say_relied, s);
	s->hooks->saving(s->hooks->self);
	bool whole = team_save_begin(s->team);
	if (!s->team->number)
		s->hooks->save(s->hooks->self, whole);
	team_save_end(s->team);
}

static enum move meet(struct search *s)
{
	enum search_end own = s->end;
	u32 end;
	s->team->met = true;
	switch (team_meet(s->team, check, s, &end)) {
	case TEAM_ALONE:
		s->another_pass = false;
		return leave_the_rest_to_one(s);
	case TEAM_RESTART:
		s->another_pass = false;
		return MOVE_RESTART;
	case TEAM_PASS:
		s->another_pass = true;
		return MOVE_RESTART;
	case TEAM_END:
		/* Who found the error says which; for the others there is none. */
		s->end = end == SEARCH_TOOL_ERROR && own != end ? SEARCH_INTERRUPTED : end;
		if (s->end == SEARCH_COMPLETE && parallel_filters(s)) {
			s->stats->swept = 1;
			s->end = SEARCH_LIMIT_MEMORY;
		}
		return MOVE_HALT;
	case TEAM_FILTER:
		s->team->met = false;
		attach_filter(s);
		shared_visited_pour(&s->team->table, filter_add, &s->filter);
		team_filter_end(s->team);
		return MOVE_KNOWN;
	case TEAM_SAVE:
		s->team->met = false;
		save(s);
		return MOVE_KNOWN;
	default:
		s->team->met = false;
		return MOVE_KNOWN;
	}
}

enum move parallel_poll(struct search *s)
{
	struct team_member *m = s->team;
	team_publish(m, s->stats->states, s->stats->memory);
	/* From now on its steps differ from those of the others: it can't hand over work. */
	hear(s);
	bool stale = search_is_stale(s);
	if (hd_unlikely(stale) && !learns_on(s))
		team_call(m, TEAM_RESTART, 0);
	if (hd_unlikely(s->ops->team && s->ops->team->wants_alone(s->self)))
		team_call(m, TEAM_ALONE, 0);
	if (hd_unlikely(team_states(m) > shared_visited_limit(&m->table))) {
		/* Where the larger one would need more than is allowed, the present one is filled up. */
		bool grows = !s->o->max_memory ||
			     team_memory(m) + shared_visited_bytes(&m->table) <= s->o->max_memory;
		if (grows)
			team_call(m, TEAM_GROW, 0);
		else if (!wants_filter(s, true) && team_states(m) > shared_visited_last_limit(&m->table))
			return search_halt(s, SEARCH_LIMIT_MEMORY);
	} else {
		wants_filter(s, false);
	}
	u32 called = team_called(m);
	if (hd_unlikely(s->hooks->wants_save && s->strategy->pack && s->hooks->wants_save(s->hooks->self)) &&
	    !(called & TEAM_SAVE)) {
		team_call(m, TEAM_SAVE, 0);
		called |= TEAM_SAVE;
	}
	if (hd_unlikely(called == TEAM_SAVE))
		s->save_due = true;
	else if (hd_unlikely(called))
		return meet(s);
	if (hd_unlikely(team_is_hungry(m)) && s->strategy->give && !s->walking && !stale)
		s->strategy->give(s);
	return MOVE_KNOWN;
}

enum move parallel_rest(struct search *s)
{
	s->save_due = false;
	if (!s->team || !team_called(s->team))
		return MOVE_KNOWN;
	s->at_rest = true;
	enum move m = meet(s);
	s->at_rest = false;
	return m;
}

enum move parallel_take(struct search *s, struct pages_vec *unit)
{
	for (;;) {
		team_publish(s->team, s->stats->states, s->stats->memory);
		if (search_is_stale(s)) /* what others hand over is not what it would do */
			team_call(s->team, TEAM_RESTART, 0);
		int got = team_take(s->team, unit);
		if (got > 0)
			return MOVE_KNOWN;
		if (got < 0)
			return search_halt(s, SEARCH_LIMIT_MEMORY);
		s->at_rest = true;
		enum move m = meet(s);
		s->at_rest = false;
		if (m >= MOVE_HALT)
			return m;
	}
}

enum move parallel_conclude(struct search *s, enum move m)
{
	if (!s->team) /* it was decided that one worker goes on alone, or that this one has done its part */
		return m;
	if (!s->team->met)
		team_call(s->team,
			  m == MOVE_HALT    ? TEAM_END
			  : s->another_pass ? TEAM_PASS
					    : TEAM_RESTART,
			  s->end);
	while (!s->team->met) {
		m = meet(s);
		if (!s->team)
			return m;
	}
	s->team->met = false;
	return m;
}

enum move parallel_disagree(struct search *s)
{
	/*
	 * It may be that one of the two knows something that the other has not heard yet, or that was learnt
	 * before the one came: then a restart is due. Otherwise the program is not the same in each process.
	 */
	team_call(s->team, TEAM_DISAGREE, 0);
	return meet(s);
}
