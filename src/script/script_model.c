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
 *           led. A table has (state, label) -> state.
 *   back:   u of s, explored before, led to c, and b of c to e: then b of s leads to the state whose u led to
 *           e. A table has (state, label) -> the state before.
 *   shift:  subtrees resemble each other: the distance of the two numbers is the same as the last time that
 *           nothing else helped with this label.
 *
 * With none of these the state is expected to be new. How far to trust "across" is learnt for each pair
 * (label by which s was entered, label of the transition).
 */
#include "script/script_model.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_LOG 12u
#define LAST_LOG 23u
#define CONTEXTS 65536u
#define TRUSTED 2u
#define BACK_TRIES 4u

struct entry {
	u32 hash, number;
};
#define TABLE_BYTES (sizeof(struct entry) << LAST_LOG)

/* Direct-mapped; a newer entry replaces an older one. */
struct edge_table {
	struct entry *entry;
	u32 log, filled;
};

struct difference {
	u32 removed, added; /* how many */
	u32 *label;         /* the removed ones, then the added ones; NULL: none here */
};

struct model_tables {
	struct edge_table ahead, before;
	u8 trust[CONTEXTS], shifted[CONTEXTS];
	u8 productive[2][CONTEXTS];
	u32 *shift;                /* by label */
	struct difference *recent; /* MODEL_RANKS by label */
	u32 room;                  /* labels */
	u32 *list, *change;        /* scratch, 2 * MODEL_MAX_LIST each */
	u32 change_removed, change_added;
};

static u32 hash_of(u32 number, u32 label)
{
	u64 x = ((u64)number << 32 | label) * 0x9e3779b97f4a7c15ull;
	u32 h = (u32)(x >> 32) ^ (u32)x;
	h *= 0x85ebca6bu;
	h ^= h >> 15;
	return h ? h : 1;
}

static struct entry *slot_of(const struct edge_table *t, u32 hash)
{
	return &t->entry[hash >> (32 - t->log)];
}

static u32 table_get(const struct edge_table *t, u32 number, u32 label)
{
	u32 hash = hash_of(number, label);
	const struct entry *e = slot_of(t, hash);
	return e->hash == hash ? e->number : 0;
}

/* Doubled when half of the places are taken: what was at i goes to 2 i or 2 i + 1, from the end on. */
static void table_grow(struct edge_table *t)
{
	u32 old = 1u << t->log++;

	for (u32 i = old; i-- > 0;) {
		struct entry e = t->entry[i];
		t->entry[2 * i] = t->entry[2 * i + 1] = (struct entry){0, 0};
		if (e.hash)
			*slot_of(t, e.hash) = e;
	}
}

static void table_put(struct edge_table *t, u32 number, u32 label, u32 value)
{
	u32 hash = hash_of(number, label);
	struct entry *e = slot_of(t, hash);
	t->filled += !e->hash;
	*e = (struct entry){hash, value};
	if (hd_unlikely(t->filled > 1u << (t->log - 1)) && t->log < LAST_LOG)
		table_grow(t);
}

/* Room for the largest one is reserved at once: pages that are not touched cost nothing, the others once. */
static bool table_clear(struct edge_table *t)
{
	if (!t->entry) {
		void *room = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (room == MAP_FAILED)
			return false;
		madvise(room, TABLE_BYTES, MADV_HUGEPAGE);
		t->entry = room;
	}
	t->log = FIRST_LOG;
	t->filled = 0;
	memset(t->entry, 0, sizeof(*t->entry) << t->log);
	return true;
}

static void table_free(struct edge_table *t)
{
	if (t->entry)
		munmap(t->entry, TABLE_BYTES);
}

/* ---- life ---- */

int model_init(struct script_model *m, bool trustful)
{
	struct model_tables *t;

	memset(m, 0, sizeof(*m));
	m->trustful = trustful;
	m->tables = t = calloc(1, sizeof(*t));
	if (!t)
		return -1;
	t->list = malloc(2 * MODEL_MAX_LIST * sizeof(*t->list));
	t->change = malloc(2 * MODEL_MAX_LIST * sizeof(*t->change));
	if (!t->list || !t->change)
		return -1;
	model_forget(m);
	return m->failed ? -1 : 0;
}

static void forget_lists(struct model_tables *t)
{
	for (u32 i = 0; i < t->room * MODEL_RANKS; i++) {
		free(t->recent[i].label);
		t->recent[i] = (struct difference){0};
	}
}

