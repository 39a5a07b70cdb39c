/*
 * Expectations. In most programs most pairs of steps commute:
 *
 *       p ---b---> q                  s ---u---> c
 *       |          |                  |          |
 *       t          t                  b          b
 *       v          v                  v          v
 *       s ---b---> ?                  ? ---u---> e
 *
 *   across: s was entered from p by t, and b of p, explored before, led to q: then b of s leads where t of q
 *           led.
 *   back:   u of s, explored before, led to c, and b of c to e: then b of s leads to the state whose u led to
 *           e. Of each state the last few transitions that led to it are kept.
 *   shift:  where q or e is known, but not where its transition leads (it was entered in an earlier block, as
 *           a rule): a state's number is not far from that of the one it was first met from. The distance is
 *           the same as the last time that nothing else helped with these labels.
 *   slide:  subtrees resemble each other: the distance of s to the state is the same as the last time that
 *           nothing else helped with this label.
 *
 * With none of these the state is expected to be new. How far to trust "across" is learnt for each pair
 * (label by which s was entered, label of the transition), and so are distances.
 *
 * States are kept by number, in the order in which they come, so there is nothing to search for.
 */
#include "script/script_model.h"

#include <stdlib.h>
#include <string.h>

#define CONTEXTS 65536u
#define TRUSTED 2u
#define TRUST_MAX 3u
#define BACK_TRIES 4u

struct model_tables {
	u8 trust[CONTEXTS], shifted[CONTEXTS], slid[CONTEXTS];
	u8 surprising[2][CONTEXTS]; /* is_productive; trustful scripts only */
	u32 shift[CONTEXTS];        /* modulo 2^32 */
	u32 *slide, *thread;        /* by label */
	u32 labels, room;
};

/* ---- life ---- */

int model_init(struct script_model *m, bool trustful)
{
	memset(m, 0, sizeof(*m));
	m->trustful = trustful;
	m->tables = calloc(1, sizeof(*m->tables));
	return m->tables && lists_init(&m->lists) ? 0 : -1;
}

void model_free(struct script_model *m)
{
	if (m->tables) {
		free(m->tables->slide);
		free(m->tables->thread);
		free(m->tables);
	}
	lists_free(&m->lists);
	free(m->frame);
	free(m->to);
	free(m->state);
	memset(m, 0, sizeof(*m));
}

static bool grow(void **data, u32 *room, u32 wanted, size_t size)
{
	if (hd_likely(wanted <= *room))
		return true;
	u32 more = *room ? *room : 256;
	while (more < wanted)
		more *= 2;
	void *grown = realloc(*data, (size_t)more * size);
	if (!grown)
		return false;
	*data = grown;
	*room = more;
	return true;
}

bool model_labels(struct script_model *m, const struct script_label *label, u32 labels)
{
	struct model_tables *t = m->tables;
	u32 room = t->room;

	if (!lists_labels(&m->lists, label, labels) ||
	    !grow((void **)&t->slide, &room, labels, sizeof(*t->slide)) ||
	    !grow((void **)&t->thread, &t->room, labels, sizeof(*t->thread)))
		return !(m->failed = true);
	for (; t->labels < labels; t->labels++) {
		t->slide[t->labels] = 0;
		t->thread[t->labels] = label[t->labels].thread;
	}
	return true;
}

/* Of the path, only the lists remain. */
static bool keep_path(struct script_model *m)
{
	struct label_lists *l = &m->lists;
	u64 all = 0;
	u32 *kept, at = 0;

	for (u32 i = 0; i < m->frames; i++)
		all += m->frame[i].count;
	kept = malloc((all + 1) * sizeof(*kept));
	for (u32 i = 0; kept && i < m->frames; at += m->frame[i++].count)
		memcpy(kept + at, model_list_of(m, &m->frame[i]), m->frame[i].count * sizeof(*kept));
	lists_forget(l);
	at = 0;
	for (u32 i = 0; kept && i < m->frames; at += m->frame[i++].count) {
		m->frame[i].first = at;
		m->frame[i].list = lists_number(l, kept + at, m->frame[i].count);
	}
	free(kept);
	m->tos = m->trustful ? 0 : at;
	if (m->tos)
		memset(m->to, 0, m->tos * sizeof(*m->to));
	return kept && !l->failed;
}

