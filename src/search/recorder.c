#include "search/recorder.h"

#include "search/dfs_priv.h"
#include "search/reduction.h"

#define BUFFER_WORDS (16u << 10)
#define FIRST_LABELS 1024u

/* A state on the path. Labels of actions that may have to be explored lie in `rest`. */
struct record_frame {
	u32 done, first, rest;
};

/* Engine memory: never rolled back. One search is recorded at a time. */
static struct recorder {
	const struct tape_sink *to;
	struct label_table labels;
	struct pages_vec frames, rest;
	u32 states, used;
	bool failed;
	u32 word[BUFFER_WORDS];
} recorder;

static u64 label_key(u32 action, u32 kind, u64 pc)
{
	u64 x = (pc ^ (u64)kind << 56) * 0x9fb21c651e98df25ull + action;
	x = (x ^ x >> 32) * 0x9e3779b97f4a7c15ull;
	return x ^ x >> 29;
}

static void label_table_put(struct label_table *t, u64 key, u32 id)
{
	u32 i = (u32)key & t->mask;
	while (t->slot[i])
		i = (i + 1) & t->mask;
	t->slot[i] = id + 1;
	t->key[i] = key;
}

static bool label_table_grow(struct label_table *t)
{
	u64 old = t->slot ? (u64)t->mask + 1 : 0, slots = old ? 2 * old : FIRST_LABELS;
	struct label_table wider = {.count = t->count, .mask = (u32)slots - 1};
	wider.slot = pages_map(slots * sizeof(*wider.slot));
	wider.key = pages_map(slots * sizeof(*wider.key));
	if (!wider.slot || !wider.key)
		return false;
	for (u64 i = 0; i < old; i++)
		if (t->slot[i])
			label_table_put(&wider, t->key[i], t->slot[i] - 1);
	label_table_free(t);
	*t = wider;
	return true;
}

void label_table_free(struct label_table *t)
{
	if (t->slot) {
		pages_unmap(t->slot, ((u64)t->mask + 1) * sizeof(*t->slot));
		pages_unmap(t->key, ((u64)t->mask + 1) * sizeof(*t->key));
	}
	*t = (struct label_table){0};
}

u32 label_table_id(struct label_table *t, u32 action, u32 kind, u64 pc, bool *is_new)
{
	*is_new = false;
	if (hd_unlikely(!t->slot || t->count >= t->mask / 2) && !label_table_grow(t))
		return ~0u;
	u64 key = label_key(action, kind, pc);
	for (u32 i = (u32)key & t->mask; t->slot[i]; i = (i + 1) & t->mask)
		if (t->key[i] == key)
			return t->slot[i] - 1;
	*is_new = true;
	label_table_put(t, key, t->count);
	return t->count++;
}

static void flush(struct recorder *r)
{
	if (!r->failed && r->used && !r->to->write(r->to->self, r->word, r->used))
		r->failed = true;
	r->used = 0;
}

static void put(struct recorder *r, u32 word)
{
	if (hd_unlikely(r->used == BUFFER_WORDS))
		flush(r);
	r->word[r->used++] = word;
}

static u32 label_of(struct recorder *r, struct search *s, u32 action)
{
	struct target_label l;
	bool is_new;
	s->ops->label(s->self, action, &l);
	u32 id = label_table_id(&r->labels, action, l.kind, l.pc, &is_new);
	if (hd_unlikely(id > TAPE_MAX_VALUE)) {
		r->failed = true;
		return 0;
	}
	if (hd_unlikely(is_new)) {
		put(r, TAPE_WORD(TAPE_LABEL, id));
		put(r, action);
		put(r, l.kind);
		put(r, (u32)l.pc);
		put(r, (u32)(l.pc >> 32));
	}
	return id;
}

/* Labels come before the word that uses them: they are looked up first, on a stack. */
static bool push_labels(struct recorder *r, struct search *s, const u32 *actions, u32 n)
{
	u32 *id = pages_vec_push(&r->rest, n * sizeof(*id));
	for (u32 i = 0; id && i < n; i++)
		id[i] = label_of(r, s, actions[i]);
	return id;
}

