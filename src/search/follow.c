#include "search/follow.h"

#include "search/reduction.h"
#include "search/search_priv.h"

#define BUFFER_WORDS (16u << 10)

struct step_label {
	u32 action, kind;
	u64 pc;
};

struct follow_frame {
	target_mark mark;
	u32 number;
	u32 told, done; /* transitions told of it; done, or others' */
	u32 enabled;    /* actions: those told in their order, then the others */
	u32 from;       /* from here on transitions were made, up to done */
	u64 at;         /* where they lie in actions */
	bool led_away;
	bool owned; /* it was entered here, not only on the way to a part */
};

struct follower {
	struct search *s;
	struct follow *f;
	struct pages_vec labels; /* struct step_label */
	struct pages_vec frames, actions;
	u32 next; /* number of the next new state */
	u32 word[BUFFER_WORDS], at, end;
	bool ended, counted; /* next was told */
	bool looks_busy;     /* busy waiting is looked for; for livelocks, when all parts are there */
	bool busy;           /* the step under way is one */
	bool away;           /* the target stands behind the topmost state, or behind one that was left */
};

static struct follow_frame *top(struct follower *w)
{
	return (struct follow_frame *)(w->frames.data + w->frames.len) - 1;
}

static u32 *actions_of(struct follower *w, const struct follow_frame *f)
{
	return (u32 *)w->actions.data + f->at;
}

static enum move deviate(struct follower *w, enum wire_deviation d, u32 action, u32 label)
{
	struct wire_followed *out = w->f->out;
	/* Steps that are too coarse are no evidence: once more, with what was learnt. F3. */
	if (search_is_stale(w->s))
		return MOVE_RESTART;
	out->deviation = d;
	out->state = w->frames.len ? top(w)->number : 0;
	out->thread = action != ~0u ? w->s->ops->action_fiber(w->s->self, action) + 1 : 0;
	out->label = label + 1;
	return search_halt(w->s, SEARCH_STOPPED);
}

/* ---- words ---- */

static bool word(struct follower *w, u32 *out)
{
	if (hd_unlikely(w->at == w->end)) {
		w->at = 0;
		w->end = w->ended ? 0 : w->f->from->read(w->f->from->self, w->word, BUFFER_WORDS);
		if (!w->end) {
			w->ended = true;
			return false;
		}
	}
	*out = w->word[w->at++];
	return true;
}

static bool take_label(struct follower *w, u32 id)
{
	u32 v[4];
	for (u32 i = 0; i < 4; i++)
		if (!word(w, &v[i]))
			return false;
	if (id != w->labels.len / sizeof(struct step_label))
		return false;
	struct step_label *l = pages_vec_push(&w->labels, sizeof(*l));
	if (l)
		*l = (struct step_label){v[0], v[1], v[2] | (u64)v[3] << 32};
	return l;
}

static bool take_fact(struct follower *w, u32 words)
{
	u64 fact[512];
	if (words > HD_ARRAY_LEN(fact) || (!w->s->reduction && !w->f->trust))
		return false;
	for (u32 i = 0; i < words; i++) {
		u32 low, high;
		if (!word(w, &low) || !word(w, &high))
			return false;
		fact[i] = low | (u64)high << 32;
	}
	if (w->f->trust) /* it needs none */
		return true;
	if (!reduction_makes_sense(w->s->reduction, fact, words))
		return false;
	reduction_hear(w->s->reduction, fact, words);
	return true;
}

/* The next word that is neither a label nor a fact. */
static bool next_word(struct follower *w, u32 *out)
{
	while (word(w, out))
		switch (TAPE_TAG(*out)) {
		case TAPE_LABEL:
			if (!take_label(w, TAPE_VALUE(*out)))
				return false;
			break;
		case TAPE_FACT:
			if (!take_fact(w, TAPE_VALUE(*out)))
				return false;
			break;
		default:
			return true;
		}
	return false;
}

/* ---- states ---- */

