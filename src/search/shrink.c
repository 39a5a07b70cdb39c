#include "search/shrink.h"

#include "base/base.h"

struct shrink {
	const struct target_ops *ops;
	void *self;
	const struct shrink_task *task;
	struct shrunk *out;

	u64 key;                /* of the violation */
	struct fingerprint end; /* of a loop: the state to come to */
	struct pages_vec best;  /* u32: the path so far */
	struct pages_vec marks; /* target_mark of the first `at` + 1 states on it */
	u64 at;                 /* how many of its steps are executed now */
	struct pages_vec wish;  /* u32: what is tried, behind a part of the path */
	struct pages_vec made;  /* u32: what came of it */
	struct pages_vec room;  /* u32: actions of a state */
	u64 steps;              /* left */
	enum shrink_end why;
	bool over;
};

static u64 len_of(const struct pages_vec *v)
{
	return v->len / sizeof(u32);
}

static const u32 *best(const struct shrink *s)
{
	return (const u32 *)s->best.data;
}

static u32 fiber(const struct shrink *s, u32 action)
{
	return s->ops->action_fiber(s->self, action);
}

static u64 count_switches(const struct shrink *s, const u32 *path, u64 len)
{
	u64 n = 0;
	for (u64 i = 1; i < len; i++)
		n += fiber(s, path[i]) != fiber(s, path[i - 1]);
	return n;
}

u64 shrink_switches(const struct target *t, const u32 *path, u64 len)
{
	struct shrink s = {.ops = t->ops, .self = t->self};
	return count_switches(&s, path, len);
}

static u64 cost_of(const struct shrink *s, const u32 *path, u64 len)
{
	return len + SHRINK_SWITCH * count_switches(s, path, len);
}

static bool give_up(struct shrink *s, enum shrink_end why)
{
	s->over = true;
	s->why = why;
	return false;
}

static bool push(struct shrink *s, struct pages_vec *v, u32 action)
{
	u32 *at = pages_vec_push(v, sizeof(*at));
	if (!at)
		return give_up(s, SHRINK_DONE);
	*at = action;
	return true;
}

