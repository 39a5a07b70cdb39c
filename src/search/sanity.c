#include "search/sanity.h"

u64 sanity_mask(u32 level)
{
	switch (level) {
	case 0:
		return ~0ull;
	case 1:
		return (1u << 14) - 1;
	case 2:
		return (1u << 8) - 1;
	default:
		return 0;
	}
}

enum move sanity_differs(struct search *s, const char *what)
{
	s->hooks->insane(s->hooks->self, what, search_path(s), search_depth(s));
	return search_halt(s, SEARCH_TOOL_ERROR);
}

static bool same(struct fingerprint a, struct fingerprint b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

enum move sanity_state(struct search *s)
{
	s->stats->sanity_checks++;
	if (!same(s->ops->fingerprint(s->self), s->ops->full_fingerprint(s->self)))
		return sanity_differs(s, "the incremental fingerprint differs from the full one");
	return MOVE_KNOWN;
}

enum move sanity_same(struct search *s, struct fingerprint before, const char *otherwise)
{
	s->stats->sanity_checks++;
	if (!same(s->ops->fingerprint(s->self), before))
		return sanity_differs(s, otherwise);
	return sanity_state(s);
}

bool sanity_wants_replay(const struct search *s)
{
	u64 every = 1;
	if (s->o->sanity < 3)
		return false;
	for (u64 states = s->stats->states; states > SANITY_REPLAY_ALL; states /= 4)
		every *= 2;
	return !(s->stats->states & (every - 1));
}

static bool is_enabled(struct search *s, u32 action)
{
	u32 *enabled = search_action_room(&s->scratch);
	u32 n = s->ops->actions(s->self, enabled), i = 0;
	while (i < n && enabled[i] != action)
		i++;
	return i < n;
}

static enum move replay_step(struct search *s, u32 action, const char **differs)
{
	*differs = "executing the path again: an action is no longer enabled";
	if (!is_enabled(s, action))
		return MOVE_DEAD;
	*differs = "executing the path again: a step ends differently";
	switch (s->ops->step(s->self, action)) {
	case STEP_OK:
		return MOVE_KNOWN;
	case STEP_RESTART:
		return MOVE_RESTART;
	case STEP_STOP:
		return search_halt(s, SEARCH_STOPPED);
	case STEP_NO_MEMORY:
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	default:
		return MOVE_DEAD;
	}
}

enum move search_follow_path(struct search *s, struct fingerprint expected, target_mark *marks,
			     const char **differs)
{
	if (!search_action_room(&s->scratch))
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	for (u64 i = 0; i < search_depth(s); i++) {
		if (marks)
			marks[i] = s->ops->mark(s->self);
		enum move m = replay_step(s, search_path(s)[i], differs);
		if (m != MOVE_KNOWN)
			return m;
	}
	*differs = "executing the path again leads to another state";
	return same(s->ops->fingerprint(s->self), expected) ? MOVE_KNOWN : MOVE_DEAD;
}

enum move sanity_replay(struct search *s, struct fingerprint expected, target_mark *marks)
{
	const char *differs = NULL;
	enum move m = search_follow_path(s, expected, marks, &differs);
	s->stats->sanity_checks += m == MOVE_KNOWN;
	if (m == MOVE_DEAD)
		return sanity_differs(s, differs);
	return m == MOVE_KNOWN ? sanity_state(s) : m;
}