static bool is_label(struct follower *w, const struct step_label *l, u32 action)
{
	struct target_label is;
	if (l->action != action)
		return false;
	w->s->ops->label(w->s->self, action, &is);
	return l->kind == is.kind && (!l->pc || l->pc == is.pc);
}

/* The next label of the list is one of the actions behind `known`, and moves there. F1. */
static enum move match_action(struct follower *w, u32 *actions, u32 known, u32 n)
{
	u32 id;
	if (!word(w, &id) || id >= w->labels.len / sizeof(struct step_label))
		return deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	const struct step_label *l = (const struct step_label *)w->labels.data + id;
	for (u32 i = known; i < n; i++)
		if (is_label(w, l, actions[i])) {
			u32 found = actions[i];
			for (; i > known; i--)
				actions[i] = actions[i - 1];
			actions[known] = found;
			return MOVE_KNOWN;
		}
	return deviate(w, DEVIATION_NO_TRANSITION, l->action, id);
}

/* FP: the state under this number has this fingerprint. Numbers of others are believed, and noted. F2. */
static bool same_print(struct follower *w, u32 number, bool known)
{
	if (w->f->trust)
		return true;
	struct fingerprint fp = w->s->ops->fingerprint(w->s->self), *there = &w->f->prints[number];
	fp.lo |= !(fp.lo | fp.hi); /* zero: not met */
	if (hd_likely(there->lo | there->hi))
		return there->lo == fp.lo && there->hi == fp.hi;
	*there = fp;
	return !known || w->f->part;
}

static bool has_room(struct follower *w, u32 number)
{
	return number && (w->f->trust || number < w->f->room);
}

static enum move push(struct follower *w, u32 number, u32 n)
{
	struct follow_frame *f = pages_vec_push(&w->frames, sizeof(*f));
	u32 *mine = f ? search_action_room(&w->actions) : NULL;
	if (!mine)
		return search_halt(w->s, SEARCH_LIMIT_MEMORY);
	*f = (struct follow_frame){.number = number, .at = w->actions.len / sizeof(u32), .told = n};
	f->enabled = w->s->ops->actions(w->s->self, mine);
	w->actions.len += f->enabled * sizeof(u32);
	return MOVE_NEW;
}

/* Of the topmost state, `n` more transitions are told; `most` of the enabled ones have to be. */
static enum move match_list(struct follower *w, u32 n, u32 most)
{
	struct follow_frame *f = top(w);
	u32 known = f->told, *actions = actions_of(w, f);
	for (u32 i = 0; i < n; i++) {
		enum move m = match_action(w, actions, known + i, HD_MAX(most, known + i));
		if (m >= MOVE_HALT)
			return m;
	}
	f->told += n;
	if (!w->f->trust && f->told < most)
		return deviate(w, DEVIATION_LEFT_OUT, actions[f->told], ~0u);
	return MOVE_NEW;
}

/*
 * Back to the topmost state; to the initial one, if there is none. What was done is undone when the target is
 * needed there: where several states are left, for all of them together.
 */
static void undo_to_top(struct follower *w)
{
	u64 frames = w->frames.len / sizeof(struct follow_frame);
	w->s->path.len = frames ? (frames - 1) * sizeof(u32) : 0;
	w->away = true;
}

static void stand_at_top(struct follower *w)
{
	if (w->away)
		search_undo(w->s, w->frames.len ? top(w)->mark : w->s->root);
	w->away = false;
}

