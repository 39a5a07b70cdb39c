#include "script/feeder.h"

#include <stdlib.h>
#include <string.h>

#include "wire/action.h"

#define BUFFER (16u << 10)

struct feeder {
	struct script *s;
	const struct tape_sink *to;
	u32 word[BUFFER], used;
	bool failed, trusting;
};

static void flush(struct feeder *f)
{
	if (!f->failed && f->used && !f->to->write(f->to->self, f->word, f->used))
		f->failed = true;
	f->used = 0;
}

static void put(struct feeder *f, u32 word)
{
	if (hd_unlikely(f->used == BUFFER))
		flush(f);
	f->word[f->used++] = word;
}

void script_place_labels(struct script *s, const struct modules *here)
{
	bool unused;

	for (u32 i = 0; i < s->labels; i++) {
		struct script_label *l = &s->label[i];
		const struct script_module *m =
			l->module ? modules_same(here, &s->modules.module[l->module - 1], &unused) : NULL;

		l->pc = m && m->start ? m->start + l->offset : 0;
	}
}

static int put_facts(struct feeder *f, struct problem *p)
{
	const struct byte_buffer *b = &f->s->facts;
	struct byte_cursor c = {b->data, b->data + b->len, false};

	while (f->s->reduced && c.at < c.end) {
		u64 words = cursor_varint(&c), word;
		if (c.bad || !words || words > (u64)(c.end - c.at) / sizeof(word) || words > TAPE_MAX_VALUE)
			return problem_set(p, "%s is damaged (its facts)", f->s->file.path);
		put(f, TAPE_WORD(TAPE_FACT, words));
		for (u64 i = 0; i < words; i++) {
			memcpy(&word, c.at, sizeof(word));
			c.at += sizeof(word);
			put(f, (u32)word);
			put(f, (u32)(word >> 32));
		}
	}
	return 0;
}

static void put_labels(struct feeder *f)
{
	for (u32 i = 0; i < f->s->labels; i++) {
		const struct script_label *l = &f->s->label[i];
		put(f, TAPE_WORD(TAPE_LABEL, i));
		put(f, ACTION(l->thread, l->choice));
		put(f, l->kind);
		put(f, (u32)l->pc);
		put(f, (u32)(l->pc >> 32));
	}
	put(f, TAPE_WORD(TAPE_BEGIN, 0));
}

static void put_list(struct feeder *f, enum tape_tag tag, const u32 *label, u32 n)
{
	put(f, TAPE_WORD(tag, n));
	for (u32 i = 0; i < n; i++)
		put(f, label[i]);
}

/* Of a trusted script, a transition is told when it is made. */
static void put_enter(struct feeder *f)
{
	const struct script_model *m = &f->s->model;
	const struct model_frame *top = model_top(m);

	if (f->trusting && m->frames > 1)
		put_list(f, TAPE_MORE, &top->into, 1);
	put_list(f, TAPE_ENTER, model_list_of(m, top), f->trusting ? 0 : top->count);
}

static void put_event(struct feeder *f, const struct script_event *e)
{
	const struct script_model *m = &f->s->model;

	switch (e->kind) {
	case SCRIPT_ENTER:
		put_enter(f);
		break;
	case SCRIPT_KNOWN:
		if (!f->trusting)
			put(f, TAPE_WORD(TAPE_KNOWN, e->number));
		break;
	case SCRIPT_NOWHERE:
		if (!f->trusting)
			put(f, TAPE_WORD(TAPE_NOWHERE, 0));
		break;
	case SCRIPT_MORE:
		if (!f->trusting)
			put_list(f, TAPE_MORE, model_list_of(m, model_top(m)) + model_top(m)->count - e->n,
				 e->n);
		break;
	case SCRIPT_LEAVE:
		put(f, TAPE_WORD(TAPE_LEAVE, 0));
		break;
	case SCRIPT_END:
		break;
	}
}

static int end(struct feeder *f, int ret, struct problem *p)
{
	if (ret == 0) {
		put(f, TAPE_WORD(TAPE_END, 0));
		flush(f);
	}
	if (ret == 0 && f->failed) {
		p->text[0] = 0;
		ret = -1;
	}
	free(f);
	return ret;
}

static void leave_all(struct feeder *f)
{
	for (u32 i = 0; i < f->s->model.frames; i++)
		put(f, TAPE_WORD(TAPE_LEAVE, 1));
}