static bool same(struct fingerprint a, struct fingerprint b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

static u32 enabled(struct shrink *s, const u32 **actions)
{
	*actions = (const u32 *)s->room.data;
	return s->ops->actions(s->self, (u32 *)s->room.data);
}

static bool is_among(const u32 *actions, u32 n, u32 action)
{
	for (u32 i = 0; i < n; i++)
		if (actions[i] == action)
			return true;
	return false;
}

/* ---- executing ---- */

enum shrink_attempt { GOES_ON, REACHED, FAILED };

/* One step, and whether it shows what is looked for. */
static enum shrink_attempt step(struct shrink *s, u32 action)
{
	if (!s->steps || (!(s->steps & 63) && s->task->stop(s->task->self))) {
		give_up(s, SHRINK_DONE);
		return FAILED;
	}
	s->steps--;
	switch (s->ops->step(s->self, action)) {
	case STEP_OK:
		return s->task->is_loop && same(s->ops->fingerprint(s->self), s->end) ? REACHED : GOES_ON;
	case STEP_VIOLATION:
		return !s->task->is_loop && s->ops->violation_key(s->self) == s->key ? REACHED : FAILED;
	case STEP_PRUNED:
		return FAILED;
	case STEP_RESTART: /* attempt() looks after it */
		give_up(s, SHRINK_LESSON);
		return FAILED;
	default:
		give_up(s, SHRINK_DONE); /* it can't go on; what was found so far is good */
		return FAILED;
	}
}

/* An end of the program. */
static enum shrink_attempt judge_end(struct shrink *s)
{
	bool bad = !s->task->is_loop && s->ops->terminal(s->self) == TERMINAL_VIOLATION;
	return bad && s->ops->violation_key(s->self) == s->key ? REACHED : FAILED;
}

/* The state after the first n steps of the path. */
static bool go_to(struct shrink *s, u64 n)
{
	target_mark *marks = (target_mark *)s->marks.data;
	if (s->at > n) {
		s->ops->undo(s->self, marks[n]);
		s->at = n;
	}
	while (s->at < n) {
		const u32 *actions;
		if (!s->steps)
			return give_up(s, SHRINK_DONE);
		s->steps--;
		enabled(s, &actions); /* the target may have to find out something first */
		if (s->ops->step(s->self, best(s)[s->at]) != STEP_OK)
			return give_up(s, SHRINK_DONE);
		marks[++s->at] = s->ops->mark(s->self);
	}
	return true;
}

/* What goes on when nothing more is wished: `last`, or else the first fiber that can. */
static u32 next_of_itself(const struct shrink *s, const u32 *actions, u32 n, u32 last)
{
	for (u32 i = 0; i < n; i++)
		if (fiber(s, actions[i]) == last)
			return actions[i];
	return actions[0];
}

/* Executes the wish behind the first `keep` steps of the path, as far as it may still be an improvement. */
static enum shrink_attempt execute(struct shrink *s, u64 keep, u64 limit)
{
	u64 cost = cost_of(s, best(s), keep), wished = 0, wishes = len_of(&s->wish);
	u32 last = keep ? fiber(s, best(s)[keep - 1]) : ~0u;
	s->made.len = 0;
	for (;;) {
		const u32 *actions;
		u32 n = enabled(s, &actions), action;
		if (!n)
			return judge_end(s);
		while (wished < wishes && !is_among(actions, n, ((u32 *)s->wish.data)[wished]))
			wished++;
		action = wished < wishes ? ((u32 *)s->wish.data)[wished++]
					 : next_of_itself(s, actions, n, last);
		cost += 1 + (last != ~0u && fiber(s, action) != last ? SHRINK_SWITCH : 0);
		if (cost >= limit || !push(s, &s->made, action))
			return FAILED;
		last = fiber(s, action);
		enum shrink_attempt a = step(s, action);
		if (a != GOES_ON)
			return a;
	}
}

static u64 hash_of(const struct shrink *s, u64 keep)
{
	u64 hash = keep + 1;
	for (u64 i = 0; i < keep + len_of(&s->wish); i++)
		hash = (hash ^ (i < keep ? best(s)[i] : ((u32 *)s->wish.data)[i - keep])) *
		       0x9e3779b97f4a7c15u;
	return hash ? hash : 1;
}

static bool is_to_avoid(const struct shrink *s, u64 hash)
{
	for (u32 i = 0; i < s->task->avoids; i++)
		if (s->task->avoid[i] == hash)
			return true;
	return false;
}

/* The path becomes its first `keep` steps, and what was made. */
static bool take_over(struct shrink *s, u64 keep)
{
	s->best.len = keep * sizeof(u32);
	for (u64 i = 0; i < len_of(&s->made); i++)
		if (!push(s, &s->best, ((u32 *)s->made.data)[i]))
			return false;
	return true;
}

/* The target has learnt something in an attempt. That does no harm, if the path still leads to the same. */
static bool is_still_good(struct shrink *s)
{
	u64 len = len_of(&s->best);
	s->ops->undo(s->self, ((target_mark *)s->marks.data)[0]);
	s->ops->restart(s->self);
	s->at = 0;
	s->over = false;
	s->why = SHRINK_DONE;
	s->wish.len = 0;
	for (u64 i = 0; i < len; i++)
		if (!push(s, &s->wish, best(s)[i]))
			return false;
	bool good = execute(s, 0, ~0ull) == REACHED && len_of(&s->made) == len;
	s->ops->undo(s->self, ((target_mark *)s->marks.data)[0]);
	return good || give_up(s, SHRINK_LESSON);
}

/* Is the wish, behind the first `keep` steps of the path, an improvement? Then it is the path from now on. */
static bool attempt(struct shrink *s, u64 keep)
{
	u64 limit = cost_of(s, best(s), len_of(&s->best)), hash = hash_of(s, keep);
	if (s->over || is_to_avoid(s, hash) || !go_to(s, keep))
		return false;
	s->out->attempts++;
	enum shrink_attempt a = execute(s, keep, limit);
	s->ops->undo(s->self, ((target_mark *)s->marks.data)[keep]);
	if (s->over && s->why == SHRINK_LESSON && !is_still_good(s) && s->why == SHRINK_LESSON)
		s->out->lesson = hash;
	return a == REACHED && take_over(s, keep);
}

/* ---- what is tried ---- */

static bool wish_range(struct shrink *s, u64 from, u64 to)
{
	for (; from < to; from++)
		if (!push(s, &s->wish, best(s)[from]))
			return false;
	return true;
}

/* Without the steps from `from` to before `to`. */
static bool without(struct shrink *s, u64 from, u64 to)
{
	s->wish.len = 0;
	return wish_range(s, to, len_of(&s->best)) && attempt(s, from);
}

/* Without a fiber's steps from `from` on. */
static bool without_fiber(struct shrink *s, u64 from, u32 which)
{
	s->wish.len = 0;
	for (u64 i = from; i < len_of(&s->best); i++)
		if (fiber(s, best(s)[i]) != which && !push(s, &s->wish, best(s)[i]))
			return false;
	return attempt(s, from);
}

/* Where the steps that one fiber makes from `from` on, without a switch, end. */
static u64 block_end(const struct shrink *s, u64 from)
{
	u64 i = from;
	while (i < len_of(&s->best) && fiber(s, best(s)[i]) == fiber(s, best(s)[from]))
		i++;
	return i;
}

static u64 next_of(const struct shrink *s, u32 which, u64 from)
{
	while (from < len_of(&s->best) && fiber(s, best(s)[from]) != which)
		from++;
	return from;
}

/* The block [from, to) and the fiber's next one, [next, end), become one: there, or here. */
static bool join_blocks(struct shrink *s, u64 from)
{
	u64 to = block_end(s, from), len = len_of(&s->best), next = next_of(s, fiber(s, best(s)[from]), to);
	if (next == len)
		return false;
	u64 end = block_end(s, next);
	s->wish.len = 0;
	if (wish_range(s, next, end) && wish_range(s, to, next) && wish_range(s, end, len) && attempt(s, to))
		return true;
	s->wish.len = 0;
	return wish_range(s, to, next) && wish_range(s, from, to) && wish_range(s, next, len) &&
	       attempt(s, from);
}

static bool shorten_by_chunks(struct shrink *s, u64 most, u64 least)
{
	bool better = false;
	for (u64 size = most; size >= least && size && !s->over; size /= 2)
		for (u64 from = 0; from < len_of(&s->best) && !s->over;)
			if (without(s, from, HD_MIN(from + size, len_of(&s->best))))
				better = true;
			else
				from += size;
	return better;
}

static bool shorten_by_blocks(struct shrink *s)
{
	bool better = false;
	for (u64 from = 0; from < len_of(&s->best) && !s->over;) {
		if (without_fiber(s, from, fiber(s, best(s)[from])) || without(s, from, block_end(s, from)) ||
		    join_blocks(s, from))
			better = true;
		else
			from = block_end(s, from);
	}
	return better;
}

#define OUTCOMES_MAX 16u

/* What else the fiber whose step is the one at `from` could do there; their number. */
static u32 other_outcomes(struct shrink *s, u64 from, u32 *out)
{
	const u32 *actions;
	u32 found = 0, n = s->over || !go_to(s, from) ? 0 : enabled(s, &actions);
	for (u32 i = 0; i < n && found < OUTCOMES_MAX; i++)
		if (fiber(s, actions[i]) == fiber(s, best(s)[from]) && actions[i] != best(s)[from])
			out[found++] = actions[i];
	return found;
}

/* Another outcome of the step at `from`, which may make steps behind it needless: as many as possible. */
static bool with_other_outcome(struct shrink *s, u64 from)
{
	u32 other[OUTCOMES_MAX], n = other_outcomes(s, from, other);
	for (u32 i = 0; i < n; i++)
		for (u64 less = block_end(s, from) - from - 1;; less /= 2) {
			s->wish.len = 0;
			if (!push(s, &s->wish, other[i]) ||
			    !wish_range(s, from + 1 + less, len_of(&s->best)) || s->over)
				return false;
			if (attempt(s, from))
				return true;
			if (!less)
				break;
		}
	return false;
}

static bool shorten_by_outcomes(struct shrink *s)
{
	bool better = false;
	for (u64 from = 0; from < len_of(&s->best) && !s->over;)
		if (with_other_outcome(s, from))
			better = true;
		else
			from++;
	return better;
}

/* Blocks are as many as there are switches: too many of them, before chunks have thinned them out. */
#define LARGE 16u

static void shorten(struct shrink *s)
{
	shorten_by_chunks(s, len_of(&s->best) / 2, LARGE);
	for (bool better = true; better && !s->over;) {
		better = shorten_by_blocks(s);
		better |= shorten_by_chunks(s, HD_MIN(len_of(&s->best) / 2, (u64)LARGE), 1);
		better |= shorten_by_outcomes(s);
	}
}

/* ---- the beginning ---- */

#define LESSONS_MAX 16

/* The path as it is: what is it that it leads to? Of a loop, `best` becomes the way to it. */
static bool look_at_path(struct shrink *s, struct pages_vec *round, bool *learnt)
{
	const struct shrink_task *task = s->task;
	struct fingerprint *seen = pages_map((task->len + 1) * sizeof(*seen));
	enum step_result r = STEP_OK;
	u64 i = 0;
	if (!seen)
		return false;
	for (; i < task->len && r == STEP_OK; i++) {
		const u32 *actions;
		u32 n = enabled(s, &actions);
		seen[i] = s->ops->fingerprint(s->self);
		if (!is_among(actions, n, task->path[i]) || !push(s, &s->best, task->path[i]))
			break;
		r = s->ops->step(s->self, task->path[i]);
	}
	bool good = i == task->len && (r == STEP_OK || r == STEP_VIOLATION), found = false;
	*learnt = r == STEP_RESTART;
	s->end = s->ops->fingerprint(s->self);
	for (u64 k = 0; good && task->is_loop && k < task->len && !found; k++) {
		found = same(seen[k], s->end);
		for (u64 j = k; found && j < task->len; j++)
			good &= push(s, round, task->path[j]);
		if (found)
			s->best.len = k * sizeof(u32);
	}
	pages_unmap(seen, (task->len + 1) * sizeof(*seen));
	if (task->is_loop)
		return good && found;
	if (good && r == STEP_OK) {
		const u32 *actions;
		good = !enabled(s, &actions) && s->ops->terminal(s->self) == TERMINAL_VIOLATION;
	}
	if (good)
		s->key = s->ops->violation_key(s->self);
	return good;
}

static bool begin(struct shrink *s, struct pages_vec *round)
{
	/* More steps than that, and the path costs more than now. */
	u64 longest = cost_of(s, s->task->path, s->task->len);
	if (!pages_vec_push(&s->room, TARGET_MAX_ACTIONS * sizeof(u32)) ||
	    !pages_vec_push(&s->marks, (longest + 1) * sizeof(target_mark)))
		return false;
	target_mark root = s->ops->mark(s->self);
	((target_mark *)s->marks.data)[0] = root;
	bool good = false, learnt = true;
	/* A lesson is no obstacle, if the path leads to the same with it. */
	for (u32 i = 0; i < LESSONS_MAX && learnt && !good; i++) {
		s->best.len = round->len = 0;
		learnt = false;
		good = look_at_path(s, round, &learnt);
		s->ops->undo(s->self, root);
		if (learnt)
			s->ops->restart(s->self);
	}
	return good;
}

enum shrink_end shrink(const struct target *t, const struct shrink_task *task, struct shrunk *out)
{
	struct shrink s = {.ops = t->ops, .self = t->self, .task = task, .out = out, .steps = task->steps};
	struct pages_vec round = {0};
	*out = (struct shrunk){0};
	if (!begin(&s, &round))
		give_up(&s, SHRINK_FAILED);
	else
		shorten(&s);
	for (u64 i = 0; i < len_of(&round); i++)
		if (!push(&s, &s.best, ((u32 *)round.data)[i]))
			s.why = SHRINK_FAILED;
	out->path = s.best;
	out->switches = count_switches(&s, best(&s), len_of(&s.best));
	pages_vec_free(&round);
	pages_vec_free(&s.marks);
	pages_vec_free(&s.wish);
	pages_vec_free(&s.made);
	pages_vec_free(&s.room);
	return s.why;
}