void model_forget(struct script_model *m)
{
	struct model_tables *t = m->tables;

	if (m->trustful) {
		memset(t->surprising, 0, sizeof(t->surprising));
	} else {
		memset(t->trust, 0, sizeof(t->trust));
		memset(t->shifted, 0, sizeof(t->shifted));
		memset(t->slid, 0, sizeof(t->slid));
		memset(t->shift, 0, sizeof(t->shift));
		if (t->labels)
			memset(t->slide, 0, t->labels * sizeof(*t->slide));
	}
	if (!keep_path(m))
		m->failed = true;
	m->base = m->states;
}

/* ---- the path ---- */

static struct model_state *state_of(const struct script_model *m, u32 number)
{
	return &m->state[number - m->base - 1];
}

static bool push_tos(struct script_model *m, u32 n)
{
	if (n > MODEL_MAX_WORDS - m->tos || !grow((void **)&m->to, &m->tos_room, m->tos + n, sizeof(*m->to)))
		return false;
	if (n) /* there may be no memory yet */
		memset(m->to + m->tos, 0, n * sizeof(*m->to));
	m->tos += n;
	return true;
}

/* The record of a state that is entered from `from`. */
static bool push_state(struct script_model *m, const struct model_frame *s, u32 from)
{
	if (hd_unlikely(s->number <= m->base)) /* on the path to where a walk begins */
		return true;
	if (!grow((void **)&m->state, &m->states_room, s->number - m->base, sizeof(*m->state)))
		return false;
	*state_of(m, s->number) = (struct model_state){
		.list = s->list, .first = s->first, .came = {{from, s->into}}};
	return true;
}

/* What will be looked at of the new state's transitions is fetched now, all at a time. */
static void fetch_ahead(const struct script_model *m, const struct model_frame *p)
{
	for (u32 i = 0; i + 1 < p->done; i++) {
		u32 q = m->to[p->first + i];
		if (q > m->base)
			__builtin_prefetch(state_of(m, q));
	}
}

bool model_enter(struct script_model *m, u32 list)
{
	u32 into = ~0u, from = 0;

	if (!list || !grow((void **)&m->frame, &m->frames_room, m->frames + 1, sizeof(*m->frame)))
		return !(m->failed = true);
	if (m->frames) {
		from = model_top(m)->number;
		into = model_list_of(m, model_top(m))[model_top(m)->done - 1];
	}
	struct model_frame *s = &m->frame[m->frames++];
	*s = (struct model_frame){.number = ++m->states,
				  .into = into,
				  .list = list,
				  .first = m->tos,
				  .count = lists_count(&m->lists, list),
				  .start = m->transitions};
	if (m->trustful)
		return true;
	if (!push_tos(m, s->count) || !push_state(m, s, from))
		return !(m->failed = true);
	if (from)
		fetch_ahead(m, s - 1);
	return true;
}

bool model_more(struct script_model *m, const u32 *label, u32 n)
{
	struct model_frame *f = model_top(m);
	u32 *all = malloc(((size_t)f->count + n + 1) * sizeof(*all)), first = m->tos;

	if (!all)
		return !(m->failed = true);
	memcpy(all, model_list_of(m, f), f->count * sizeof(*all));
	memcpy(all + f->count, label, n * sizeof(*all));
	f->list = lists_number(&m->lists, all, f->count + n);
	free(all);
	f->count += n;
	if (!f->list)
		return !(m->failed = true);
	if (m->trustful)
		return true;
	/* Behind all others, where there is room for one more. */
	if (!push_tos(m, f->count))
		return !(m->failed = true);
	memcpy(m->to + first, m->to + f->first, f->done * sizeof(*m->to));
	f->first = first;
	if (f->number > m->base) {
		state_of(m, f->number)->list = f->list;
		state_of(m, f->number)->first = first;
	}
	return true;
}

void model_leave(struct script_model *m)
{
	u64 size = model_top(m)->size;

	m->frames--;
	if (m->frames)
		model_top(m)->size += size;
}

/* ---- where transitions lead ---- */

static u32 context_of(u32 into, u32 label)
{
	return (into * 769u + label) & (CONTEXTS - 1);
}

/*
 * Where the label is in the list; its length: it is not there. Lists of neighbouring states resemble each
 * other: it should be at `near`, or beside.
 */
