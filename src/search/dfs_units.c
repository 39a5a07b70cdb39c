/*
 * Handing over parts of the stack of a depth-first search.
 *
 *     frame      0      1      2      3      4      5 (top)
 *     untried    a b    -      c      d e    f      g h
 *                \________ given ________/   \_ kept _/
 *
 * A unit is the lower part of the stack, up to the frame where about half of the untried actions are reached:
 * the path there, and for each frame on it the untried actions, which are no longer the giver's. The taker
 * executes the path, without matching or counting, and then has these frames on its own stack. So every
 * action of every state is tried by exactly one worker, whoever came to the state first; and that is all that
 * the counts depend on.
 *
 * The topmost frame is never given from: below it, each frame has led to a new state, the one above it. So
 * with a reduction (dfs.c, "proviso") those that may not have to be tried need not be, and the unit leaves
 * them out.
 *
 *   unit: struct unit_head, path (u32 × path), untried actions of each frame (u32 × (path + 1)), the
 *         actions as they lie on the action stack (u32 × actions)
 */
#include "search/dfs_priv.h"
#include "search/parallel.h"
#include "search/reduction.h"
#include "search/escape.h"

struct unit_head {
	struct fingerprint at; /* where the path leads */
	u64 path;              /* its length */
	u64 actions;
};

static struct dfs_frame *frame_at(struct dfs *d, u64 i)
{
	return (struct dfs_frame *)d->frames.data + i;
}

static u64 unit_bytes(u64 path, u64 actions)
{
	return sizeof(struct unit_head) + (2 * path + 1 + actions) * sizeof(u32);
}

/* Of the topmost frame it is not known yet whether its rest has to be tried. */
static u32 to_be_left_out(const struct dfs_frame *f)
{
	return f->led_away ? f->rest : 0;
}

/* How many frames to give, and the untried actions in them; 0: there is nothing to give. */
static u64 choose_frames(struct dfs *d, u64 *actions)
{
	u64 all = 0, frames = 0, below_top = dfs_frame_count(d) - 1;
	for (u64 i = 0; i < below_top; i++)
		all += frame_at(d, i)->left;
	*actions = 0;
	for (u64 i = 0; i < below_top && *actions < (all + 1) / 2; i++) {
		u64 more = *actions + frame_at(d, i)->left;
		if (unit_bytes(i, more) > TEAM_UNIT_BYTES)
			break;
		*actions = more;
		frames = i + 1;
	}
	return *actions ? frames : 0;
}

static u32 *copy(u32 *to, const u32 *from, u64 n)
{
	for (u64 i = 0; i < n; i++)
		to[i] = from[i];
	return to + n;
}

/* Writes the unit, and returns how many actions of the stack belong to its frames, tried or not. */
static u64 pack(struct dfs *d, u64 frames, u64 actions, char *unit)
{
	struct unit_head *head = (struct unit_head *)unit;
	*head = (struct unit_head){((struct fingerprint *)d->prints.data)[frames - 1], frames - 1, actions};
	u32 *to = copy((u32 *)(head + 1), search_path(d->s), frames - 1);
	for (u64 i = 0; i < frames; i++)
		*to++ = frame_at(d, i)->left + frame_at(d, i)->rest - to_be_left_out(frame_at(d, i));
	u64 at = 0;
	for (u64 i = 0; i < frames; i++) {
		const struct dfs_frame *f = frame_at(d, i);
		u32 out = to_be_left_out(f);
		to = copy(to, (const u32 *)d->actions.data + at + out, f->rest + f->left - out);
		at += f->rest + f->left;
	}
	return at;
}

u64 dfs_pack(struct search *s, const void **unit)
{
	struct dfs *d = s->mine;
	u64 frames = d ? dfs_frame_count(d) : 0, actions = 0;
	if (frames && d->escape && !escape_save(d->escape, s))
		return ~0ull;
	for (u64 i = 0; i < frames; i++)
		actions += frame_at(d, i)->left + frame_at(d, i)->rest - to_be_left_out(frame_at(d, i));
	if (!actions)
		return 0;
	u64 bytes = unit_bytes(frames - 1, actions);
	d->unit.len = 0;
	char *to = bytes <= TEAM_UNIT_BYTES ? pages_vec_push(&d->unit, bytes) : NULL;
	if (!to)
		return ~0ull;
	pack(d, frames, actions, to);
	*unit = to;
	return bytes;
}