void model_free(struct script_model *m)
{
	struct model_tables *t = m->tables;

	if (t) {
		forget_lists(t);
		table_free(&t->ahead);
		table_free(&t->before);
		free(t->shift);
		free(t->recent);
		free(t->list);
		free(t->change);
		free(t);
	}
	free(m->frame);
	free(m->edge);
	memset(m, 0, sizeof(*m));
}

bool model_labels(struct script_model *m, const struct script_label *label, u32 labels)
{
	struct model_tables *t = m->tables;

	m->label = label;
	m->labels = labels;
	if (labels <= t->room)
		return true;
	u32 room = t->room ? t->room : 64;
	while (room < labels)
		room *= 2;
	u32 *shift = realloc(t->shift, room * sizeof(*shift));
	if (shift)
		t->shift = shift;
	struct difference *recent = realloc(t->recent, (size_t)room * MODEL_RANKS * sizeof(*recent));
	if (recent)
		t->recent = recent;
	if (!shift || !recent)
		return !(m->failed = true);
	memset(shift + t->room, 0, (room - t->room) * sizeof(*shift));
	memset(recent + (size_t)t->room * MODEL_RANKS, 0,
	       (size_t)(room - t->room) * MODEL_RANKS * sizeof(*recent));
	t->room = room;
	return true;
}

void model_forget(struct script_model *m)
{
	struct model_tables *t = m->tables;

	if (m->trustful) {
		memset(t->productive[0], 1, sizeof(t->productive[0]));
		memset(t->productive[1], 0, sizeof(t->productive[1]));
	} else {
		if (!table_clear(&t->ahead) || !table_clear(&t->before))
			m->failed = true;
		memset(t->trust, 0, sizeof(t->trust));
		memset(t->shifted, 0, sizeof(t->shifted));
	}
	if (t->shift)
		memset(t->shift, 0, t->room * sizeof(*t->shift));
	forget_lists(t);
	for (u32 i = 0; i < m->edges; i++)
		m->edge[i].to = 0;
}

/* ---- the path ---- */