static inline u32 find_label(const struct label_lists *l, u32 list, u32 label, u32 near)
{
	const u32 *at = lists_of(l, list);
	u32 i = 0, end = lists_count(l, list);

	if (hd_likely(near < end && at[near] == label))
		return near;
	if (near + 1 < end && at[near + 1] == label)
		return near + 1;
	if (near - 1 < end && at[near - 1] == label)
		return near - 1;
	while (i < end && at[i] != label)
		i++;
	return i;
}

/* Was this label explored in the state before this one, and before the transition that led here? */
static inline bool explored_before(const struct script_model *m, const struct model_frame *s, u32 label,
				   u32 *at)
{
	if (hd_unlikely(m->frames < 2))
		return false;
	const struct model_frame *p = s - 1;
	*at = find_label(&m->lists, p->list, label, s->done);
	return *at < p->done - 1;
}

/* Where this transition of the state led, which should be its `near`-th; 0: not known here. */
static inline u32 ahead(const struct script_model *m, u32 number, u32 label, u32 near)
{
	if (number <= m->base)
		return 0;
	const struct model_state *s = state_of(m, number);
	u32 at = find_label(&m->lists, s->list, label, near);
	return at < lists_count(&m->lists, s->list) ? m->to[s->first + at] : 0;
}

/* From where such a transition led to the state; 0: not known here. */
static inline u32 before(const struct script_model *m, u32 number, u32 label)
{
	if (number <= m->base)
		return 0;
	const struct model_state *s = state_of(m, number);
	for (u32 i = 0; i < MODEL_COMINGS; i++)
		if (s->came[i].label == label)
			return s->came[i].from;
	return 0;
}

/* near: the first e; stays what it is, if that is not 0, or there is none. */
static u32 find_back(const struct script_model *m, const struct model_frame *s, const u32 *list, u32 label,
		     u32 *near)
{
	const u32 *thread = m->tables->thread, *to = &m->to[s->first];
	u32 tries = 0;

	for (u32 i = 0; i < s->done && tries < BACK_TRIES; i++) {
		if (!to[i] || thread[list[i]] == thread[label])
			continue;
		tries++;
		u32 end = ahead(m, to[i], label, s->done);
		*near = *near ? *near : end;
		u32 from = end ? before(m, end, list[i]) : 0;
		if (from && from != s->number)
			return from;
	}
	return 0;
}

/* It does what it did the last time; at first: lead to a new state, unless it was seen. */
static inline bool is_productive(const struct script_model *m, const struct model_frame *s, u32 label,
				 bool *seen)
{
	u32 unused;

	*seen = explored_before(m, s, label, &unused);
	return *seen == m->tables->surprising[*seen][context_of(s->into, label)];
}

/* near: q; 0: there is none. */
static inline u32 find_across(const struct script_model *m, const struct model_frame *s, u32 label, u32 *near)
{
	u32 at;

	*near = 0;
	if (!explored_before(m, s, label, &at))
		return 0;
	*near = m->to[s[-1].first + at];
	return ahead(m, *near, s->into, s[-1].done - 1);
}

void model_expect(struct script_model *m, struct model_guess *g)
{
	const struct model_tables *t = m->tables;
	const struct model_frame *s = model_top(m);
	const u32 *list = model_list_of(m, s);
	u32 label = list[s->done], context = context_of(s->into, label);

	*g = (struct model_guess){.to = MODEL_NEW};
	if (m->trustful) {
		bool seen, productive = is_productive(m, s, label, &seen);
		g->across = seen;
		g->to = productive ? MODEL_NEW : MODEL_KNOWN;
		return;
	}
	g->across = find_across(m, s, label, &g->near);
	bool sure = g->across && t->trust[context] >= TRUSTED;
	if (!sure)
		g->back = find_back(m, s, list, label, &g->near);
	g->near = g->near ? g->near : s->number;
	g->shift = t->shift[context] ? g->near + t->shift[context] : 0;
	g->slide = t->slide[label] ? s->number + t->slide[label] : 0;
	if (g->back)
		g->number = g->back;
	else if (sure || (g->across && t->trust[context]))
		g->number = g->across;
	else if (g->shift && t->shifted[context] >= TRUSTED)
		g->number = g->shift;
	else if (g->slide && t->slid[context] >= TRUSTED)
		g->number = g->slide;
	if (g->number)
		g->to = MODEL_KNOWN;
}