void dfs_give(struct search *s)
{
	struct dfs *d = s->mine;
	u64 actions, frames = d->taking || dfs_frame_count(d) < 2 ? 0 : choose_frames(d, &actions);
	if (!frames)
		return;
	u64 bytes = unit_bytes(frames - 1, actions);
	d->unit.len = 0;
	char *unit = pages_vec_push(&d->unit, bytes);
	if (!unit)
		return;
	u64 gone = pack(d, frames, actions, unit), all = d->actions.len / sizeof(u32);
	if (!team_give(s->team, unit, bytes))
		return;
	for (u64 i = 0; i < frames; i++)
		frame_at(d, i)->left = frame_at(d, i)->rest = 0;
	u32 *stack = (u32 *)d->actions.data;
	copy(stack, stack + gone, all - gone);
	d->actions.len = (all - gone) * sizeof(u32);
	d->shared = HD_MAX(d->shared, frames);
}

/*
 * Is the action enabled? NULL: nobody asks. The target is asked for its actions anyway, as in any execution.
 */
static bool is_enabled(struct search *s, const u32 *action)
{
	u32 *enabled = search_action_room(&s->scratch);
	u32 n = enabled ? s->ops->actions(s->self, enabled) : 0, i = 0;
	while (action && i < n && enabled[i] != *action)
		i++;
	return !action || i < n;
}

/* One state of the path to a unit; `left` of its actions are this worker's now. */
static enum move take_frame(struct dfs *d, const u32 *actions, u32 left)
{
	u32 *room = search_action_room(&d->actions);
	if (!room)
		return search_halt(d->s, SEARCH_LIMIT_MEMORY);
	copy(room, actions, left);
	enum move m = dfs_push(d, left, 0, false);
	if (m != MOVE_NEW)
		return m;
	dfs_top(d)->taken = true;
	if (d->escape && !escape_enter(d->escape, d->s, false))
		return search_halt(d->s, SEARCH_LIMIT_MEMORY);
	return m;
}

/* A step of the path to a unit. */
static enum move follow(struct search *s, u32 action)
{
	u32 *at = pages_vec_push(&s->path, sizeof(*at));
	if (!at)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	*at = action;
	enum step_result r = s->ops->step(s->self, action);
	if (r == STEP_OK)
		return MOVE_KNOWN;
	return r == STEP_VIOLATION || r == STEP_PRUNED ? parallel_disagree(s) : search_step_ended(s, r);
}

static enum move take_up(struct dfs *d, const struct unit_head *head)
{
	struct search *s = d->s;
	const u32 *path = (const u32 *)(head + 1), *left = path + head->path,
		  *actions = left + head->path + 1;
	for (u64 i = 0; i <= head->path; i++) {
		bool last = i == head->path;
		if (!is_enabled(s, !last ? &path[i] : left[i] ? actions : NULL))
			return parallel_disagree(s);
		if (s->reduction)
			reduction_meet(s->reduction);
		enum move m = take_frame(d, actions, left[i]);
		actions += left[i];
		if (m == MOVE_NEW && !last)
			m = follow(s, path[i]);
		if (m < MOVE_HALT && !(i & 63) && !last)
			m = search_poll(s);
		if (m >= MOVE_HALT)
			return m;
	}
	struct fingerprint fp = s->ops->fingerprint(s->self);
	return fp.lo == head->at.lo && fp.hi == head->at.hi ? MOVE_NEW : parallel_disagree(s);
}

enum move dfs_take(struct dfs *d)
{
	struct search *s = d->s;
	d->unit.len = 0;
	enum move m = parallel_take(s, &d->unit);
	if (m >= MOVE_HALT)
		return m;
	hd_assert(!d->frames.len && !d->actions.len);
	s->path.len = 0;
	search_undo(s, s->root);
	d->taking = true;
	m = take_up(d, (const struct unit_head *)d->unit.data);
	d->taking = false;
	d->shared = dfs_frame_count(d);
	return m;
}