/* The target stands in a state that is entered. owned: for the first time, and it counts. */
static enum move enter(struct follower *w, u32 n, bool owned)
{
	struct search *s = w->s;
	u32 number = w->next++;
	w->counted = false;
	stand_at_top(w); /* another interval of a part may begin */
	if (!has_room(w, number))
		return deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	if (!same_print(w, number, false))
		return deviate(w, DEVIATION_OTHER_STATE, ~0u, ~0u);
	enum move m = push(w, number, 0);
	if (m >= MOVE_HALT)
		return m;
	struct follow_frame *f = top(w);
	u32 chosen = f->enabled;
	f->owned = owned;
	if (f->enabled && s->reduction)
		chosen = reduction_enter(s->reduction, actions_of(w, f), f->enabled);
	m = match_list(w, n, w->f->trust ? f->enabled : chosen);
	if (m >= MOVE_HALT)
		return m;
	f = top(w);
	f->mark = s->ops->mark(s->self);
	if (owned) {
		s->stats->states++;
		s->stats->reduced += chosen != f->enabled;
		s->stats->max_depth = HD_MAX(s->stats->max_depth, search_depth(s));
	}
	if (!f->enabled && owned) {
		m = search_terminal(s);
		return m >= MOVE_HALT ? m : MOVE_NEW;
	}
	return f->enabled ? search_tell_enter(s, actions_of(w, f), f->enabled) : MOVE_NEW;
}

