#include "search/escape.h"

#include "search/parallel.h"

struct escape_frame {
	struct fingerprint at;
	u64 first; /* of its edges in escape.to */
	bool escapes;
};

struct escape {
	struct pages_vec frames; /* struct escape_frame: beside the stack of the search */
	struct pages_vec to;     /* struct fingerprint: where edges of states that don't escape lead */
	struct pages_vec note;
};

/* A note: the state, whether it idles, where its edges lead. */
#define NOTE_HEAD 3u
#define PRINT_WORDS 2u

struct escape *escape_begin(struct search *s, bool *failed)
{
	*failed = false;
	if (!s->ops->can_livelock || !s->ops->can_livelock(s->self))
		return NULL;
	struct escape *w = pages_map(sizeof(*w));
	*failed = !w;
	return w;
}

void escape_end(struct escape *w)
{
	if (!w)
		return;
	pages_vec_free(&w->frames);
	pages_vec_free(&w->to);
	pages_vec_free(&w->note);
	pages_unmap(w, sizeof(*w));
}

u64 escape_memory(const struct escape *w)
{
	return w ? w->frames.cap + w->to.cap + w->note.cap : 0;
}

static struct escape_frame *top(struct escape *w)
{
	return w->frames.len ? (struct escape_frame *)(w->frames.data + w->frames.len) - 1 : NULL;
}

static void escapes(struct escape *w)
{
	struct escape_frame *f = top(w);
	f->escapes = true;
	w->to.len = f->first * sizeof(struct fingerprint);
}

static bool add_edge(struct escape *w, struct fingerprint to)
{
	struct fingerprint *at = pages_vec_push(&w->to, sizeof(*at));
	if (at)
		*at = to;
	return at;
}

bool escape_enter(struct escape *w, struct search *s, bool own)
{
	struct fingerprint fp = s->ops->fingerprint(s->self);
	if (own && top(w) && !top(w)->escapes && !add_edge(w, fp))
		return false;
	struct escape_frame *f = pages_vec_push(&w->frames, sizeof(*f));
	if (f)
		*f = (struct escape_frame){.at = fp, .first = w->to.len / sizeof(fp)};
	return f;
}

void escape_step(struct escape *w, struct search *s, u32 action)
{
	if (!top(w)->escapes && !s->ops->busy(s->self, action))
		escapes(w);
}

bool escape_edge(struct escape *w, struct search *s, enum edge to)
{
	if (parallel_filters(s)) /* it can't be complete, and nothing is told of it */
		return true;
	if (to == EDGE_END) /* whoever comes to it by another edge escapes, too */
		shared_visited_mark(&s->team->table, s->ops->fingerprint(s->self), SHARED_ESCAPES);
	if (top(w)->escapes)
		return true;
	if (to == EDGE_KNOWN) {
		struct fingerprint fp = s->ops->fingerprint(s->self);
		if (!shared_visited_is(&s->team->table, fp, SHARED_ESCAPES))
			return add_edge(w, fp);
	}
	escapes(w);
	return true;
}

/* What is known of a state; `end`: of its edges in escape.to. */
static bool tell(struct escape *w, struct search *s, const struct escape_frame *f, u64 end, bool idles)
{
	u64 n = end - f->first;
	if (parallel_filters(s))
		return true;
	if (f->escapes) {
		/* If it has another fingerprint where it was entered, what is told there may seem to wait. */
		shared_visited_mark(&s->team->table, f->at, SHARED_ESCAPES);
		return true;
	}
	if (!n) /* all of its edges are others' */
		return true;
	w->note.len = 0;
	u64 *word = pages_vec_push(&w->note, (NOTE_HEAD + n * PRINT_WORDS) * sizeof(*word));
	if (!word)
		return false;
	const struct fingerprint *to = (const struct fingerprint *)w->to.data + f->first;
	word[0] = f->at.lo;
	word[1] = f->at.hi;
	word[2] = idles;
	for (u64 i = 0; i < n; i++) {
		word[NOTE_HEAD + i * PRINT_WORDS] = to[i].lo;
		word[NOTE_HEAD + i * PRINT_WORDS + 1] = to[i].hi;
	}
	return parallel_say_escape(s, word, (u32)(NOTE_HEAD + n * PRINT_WORDS));
}

bool escape_leave(struct escape *w, struct search *s)
{
	struct escape_frame f = *top(w);
	u64 edges = w->to.len / sizeof(struct fingerprint);
	bool idles = !f.escapes && edges > f.first && s->ops->would_idle && s->ops->would_idle(s->self);
	bool told = tell(w, s, &f, edges, idles);
	w->frames.len -= sizeof(f);
	w->to.len = f.first * sizeof(struct fingerprint);
	if (f.escapes && top(w) && !top(w)->escapes)
		escapes(w);
	return told;
}

bool escape_save(struct escape *w, struct search *s)
{
	const struct escape_frame *f = (const struct escape_frame *)w->frames.data;
	u64 n = w->frames.len / sizeof(*f), edges = w->to.len / sizeof(struct fingerprint);
	for (u64 i = 0; i < n; i++)
		if (!tell(w, s, &f[i], i + 1 < n ? f[i + 1].first : edges, false))
			return false;
	return true;
}

/* ---- at the end ---- */

struct looking {
	const struct shared_table *table;
	bool changed, found;
};

static struct fingerprint print_at(const u64 *word)
{
	return (struct fingerprint){word[0], word[1]};
}

/* Some edges of a state. */
static void look(void *self, const u64 *word, u32 words)
{
	struct looking *l = self;
	if (shared_visited_is(l->table, print_at(word), SHARED_ESCAPES))
		return;
	for (u32 i = NOTE_HEAD; i < words; i += PRINT_WORDS)
		if (shared_visited_is(l->table, print_at(word + i), SHARED_ESCAPES)) {
			shared_visited_mark(l->table, print_at(word), SHARED_ESCAPES);
			l->changed = true;
			return;
		}
	l->found |= !word[2];
}

bool escape_lacks(struct search *s)
{
	struct looking l = {.table = &s->team->table};
	if (!s->ops->can_livelock || !s->ops->can_livelock(s->self))
		return false;
	do {
		l.changed = l.found = false;
		parallel_each_escape(s, look, &l);
	} while (l.changed);
	return l.found;
}