static void rate(u8 *trust, bool right)
{
	*trust = right ? (u8)(*trust + (*trust < TRUST_MAX)) : 0;
}

/* number: 0 if it led nowhere. */
static void learn(struct model_tables *t, u32 context, u32 label, const struct model_guess *g, u32 from,
		  bool is_new, u32 number)
{
	bool known = number && !is_new;

	if (g->across)
		rate(&t->trust[context], known && g->across == number);
	if (!g->across && !g->back) {
		rate(&t->shifted[context], known && g->shift == number);
		rate(&t->slid[context], known && g->slide == number);
	}
	if (known && g->across != number && g->back != number) {
		t->shift[context] = number - g->near;
		t->slide[label] = number - from;
	}
}

/* A transition led to a state that was met before. */
static inline void note_coming(struct script_model *m, u32 number, u32 from, u32 label)
{
	if (number <= m->base)
		return;
	struct model_state *s = state_of(m, number);
	for (u32 i = MODEL_COMINGS - 1; i; i--)
		s->came[i] = s->came[i - 1];
	s->came[0].from = from;
	s->came[0].label = label;
}

/* Where the next transition leads, beyond doubt; 0: there is doubt. */
static inline u32 find_sure(const struct script_model *m, const struct model_frame *s, u32 label)
{
	u32 unused;

	return m->tables->trust[context_of(s->into, label)] == TRUST_MAX ? find_across(m, s, label, &unused)
									 : 0;
}

static inline void sure_came(struct script_model *m, struct model_frame *s, u32 label, u32 number)
{
	m->to[s->first + s->done++] = number;
	note_coming(m, number, s->number, label);
}

static inline void sure_counts(struct script_model *m, struct model_frame *s, u32 n)
{
	s->size += n;
	m->transitions += n;
	m->listed += n;
}

bool model_sure(struct script_model *m, u32 number)
{
	struct model_frame *s = model_top(m);
	u32 label = model_list_of(m, s)[s->done];

	if (number != find_sure(m, s, label))
		return false;
	sure_came(m, s, label, number);
	sure_counts(m, s, 1);
	return true;
}

u32 model_sure_run(struct script_model *m, u32 *number, u32 room)
{
	struct model_frame *s = model_top(m);
	const u32 *list = model_list_of(m, s);
	u32 n = 0, end = HD_MIN(room, s->count - s->done);

	while (n < end) {
		u32 label = list[s->done], to = find_sure(m, s, label);
		if (!to)
			break;
		sure_came(m, s, label, to);
		number[n++] = to;
	}
	sure_counts(m, s, n);
	return n;
}

u32 model_sure_known(struct script_model *m, u32 most)
{
	struct model_frame *s = model_top(m);
	const u32 *list = model_list_of(m, s);
	u32 n = 0, end = HD_MIN(most, s->count - s->done);
	bool seen;

	for (; n < end && !is_productive(m, s, list[s->done], &seen); n++)
		s->done++;
	m->listed += n;
	return n;
}

void model_came(struct script_model *m, const struct model_guess *g, enum model_to to, u32 number)
{
	struct model_frame *s = model_top(m);
	u32 label = model_list_of(m, s)[s->done], context = context_of(s->into, label);
	bool counts = !m->trustful || to == MODEL_NEW;

	s->done++;
	s->size += counts;
	m->transitions += counts;
	m->listed++;
	if (m->trustful) {
		m->tables->surprising[g->across != 0][context] = (to == MODEL_NEW) == (g->across != 0);
		return;
	}
	learn(m->tables, context, label, g, s->number, to == MODEL_NEW, to == MODEL_NOWHERE ? 0 : number);
	if (to == MODEL_NOWHERE)
		return;
	m->to[s->first + s->done - 1] = number;
	if (to == MODEL_KNOWN)
		note_coming(m, number, s->number, label);
}

/* ---- lists ---- */

u32 model_rank(struct script_model *m, u32 list)
{
	if (!m->frames)
		return MODEL_RANKS;
	return lists_rank(&m->lists, model_top(m)->list, model_top(m)->done - 1, list);
}

u32 model_ranked(struct script_model *m, u32 rank)
{
	if (!m->frames || rank >= MODEL_RANKS)
		return 0;
	return lists_ranked(&m->lists, model_top(m)->list, model_top(m)->done - 1, rank);
}