static enum move on_enter(void *self, struct search *s, const u32 *actions, u32 n)
{
	struct recorder *r = self;
	struct record_frame *f = pages_vec_push(&r->frames, sizeof(*f));
	if (!f || !push_labels(r, s, actions, n) || r->states++ == TAPE_MAX_VALUE)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	u32 first = dfs_top(s->mine)->left;
	*f = (struct record_frame){.first = first, .rest = n - first};
	put(r, TAPE_WORD(TAPE_ENTER, first));
	const u32 *id = (const u32 *)(r->rest.data + r->rest.len) - n;
	for (u32 i = 0; i < first; i++)
		put(r, id[i]);
	u32 *kept = (u32 *)(r->rest.data + r->rest.len) - n;
	for (u32 i = first; i < n; i++)
		kept[i - first] = id[i];
	r->rest.len -= first * sizeof(u32);
	return MOVE_KNOWN;
}

static struct record_frame *top(struct recorder *r)
{
	return (struct record_frame *)(r->frames.data + r->frames.len) - 1;
}

/* What may have had to be explored must be. */
static void tell_more(struct recorder *r, struct record_frame *f)
{
	put(r, TAPE_WORD(TAPE_MORE, f->rest));
	const u32 *id = (const u32 *)(r->rest.data + r->rest.len) - f->rest;
	for (u32 i = 0; i < f->rest; i++)
		put(r, id[i]);
	r->rest.len -= f->rest * sizeof(u32);
	f->first += f->rest;
	f->rest = 0;
}

static enum move on_edge(void *self, struct search *s, u32 action, enum edge to)
{
	struct recorder *r = self;
	(void)action;
	if (hd_unlikely(!r->frames.len))
		return MOVE_KNOWN;
	/* A new state has its frame already in the search, but not here. */
	struct record_frame *f = top(r);
	if (hd_unlikely(f->done == f->first))
		tell_more(r, f);
	f->done++;
	if (to == EDGE_KNOWN)
		put(r, TAPE_WORD(TAPE_KNOWN, s->number));
	else if (to == EDGE_DEAD)
		put(r, TAPE_NOWHERE);
	else if (to == EDGE_END) {
		r->states++;
		put(r, TAPE_WORD(TAPE_ENTER, 0));
		put(r, TAPE_WORD(TAPE_LEAVE, 0));
	}
	return hd_unlikely(r->failed) ? search_halt(s, SEARCH_STOPPED) : MOVE_KNOWN;
}

static enum move on_leave(void *self, struct search *s)
{
	struct recorder *r = self;
	(void)s;
	r->rest.len -= top(r)->rest * sizeof(u32);
	r->frames.len -= sizeof(struct record_frame);
	put(r, TAPE_WORD(TAPE_LEAVE, 0));
	return MOVE_KNOWN;
}

static void *on_begin(struct search *s)
{
	struct recorder *r = &recorder;
	if (!s->hooks->record || s->strategy != &strategy_dfs)
		return NULL;
	r->frames.len = r->rest.len = 0;
	r->states = 0;
	label_table_free(&r->labels);
	put(r, TAPE_WORD(TAPE_BEGIN, 0));
	return r;
}

static void on_end(void *self, struct search *s)
{
	struct recorder *r = self;
	if (!r->states && s->stats->states) { /* the initial state is an end */
		put(r, TAPE_WORD(TAPE_ENTER, 0));
		put(r, TAPE_WORD(TAPE_LEAVE, 0));
	}
	for (u64 left = r->frames.len / sizeof(struct record_frame); left; left--)
		put(r, TAPE_WORD(TAPE_LEAVE, 1));
	bool settled = !s->reduction || reduction_facts(s->reduction) == s->pass_facts;
	put(r, TAPE_WORD(TAPE_END, (u32)s->end | (settled ? 0 : TAPE_UNSETTLED)));
	flush(r);
}

static u64 memory_of(const void *self)
{
	const struct recorder *r = self;
	return sizeof(*r) + r->frames.cap + r->rest.cap + ((u64)r->labels.mask + 1) * 12;
}

const struct observer observer_recorder = {
	.begin = on_begin,
	.enter = on_enter,
	.edge = on_edge,
	.leave = on_leave,
	.end = on_end,
	.memory = memory_of,
};

static void say_fact(void *to, const u64 *word, u32 words)
{
	struct recorder *r = to;
	if (words == 1) /* nothing is learnt any more: no fact of the program */
		return;
	put(r, TAPE_WORD(TAPE_FACT, words));
	for (u32 i = 0; i < words; i++) {
		put(r, (u32)word[i]);
		put(r, (u32)(word[i] >> 32));
	}
}

void recorder_attach(struct search *s)
{
	struct recorder *r = &recorder;
	r->to = s->hooks->record;
	r->used = 0;
	r->failed = false;
	put(r, TAPE_WORD(TAPE_FACT, 0));
	if (s->reduction)
		reduction_share(s->reduction, say_fact, r);
}