static bool on_path(struct follower *w, u32 number)
{
	const struct follow_frame *f = (const struct follow_frame *)w->frames.data;
	u64 low = 0, high = w->frames.len / sizeof(*f), all = high;
	while (low < high) {
		u64 middle = (low + high) / 2;
		if (f[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < all && f[low].number == number;
}

/* Which transitions of the topmost state were made here: for the comparison of parts. */
static void note_made(struct follower *w, bool leaves)
{
	const struct follow_frame *f = top(w);
	struct follow *out = w->f;
	if (!out->cover)
		return;
	if (leaves && !f->from && f->done == f->told && (f->told || f->owned))
		out->cover[f->number] = 1;
	else if (f->done > f->from && out->out->ranges < WIRE_MAX_RANGES)
		out->range[out->out->ranges++] = (struct wire_range_made){f->number, f->told, f->from,
									  f->done};
	else if (f->done > f->from)
		out->out->ranges_lost = 1;
}

static enum move leave(struct follower *w, u32 how)
{
	struct search *s = w->s;
	struct follow_frame *f = top(w);
	if (how > 1 || (!how && f->done != f->told && !w->f->trust))
		return deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	if (!how && !w->f->trust && f->told < f->enabled && !f->led_away) /* F4 */
		return deviate(w, DEVIATION_IGNORED, actions_of(w, f)[f->told], ~0u);
	w->f->out->unfinished |= how && !w->f->part;
	note_made(w, true);
	if (f->enabled) {
		if (hd_unlikely(s->observers.count || s->reduction)) /* they may look */
			stand_at_top(w);
		enum move m = how ? MOVE_KNOWN : search_tell_leave(s);
		if (m >= MOVE_HALT)
			return m;
		if (s->reduction)
			reduction_leave(s->reduction);
	}
	w->actions.len = f->at * sizeof(u32);
	w->frames.len -= sizeof(*f);
	undo_to_top(w);
	return MOVE_KNOWN;
}

/* ---- steps ---- */

/* A step of busy waiting leads there. Which states wait for ever is decided when all parts are there. */
static void note_busy(struct follower *w, u32 to)
{
	const struct follow_frame *f = top(w);
	struct wire_followed *out = w->f->out;
	if (!w->busy)
		return;
	if (out->busy_edges < w->f->busy_room)
		w->f->busy[out->busy_edges++] = (struct wire_busy_edge){f->number, f->told, to};
	else
		out->busy_lost = 1;
}

/* The next transition of the topmost state is made. MOVE_NEW: it is; MOVE_DEAD: it leads nowhere. */
static enum move step(struct follower *w, u32 *action, bool owned)
{
	struct search *s = w->s;
	struct follow_frame *f = top(w);
	if (f->done >= f->told)
		return deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	*action = actions_of(w, f)[f->done++];
	u32 *at = pages_vec_push(&s->path, sizeof(*at));
	if (!at)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	*at = *action;
	stand_at_top(w);
	enum move m = search_tell_step(s, *action);
	if (m < MOVE_HALT && hd_unlikely(!(++s->ticks & search_poll_mask)))
		m = search_poll(s);
	if (m >= MOVE_HALT)
		return m;
	w->busy = w->looks_busy && owned && s->ops->busy(s->self, *action);
	enum step_result r = s->ops->step(s->self, *action);
	if (hd_likely(r == STEP_OK)) {
		s->stats->transitions += owned;
		m = MOVE_NEW;
	} else {
		m = search_step_ended(s, r);
	}
	if (m < MOVE_HALT && s->reduction)
		reduction_learn(s->reduction, *action, m == MOVE_DEAD);
	return m;
}

/* It led to a state that has a number already, or nowhere. */
static enum move arrive_known(struct follower *w, u32 action, u32 number, enum move m)
{
	struct search *s = w->s;
	if (m == MOVE_DEAD || !has_room(w, number) || (!w->f->part && number >= w->next) ||
	    !same_print(w, number, true))
		return deviate(w, DEVIATION_OTHER_STATE, action, ~0u);
	s->stats->revisited++;
	note_busy(w, number);
	top(w)->led_away = top(w)->led_away || (s->reduction && !on_path(w, number));
	m = search_tell_edge(s, action, EDGE_KNOWN);
	if (m < MOVE_HALT)
		undo_to_top(w);
	return m;
}

static enum move arrive_nowhere(struct follower *w, u32 action, enum move m)
{
	if (m != MOVE_DEAD)
		return deviate(w, DEVIATION_OTHER_STATE, action, ~0u);
	m = search_tell_edge(w->s, action, EDGE_DEAD);
	if (m < MOVE_HALT)
		undo_to_top(w);
	return m;
}

static enum move arrive_new(struct follower *w, u32 action, u32 n, bool owned, enum move m)
{
	if (m == MOVE_DEAD)
		return deviate(w, DEVIATION_OTHER_STATE, action, ~0u);
	top(w)->led_away = true;
	note_busy(w, w->next);
	m = search_tell_edge(w->s, action, n || w->f->trust ? EDGE_NEW : EDGE_END);
	return m >= MOVE_HALT ? m : enter(w, n, owned);
}

/* On the way to a part: what comes next is the number of the state there, and the state. */
static enum move go_down(struct follower *w)
{
	u32 action, told;
	note_made(w, false);
	enum move m = step(w, &action, false);
	if (m >= MOVE_HALT)
		return m;
	top(w)->from = top(w)->done;
	if (!next_word(w, &told) || TAPE_TAG(told) != TAPE_COUNT)
		return deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	w->next = TAPE_VALUE(told);
	if (!next_word(w, &told) || TAPE_TAG(told) != TAPE_ENTER)
		return deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	return arrive_new(w, action, TAPE_VALUE(told), false, m);
}

static enum move skip(struct follower *w, u32 value)
{
	struct follow_frame *f = top(w);
	u32 n = value >> 1;
	if (!w->f->part || n > f->told - f->done)
		return deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	note_made(w, false);
	f->done += n;
	f->from = f->done;
	f->led_away |= value & 1;
	return MOVE_KNOWN;
}

/* More of the topmost state: F4 was not given without them. */
static enum move more(struct follower *w, u32 n)
{
	struct follow_frame *f = top(w);
	stand_at_top(w);
	return n && n <= f->enabled ? match_list(w, n, f->enabled) : deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
}

static enum move obey(struct follower *w, u32 told)
{
	u32 action, value = TAPE_VALUE(told), tag = TAPE_TAG(told);
	enum move m;
	if (tag == TAPE_COUNT) {
		w->next = value;
		return w->f->part ? MOVE_KNOWN : deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	}
	if (!w->frames.len) /* the initial state */
		return tag == TAPE_ENTER && !w->s->path.len && w->next == 1
			       ? enter(w, value, !w->f->part || w->f->out->transitions == 0)
			       : deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	switch (tag) {
	case TAPE_ENTER:
		m = step(w, &action, true);
		return m >= MOVE_HALT ? m : arrive_new(w, action, value, true, m);
	case TAPE_KNOWN:
		if (hd_likely(!w->f->trust && has_room(w, value)))
			__builtin_prefetch(
				&w->f->prints[value]); /* far away, as a rule: it comes meanwhile */
		m = step(w, &action, true);
		return m >= MOVE_HALT ? m : arrive_known(w, action, value, m);
	case TAPE_NOWHERE:
		m = step(w, &action, true);
		return m >= MOVE_HALT ? m : arrive_nowhere(w, action, m);
	case TAPE_DOWN:
		return w->f->part ? go_down(w) : deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	case TAPE_SKIP:
		return skip(w, value);
	case TAPE_MORE:
		return more(w, value);
	case TAPE_LEAVE:
		return leave(w, value);
	default:
		return deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	}
}

static enum move finish(struct follower *w, u32 told)
{
	struct search *s = w->s;
	if (TAPE_VALUE(told) || w->frames.len || (!w->f->part && !s->stats->states))
		return deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	stand_at_top(w);
	if (search_is_stale(s))
		return MOVE_RESTART;
	w->f->out->whole = 1;
	return search_halt(s, SEARCH_COMPLETE);
}

static enum move obey_all(struct follower *w)
{
	u32 told;
	enum move m = MOVE_KNOWN;
	while (m < MOVE_HALT) {
		if (hd_unlikely(!next_word(w, &told)))
			return deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
		if (hd_unlikely(TAPE_TAG(told) == TAPE_END))
			return finish(w, told);
		m = obey(w, told);
		w->f->out->transitions = w->s->stats->transitions;
		w->s->stats->depth = search_depth(w->s);
		if (w->s->reduction && reduction_facts(w->s->reduction) != w->s->pass_facts &&
		    m < MOVE_HALT) /* F3 */
			m = deviate(w, DEVIATION_FACT, ~0u, ~0u);
	}
	return m;
}

/* The words from the beginning on. */
static bool rewind_words(struct follower *w)
{
	struct follow *f = w->f;
	u32 marks = 0, told;
	*f->out = (struct wire_followed){0};
	if (!f->begun)
		return f->begun = true;
	if (!f->from->again(f->from->self))
		return false;
	while (marks < TAPE_MARKS && word(w, &told))
		marks = told == TAPE_MARK ? marks + 1 : 0;
	return marks == TAPE_MARKS;
}

static u64 follow_memory(const struct search *s)
{
	const struct follower *w = s->mine;
	return w->frames.cap + w->actions.cap + w->labels.cap + (u64)w->next * sizeof(struct fingerprint);
}

static bool can_livelock(struct search *s)
{
	return s->ops->can_livelock && s->ops->can_livelock(s->self);
}

static enum move follow_run(struct search *s)
{
	struct follower *w = pages_map(sizeof(*w));
	u32 told;
	if (!w)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	*w = (struct follower){.s = s, .f = s->hooks->follow, .next = 1};
	s->mine = w;
	bool words = rewind_words(w);
	w->f->out->reduced = s->reduction != NULL;
	w->looks_busy = w->f->part && !w->f->trust && can_livelock(s);
	/* Facts and labels come first. */
	enum move m = words && next_word(w, &told) && TAPE_TAG(told) == TAPE_BEGIN
			      ? MOVE_KNOWN
			      : deviate(w, DEVIATION_DAMAGED, ~0u, ~0u);
	if (s->reduction) {
		reduction_begin_pass(s->reduction);
		s->pass_facts = reduction_facts(s->reduction);
	}
	if (m < MOVE_HALT)
		m = obey_all(w);
	if (s->reduction && s->end == SEARCH_COMPLETE && reduction_was_wrong(s->reduction))
		m = deviate(w, DEVIATION_FACT, ~0u, ~0u);
	w->f->out->busy = can_livelock(s);
	w->f->out->busy_lost |= w->f->out->busy && !w->looks_busy;
	pages_vec_free(&w->labels);
	pages_vec_free(&w->frames);
	pages_vec_free(&w->actions);
	s->mine = NULL;
	pages_unmap(w, sizeof(*w));
	return m;
}

const struct strategy strategy_follow = {.run = follow_run, .memory = follow_memory, .reduces = true};