static struct feeder *feeder_new(struct script *s, const struct tape_sink *to, struct problem *p)
{
	struct feeder *f = calloc(1, sizeof(*f));

	if (!f) {
		problem_set(p, "out of memory");
		return NULL;
	}
	f->s = s;
	f->to = to;
	f->trusting = s->trustful || s->trusted;
	if (put_facts(f, p)) {
		free(f);
		return NULL;
	}
	put_labels(f);
	return f;
}

/* Most transitions lead to known states, of which there is no doubt: many at a time. At most so many. */
static void put_known(struct feeder *f, u64 most)
{
	if (hd_unlikely(f->used == BUFFER))
		flush(f);
	u32 n = script_known(f->s, f->word + f->used, (u32)HD_MIN(most, (u64)(BUFFER - f->used)));
	for (u32 i = 0; i < n; i++, f->used++)
		f->word[f->used] = TAPE_WORD(TAPE_KNOWN, f->word[f->used]);
}

/* Up to this transition. */
static int put_events(struct feeder *f, u64 end, bool last, struct problem *p)
{
	struct script *s = f->s;
	struct script_event e = {.kind = SCRIPT_ENTER};
	int ret = 0;

	while (ret == 0 && !f->failed && e.kind != SCRIPT_END && (last || s->model.transitions < end)) {
		ret = script_next(s, &e, p);
		if (ret == 0)
			put_event(f, &e);
		if (ret || (!last && s->model.transitions >= end))
			continue;
		if (!f->trusting)
			put_known(f, last ? BUFFER : end - s->model.transitions);
		else if (s->trustful)
			script_pass_known(s);
	}
	return ret;
}

int script_feed(struct script *s, const struct tape_sink *to, struct problem *p)
{
	struct feeder *f = feeder_new(s, to, p);
	int ret = f ? script_rewind(s, p) : -1;

	if (ret == 0)
		ret = put_events(f, 0, true, p);
	if (ret == 0)
		leave_all(f);
	return f ? end(f, ret, p) : -1;
}

/* From the initial state to where the walk is. */
static void put_path(struct feeder *f)
{
	const struct script_model *m = &f->s->model;
	bool trustful = f->trusting;

	for (u32 i = 0; i < m->frames; i++) {
		const struct model_frame *at = &m->frame[i];

		if (i && trustful)
			put_list(f, TAPE_MORE, &at->into, 1);
		if (i)
			put(f, TAPE_WORD(TAPE_DOWN, 0));
		put(f, TAPE_WORD(TAPE_COUNT, at->number));
		put_list(f, TAPE_ENTER, model_list_of(m, at), trustful ? 0 : at->count);
		u32 others = at->done - (i + 1 < m->frames);
		if (others && !trustful)
			put(f, TAPE_WORD(TAPE_SKIP, others << 1));
	}
	put(f, TAPE_WORD(TAPE_COUNT, m->states + 1));
}

static int feed_interval(struct feeder *f, const struct script_interval *at, u64 *longest, u64 *sum,
			 struct problem *p)
{
	struct script *s = f->s;
	struct script_event e = {.kind = SCRIPT_ENTER};
	/* What is in the model tells all: the initial state has to be entered, at least. */
	int ret = script_is_near(s, at->from) ? 0 : script_seek(s, at->from, p);

	if (ret == 0 && !s->begun)
		ret = script_next(s, &e, p);
	while (ret == 0 && s->model.transitions < at->from && e.kind != SCRIPT_END) {
		if (s->trustful)
			script_pass_known(s);
		ret = script_next(s, &e, p);
	}
	if (ret)
		return -1;
	put_path(f);
	*longest = HD_MAX(*longest, (u64)s->model.frames - 1);
	*sum += s->model.frames - 1;
	if (e.kind != SCRIPT_END)
		ret = put_events(f, at->to, at->to >= s->transitions, p);
	if (ret == 0)
		leave_all(f);
	return ret;
}

int script_feed_part(struct script *s, const struct script_interval *at, u32 n, const struct tape_sink *to,
		     u64 *longest, u64 *sum, struct problem *p)
{
	struct feeder *f = feeder_new(s, to, p);
	int ret = f ? 0 : -1;

	*longest = *sum = 0;
	for (u32 i = 0; ret == 0 && i < n && !f->failed; i++)
		ret = feed_interval(f, &at[i], longest, sum, p);
	return f ? end(f, ret, p) : -1;
}