static bool grow(void **data, u32 *room, u32 wanted, size_t size)
{
	if (wanted <= *room)
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

static bool push_edges(struct script_model *m, const u32 *label, u32 n)
{
	if (m->edges + n > MODEL_MAX_STACK ||
	    !grow((void **)&m->edge, &m->edges_room, m->edges + n, sizeof(*m->edge)))
		return !(m->failed = true);
	for (u32 i = 0; i < n; i++)
		m->edge[m->edges + i] = (struct model_edge){label[i], 0};
	m->edges += n;
	return true;
}

/* What will be looked up of the new state's transitions is fetched now, all at a time. */
static void fetch_ahead(const struct script_model *m)
{
	const struct model_tables *t = m->tables;
	const struct model_frame *s = model_top(m), *p = s - 1;
	const struct model_edge *e = model_edges(m, s), *before = model_edges(m, p);

	for (u32 i = 0; i < s->count; i++) {
		__builtin_prefetch(slot_of(&t->ahead, hash_of(s->number, e[i].label)), 1);
		for (u32 k = 0; k + 1 < p->done; k++)
			if (before[k].label == e[i].label && before[k].to)
				__builtin_prefetch(slot_of(&t->ahead, hash_of(before[k].to, s->into)));
	}
}

bool model_enter(struct script_model *m, const u32 *label, u32 n)
{
	u32 into = ~0u;

	if (m->frames)
		into = model_edges(m, model_top(m))[model_top(m)->done - 1].label;
	if (!grow((void **)&m->frame, &m->frames_room, m->frames + 1, sizeof(*m->frame)))
		return !(m->failed = true);
	m->frame[m->frames++] = (struct model_frame){
		.number = ++m->states, .into = into, .first = m->edges, .count = n, .start = m->transitions};
	if (!push_edges(m, label, n))
		return false;
	if (m->frames > 1 && !m->trustful)
		fetch_ahead(m);
	return true;
}

bool model_more(struct script_model *m, const u32 *label, u32 n)
{
	model_top(m)->count += n;
	return push_edges(m, label, n);
}

void model_leave(struct script_model *m)
{
	const struct model_frame *f = model_top(m);
	u64 size = f->size;

	m->edges = f->first;
	m->frames--;
	if (m->frames)
		model_top(m)->size += size;
}

bool model_on_path(const struct script_model *m, u32 number)
{
	u32 low = 0, high = m->frames;

	while (low < high) {
		u32 middle = low + (high - low) / 2;
		if (m->frame[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->frames && m->frame[low].number == number;
}

/* ---- where transitions lead ---- */

static u32 context_of(u32 into, u32 label)
{
	return (into * 769u + label) & (CONTEXTS - 1);
}

/* Was this label explored in the state before this one, and before the transition that led here? */
static const struct model_edge *explored_before(const struct script_model *m, u32 label)
{
	if (m->frames < 2)
		return NULL;
	const struct model_frame *p = &m->frame[m->frames - 2];
	const struct model_edge *e = model_edges(m, p);
	for (u32 i = 0; i + 1 < p->done; i++)
		if (e[i].label == label)
			return &e[i];
	return NULL;
}

static u32 find_back(const struct script_model *m, const struct model_frame *s, u32 label)
{
	const struct model_edge *e = model_edges(m, s);
	u32 tries = 0, thread = m->label[label].thread;

	for (u32 i = 0; i < s->done && tries < BACK_TRIES; i++) {
		if (!e[i].to || m->label[e[i].label].thread == thread)
			continue;
		tries++;
		u32 end = table_get(&m->tables->ahead, e[i].to, label);
		u32 from = end ? table_get(&m->tables->before, end, e[i].label) : 0;
		if (from && from != s->number)
			return from;
	}
	return 0;
}

static void expect_productive(const struct script_model *m, struct model_guess *g)
{
	const struct model_frame *s = model_top(m);
	u32 label = model_edges(m, s)[s->done].label;
	bool before = explored_before(m, label);

	g->across = before;
	g->to = m->tables->productive[before][context_of(s->into, label)] ? MODEL_NEW : MODEL_KNOWN;
}

void model_expect(struct script_model *m, struct model_guess *g)
{
	const struct model_tables *t = m->tables;
	const struct model_frame *s = model_top(m);
	u32 label = model_edges(m, s)[s->done].label, context = context_of(s->into, label);

	*g = (struct model_guess){.to = MODEL_NEW};
	if (m->trustful) {
		expect_productive(m, g);
		return;
	}
	const struct model_edge *e = explored_before(m, label);
	if (e && e->to)
		g->across = table_get(&t->ahead, e->to, s->into);
	g->shift = s->number > t->shift[label] && t->shift[label] ? s->number - t->shift[label] : 0;
	bool sure = g->across && t->trust[context] >= TRUSTED;
	if (!sure)
		g->back = find_back(m, s, label);
	if (g->back)
		g->number = g->back;
	else if (sure || (g->across && t->trust[context]))
		g->number = g->across;
	else if (g->shift && t->shifted[context] >= TRUSTED)
		g->number = g->shift;
	if (g->number)
		g->to = MODEL_KNOWN;
}

static void learn(struct model_tables *t, u32 context, u32 label, const struct model_guess *g, u32 from,
		  bool is_new, u32 number)
{
	bool known = number && !is_new;

	if (g->across && known && g->across == number)
		t->trust[context] += t->trust[context] < 3;
	else if (g->across)
		t->trust[context] = 0;
	if (!g->across && !g->back) {
		if (known && g->shift == number)
			t->shifted[context] += t->shifted[context] < 3;
		else
			t->shifted[context] = 0;
	}
	if (known && g->across != number && g->back != number)
		t->shift[label] = from > number ? from - number : 0;
}

void model_came(struct script_model *m, const struct model_guess *g, enum model_to to, u32 number)
{
	struct model_tables *t = m->tables;
	struct model_frame *s = model_top(m);
	struct model_edge *e = &model_edges(m, s)[s->done];
	u32 context = context_of(s->into, e->label);

	bool counts = !m->trustful || to == MODEL_NEW;

	s->done++;
	s->size += counts;
	m->transitions += counts;
	m->listed++;
	if (m->trustful) {
		u8 *p = &t->productive[g->across != 0][context];
		*p = to == MODEL_NEW;
		return;
	}
	learn(t, context, e->label, g, s->number, to == MODEL_NEW, to == MODEL_NOWHERE ? 0 : number);
	if (to == MODEL_NOWHERE)
		return;
	e->to = number;
	if (m->reduced)
		s->led_away |= to == MODEL_NEW || !model_on_path(m, number);
	table_put(&t->ahead, s->number, e->label, number);
	table_put(&t->before, number, e->label, s->number);
}

/* ---- lists ---- */

static bool ascends(const struct script_model *m, const u32 *label, u32 n)
{
	for (u32 i = 1; i < n; i++)
		if (m->label[label[i - 1]].order >= m->label[label[i]].order)
			return false;
	return true;
}

/*
 * The topmost state's transitions but the one taken last: what the next state is expected to have, until it
 * is known better. In t->list; *n. -1: there is no such state, or its transitions don't ascend.
 */
static int base_list(struct script_model *m, u32 *n)
{
	struct model_tables *t = m->tables;
	const struct model_frame *p;

	*n = 0;
	if (!m->frames)
		return -1;
	p = model_top(m);
	const struct model_edge *e = model_edges(m, p);
	for (u32 i = 0; i < p->count && *n < MODEL_MAX_LIST; i++)
		if (i + 1 != p->done)
			t->list[(*n)++] = e[i].label;
	return ascends(m, t->list, *n) ? 0 : -1;
}

/* The difference between the base list and this one; false: there is none that could be used. */
static bool find_change(struct script_model *m, const u32 *label, u32 n)
{
	struct model_tables *t = m->tables;
	u32 base, i = 0, j = 0, added = 0;

	t->change_removed = t->change_added = 0;
	if (base_list(m, &base) || !ascends(m, label, n))
		return false;
	/* The added ones behind the end of all that could be removed. */
	u32 *add = t->change + MODEL_MAX_LIST;
	while (i < base || j < n) {
		if (i < base && j < n && t->list[i] == label[j]) {
			i++;
			j++;
		} else if (j == n || (i < base && m->label[t->list[i]].order <= m->label[label[j]].order)) {
			t->change[t->change_removed++] = t->list[i++];
		} else {
			add[added++] = label[j++];
		}
	}
	memmove(t->change + t->change_removed, add, added * sizeof(*add));
	t->change_added = added;
	return true;
}

static struct difference *recent_of(const struct script_model *m)
{
	const struct model_frame *p = model_top(m);
	return &m->tables->recent[(size_t)model_edges(m, p)[p->done - 1].label * MODEL_RANKS];
}

static bool is_change(const struct model_tables *t, const struct difference *d)
{
	return d->label && d->removed == t->change_removed && d->added == t->change_added &&
	       !memcmp(d->label, t->change, (d->removed + d->added) * sizeof(u32));
}

u32 model_rank(struct script_model *m, const u32 *label, u32 n)
{
	if (!find_change(m, label, n))
		return MODEL_RANKS;
	const struct difference *d = recent_of(m);
	u32 rank = 0;
	while (rank < MODEL_RANKS && !is_change(m->tables, &d[rank]))
		rank++;
	return rank;
}

int model_list(struct script_model *m, u32 rank, const u32 **label, u32 *n)
{
	struct model_tables *t = m->tables;
	u32 base, left = 0, out = 0;

	if (base_list(m, &base) || rank >= MODEL_RANKS)
		return -1;
	const struct difference *d = &recent_of(m)[rank];
	if (!d->label)
		return -1;
	const u32 *removed = d->label, *added = d->label + d->removed;
	u32 *to = t->list + MODEL_MAX_LIST, i = 0, j = 0;
	while (i < base || j < d->added) {
		if (i < base && left < d->removed && t->list[i] == removed[left]) {
			i++;
			left++;
			continue;
		}
		if (out == MODEL_MAX_LIST)
			return -1;
		if (j == d->added || (i < base && m->label[t->list[i]].order < m->label[added[j]].order))
			to[out++] = t->list[i++];
		else
			to[out++] = added[j++];
	}
	if (left != d->removed || !ascends(m, to, out))
		return -1;
	*label = to;
	*n = out;
	return 0;
}

bool model_list_came(struct script_model *m, const u32 *label, u32 n)
{
	struct model_tables *t = m->tables;

	if (!find_change(m, label, n))
		return true;
	struct difference *d = recent_of(m), found = {0};
	u32 rank = 0, len = t->change_removed + t->change_added;
	while (rank < MODEL_RANKS && !is_change(t, &d[rank]))
		rank++;
	if (rank < MODEL_RANKS) {
		found = d[rank];
	} else {
		found = (struct difference){t->change_removed, t->change_added,
					    malloc((len + 1) * sizeof(u32))};
		if (!found.label)
			return !(m->failed = true);
		memcpy(found.label, t->change, len * sizeof(u32));
		free(d[--rank].label);
	}
	memmove(d + 1, d, rank * sizeof(*d));
	d[0] = found;
	return true;
}
