#include "script/reader.h"

#include <stdlib.h>
#include <string.h>

static int bad(const struct script *s, const char *what, struct problem *p)
{
	return problem_set(p, "%s is damaged (%s); get it once more from where it was made", s->file.path,
			   what);
}

/* ---- opening ---- */

int script_labels_load(const struct container_in *file, u64 count, u32 modules, struct script_label **out,
		       struct problem *p)
{
	struct byte_buffer b = {0};
	int ret = container_read(file, json_object_get(file->index, "labels"), &b, p);
	struct byte_cursor c = {b.data, b.data + b.len, false};
	struct script_label *list = ret ? NULL : calloc(count + 1, sizeof(*list));

	if (ret == 0 && !list)
		ret = problem_set(p, "out of memory");
	for (u64 i = 0; ret == 0 && i < count; i++) {
		struct script_label *l = &list[i];
		l->order = cursor_varint(&c);
		u64 thread = cursor_varint(&c), choice = cursor_varint(&c), kind = cursor_varint(&c),
		    module = cursor_varint(&c);
		l->offset = cursor_varint(&c);
		if (c.bad || thread > 0xffff || choice > 0xffff || kind > 0xffff || module > modules)
			ret = problem_set(p, "%s is damaged (its labels)", file->path);
		l->thread = (u32)thread;
		l->choice = (u32)choice;
		l->kind = (u32)kind;
		l->module = (u32)module;
	}
	if (ret == 0 && c.at != c.end)
		ret = problem_set(p, "%s is damaged (its labels)", file->path);
	bytes_free(&b);
	if (ret)
		free(list);
	else
		*out = list;
	return ret;
}

static int load_index(struct script *s, struct problem *p)
{
	const json_t *j = s->file.index, *blocks = json_object_get(j, "blocks");
	const char *kind = json_string_value(json_object_get(j, "kind"));
	u64 labels;

	s->trustful = kind && !strcmp(kind, "trustful");
	s->complete = json_is_true(json_object_get(j, "complete"));
	s->reduced = json_is_true(json_object_get(j, "reduced"));
	if (!kind || (!s->trustful && strcmp(kind, "full")) ||
	    !container_number(j, "states", MODEL_MAX_NUMBER, &s->states) || !s->states ||
	    !container_number(j, "transitions", INT64_MAX, &s->transitions) ||
	    !container_number(j, "listed", INT64_MAX, &s->listed) || s->transitions > s->listed ||
	    !container_number(j, "label_count", SCRIPT_MAX_LABELS, &labels) || !json_array_size(blocks) ||
	    json_array_size(blocks) > UINT32_MAX || modules_load(&s->modules, json_object_get(j, "modules")))
		return bad(s, "its index", p);
	s->blocks = (u32)json_array_size(blocks);
	if (script_labels_load(&s->file, labels, s->modules.count, &s->label, p))
		return -1;
	s->labels = (u32)labels;
	return s->reduced ? container_read(&s->file, json_object_get(j, "facts"), &s->facts, p) : 0;
}

int script_open(struct script *s, const char *path, struct problem *p)
{
	memset(s, 0, sizeof(*s));
	if (container_open(&s->file, path, SCRIPT_MAGIC, SCRIPT_VERSION, p))
		return -1;
	if (load_index(s, p)) {
		script_close(s);
		return -1;
	}
	return 0;
}

void script_close(struct script *s)
{
	container_close(&s->file);
	model_free(&s->model);
	modules_free(&s->modules);
	bytes_free(&s->facts);
	for (u32 i = 0; i < SCRIPT_COLUMNS; i++)
		bytes_free(&s->column[i]);
	free(s->label);
	memset(s, 0, sizeof(*s));
}

int script_trees(const struct script *s, struct byte_buffer *out, struct problem *p)
{
	const json_t *at = json_object_get(s->file.index, "trees");

	out->len = 0;
	return at ? container_read(&s->file, at, out, p) : 0;
}

/* ---- blocks ---- */

static const json_t *block_at(const struct script *s, u32 i)
{
	return json_array_get(json_object_get(s->file.index, "blocks"), i);
}

/* Where block i begins; i == s->blocks: where the script ends. */
static bool block_start(const struct script *s, u32 i, u64 *states, u64 *transitions, u64 *listed)
{
	if (i == s->blocks) {
		*states = s->states;
		*transitions = s->transitions;
		*listed = s->listed;
		return true;
	}
	return container_number(block_at(s, i), "states", s->states, states) &&
	       container_number(block_at(s, i), "transitions", s->transitions, transitions) &&
	       container_number(block_at(s, i), "listed", s->listed, listed);
}

static int load_block(struct script *s, u32 i, struct problem *p)
{
	static const char *const name[] = SCRIPT_COLUMN_NAMES;
	u64 states, transitions, listed, next[3];

	if (!block_start(s, i, &states, &transitions, &listed) ||
	    !block_start(s, i + 1, &next[0], &next[1], &next[2]) || next[0] < states ||
	    next[1] < transitions || next[2] < listed || next[2] - listed > 2ul * SCRIPT_BLOCK_LAST)
		return bad(s, "its blocks", p);
	for (u32 c = 0; c < SCRIPT_COLUMNS; c++) {
		if (container_read(&s->file, json_object_get(block_at(s, i), name[c]), &s->column[c], p))
			return -1;
		s->at[c] = (struct byte_cursor){s->column[c].data, s->column[c].data + s->column[c].len,
						false};
	}
	s->block = i;
	s->block_end = next[2];
	s->run = cursor_varint(&s->at[COLUMN_RUNS]);
	return s->at[COLUMN_RUNS].bad ? bad(s, "its blocks", p) : 0;
}

static bool block_is_read(const struct script *s)
{
	if (s->run)
		return false;
	for (u32 c = COLUMN_RUNS; c < SCRIPT_COLUMNS; c++)
		if (s->at[c].at != s->at[c].end)
			return false;
	return true;
}

/* The path that a walk from here would begin with is the one that came of the walk. */
static bool is_same_path(struct script *s)
{
	const struct script_model *m = &s->model;
	struct byte_cursor *c = &s->at[COLUMN_PATH];
	bool same = cursor_varint(c) == m->frames;

	for (u32 i = 0; same && i < m->frames; i++) {
		const struct model_frame *f = &m->frame[i];
		same = cursor_varint(c) == f->number && cursor_varint(c) == f->count &&
		       cursor_varint(c) == f->done && cursor_varint(c) == f->size &&
		       cursor_varint(c) == f->start;
		for (u32 k = 0; same && k < f->count; k++)
			same = cursor_varint(c) == model_list_of(m, f)[k];
	}
	return same && !c->bad && c->at == c->end;
}

static int next_block(struct script *s, struct problem *p)
{
	u64 states, transitions, listed;

	if (!block_is_read(s) || s->block + 1 == s->blocks)
		return bad(s, "a block is not as long as it says", p);
	if (load_block(s, s->block + 1, p))
		return -1;
	if (!block_start(s, s->block, &states, &transitions, &listed) || states != s->model.states ||
	    transitions != s->model.transitions || listed != s->model.listed || !is_same_path(s))
		return bad(s, "a block does not begin where the one before ends", p);
	model_forget(&s->model);
	return 0;
}

static int begin_at(struct script *s, u32 block, struct problem *p)
{
	struct script_model *m = &s->model;

	model_free(m);
	s->begun = false;
	if (model_init(m, s->trustful) || !model_labels(m, s->label, s->labels))
		return problem_set(p, "out of memory");
	return load_block(s, block, p);
}

int script_rewind(struct script *s, struct problem *p)
{
	u64 states, transitions, listed;

	if (begin_at(s, 0, p))
		return -1;
	if (!block_start(s, 0, &states, &transitions, &listed) || states || transitions || listed ||
	    !is_same_path(s))
		return bad(s, "its first block", p);
	return 0;
}

/* So many labels, to be freed; NULL: they make no sense. */
static u32 *take_labels(struct script *s, struct byte_cursor *c, u64 count)
{
	u32 *label = count <= (u64)(c->end - c->at) ? malloc((count + 1) * sizeof(*label)) : NULL;
	bool good = label;

	for (u64 i = 0; good && i < count; i++) {
		u64 id = cursor_varint(c);
		good = !c->bad && id < s->labels;
		label[i] = (u32)id;
	}
	if (good)
		return label;
	free(label);
	return NULL;
}

static bool read_frame(struct script *s, struct byte_cursor *c, bool last)
{
	struct script_model *m = &s->model;
	u64 number = cursor_varint(c), count = cursor_varint(c), done = cursor_varint(c),
	    size = cursor_varint(c), start = cursor_varint(c);

	if (c->bad || count > 4ul * MODEL_MAX_LIST || done > count || (!last && !done) || !number ||
	    number > m->base || (m->frames && number <= model_top(m)->number))
		return false;
	u32 *label = take_labels(s, c, count);
	m->states = (u32)number - 1;
	bool good = label && model_enter(m, lists_number(&m->lists, label, (u32)count));
	free(label);
	if (!good)
		return false;
	struct model_frame *f = model_top(m);
	f->done = (u32)done;
	f->size = size;
	f->start = start;
	return true;
}

bool script_is_near(const struct script *s, u64 transition)
{
	u64 states, transitions, listed;

	if (!s->begun || s->model.transitions > transition)
		return false;
	return s->block + 1 == s->blocks ||
	       (block_start(s, s->block + 1, &states, &transitions, &listed) && transitions > transition);
}

int script_seek(struct script *s, u64 transition, struct problem *p)
{
	u64 states, transitions, listed;
	u32 block = s->blocks - 1;

	while (block && block_start(s, block, &states, &transitions, &listed) && transitions > transition)
		block--;
	if (!block)
		return script_rewind(s, p);
	if (begin_at(s, block, p))
		return -1;
	struct byte_cursor *c = &s->at[COLUMN_PATH];
	u64 frames = cursor_varint(c);
	if (!block_start(s, block, &states, &transitions, &listed))
		return bad(s, "the path to a block", p);
	s->model.base = (u32)states;
	for (u64 i = 0; i < frames; i++)
		if (!read_frame(s, c, i + 1 == frames))
			return bad(s, "the path to a block", p);
	if (!frames || c->bad || c->at != c->end)
		return bad(s, "the path to a block", p);
	s->model.states = (u32)states;
	s->model.transitions = transitions;
	s->model.listed = listed;
	s->begun = true;
	return 0;
}

/* ---- the walk ---- */

/* A list as it stands there; 0: it makes no sense. */
static u32 read_labels(struct script *s, struct byte_cursor *c)
{
	u64 count = cursor_varint(c);
	u32 *label = !c->bad && count <= MODEL_MAX_LIST ? take_labels(s, c, count) : NULL;
	u32 list = label ? lists_number(&s->model.lists, label, (u32)count) : 0;

	free(label);
	return list;
}

static int read_list(struct script *s, struct script_event *out, struct problem *p)
{
	struct script_model *m = &s->model;
	u32 rank = cursor_byte(&s->at[COLUMN_RANKS]), list = 0;

	if (!s->at[COLUMN_RANKS].bad && m->states < s->states && rank < MODEL_RANKS) {
		list = model_ranked(m, rank);
	} else if (!s->at[COLUMN_RANKS].bad && m->states < s->states && rank == MODEL_RANKS) {
		list = read_labels(s, &s->at[COLUMN_LISTS]);
		if (list)
			model_rank(m, list);
	}
	if (!list || m->lists.failed || !model_enter(m, list))
		return bad(s, "the transitions of a state", p);
	*out = (struct script_event){.kind = SCRIPT_ENTER, .number = m->states, .n = model_top(m)->count};
	return 0;
}

/* Where the next transition leads, which nobody expected. */
static bool read_case(struct script *s, const struct model_guess *g, enum model_to *to, u32 *number)
{
	const struct script_model *m = &s->model;
	u32 c = cursor_byte(&s->at[COLUMN_CASES]);
	u64 value;

	*to = c == CASE_NEW ? MODEL_NEW : c == CASE_NOWHERE ? MODEL_NOWHERE : MODEL_KNOWN;
	*number = 0;
	if (s->at[COLUMN_CASES].bad || c >= CASES)
		return false;
	if (m->trustful) { /* there are two cases: it is the other one */
		if (c == CASE_NEW)
			*to = g->to == MODEL_NEW ? MODEL_KNOWN : MODEL_NEW;
		return c == CASE_NEW || c == CASE_NOWHERE;
	}
	if (c == CASE_ACROSS)
		*number = g->across;
	else if (c == CASE_BACK)
		*number = g->back;
	else if (c == CASE_SHIFT)
		*number = g->shift;
	else if (c == CASE_SLIDE)
		*number = g->slide;
	else if (c == CASE_NUMBER) {
		value = cursor_varint(&s->at[COLUMN_NUMBERS]);
		if (s->at[COLUMN_NUMBERS].bad || value >> 1 > MODEL_MAX_NUMBER ||
		    (value & 1 && value >> 1 >= g->near))
			return false;
		*number = value & 1 ? g->near - (u32)(value >> 1) : g->near + (u32)(value >> 1);
	}
	return *to != MODEL_KNOWN || *number;
}

static int read_transition(struct script *s, struct script_event *out, struct problem *p)
{
	struct script_model *m = &s->model;
	struct model_guess g;
	enum model_to to;
	u32 number;

	model_expect(m, &g);
	to = g.to;
	number = g.number;
	if (s->run) {
		s->run--;
	} else {
		if (!read_case(s, &g, &to, &number))
			return bad(s, "a transition", p);
		s->run = cursor_varint(&s->at[COLUMN_RUNS]);
		if (s->at[COLUMN_RUNS].bad)
			return bad(s, "a transition", p);
	}
	if (to == MODEL_NEW)
		number = m->states + 1;
	if (to == MODEL_KNOWN && !m->trustful && (!number || number > m->states))
		return bad(s, "a transition leads to a state that was not met", p);
	model_came(m, &g, to, number);
	if (m->failed)
		return problem_set(p, "out of memory");
	if (to == MODEL_NEW)
		return read_list(s, out, p);
	*out = (struct script_event){.kind = to == MODEL_NOWHERE ? SCRIPT_NOWHERE : SCRIPT_KNOWN,
				     .number = m->trustful ? 0 : number};
	return 0;
}

/* The topmost state has no transitions left. */
static int read_done(struct script *s, struct script_event *out, struct problem *p)
{
	struct script_model *m = &s->model;
	struct byte_cursor *c = &s->at[COLUMN_MORE];
	u64 n = s->reduced ? cursor_varint(c) : 0;

	if (c->bad || n > MODEL_MAX_LIST)
		return bad(s, "the transitions of a state", p);
	if (n) {
		u32 *label = take_labels(s, c, n);
		bool good = label && model_more(m, label, (u32)n);
		free(label);
		if (!good)
			return bad(s, "the transitions of a state", p);
		*out = (struct script_event){.kind = SCRIPT_MORE, .n = (u32)n};
		return 0;
	}
	u64 change = cursor_varint(&s->at[COLUMN_SIZES]), size = model_top(m)->size;
	if (s->at[COLUMN_SIZES].bad)
		return bad(s, "Subgraphs has too few entries", p);
	size = change & 1 ? size - (change >> 1) : size + (change >> 1);
	*out = (struct script_event){.kind = SCRIPT_LEAVE, .number = model_top(m)->number, .size = size};
	model_leave(m);
	return 0;
}

static int read_end(struct script *s, struct script_event *out, struct problem *p)
{
	const struct script_model *m = &s->model;

	if (m->listed != s->listed || m->states != s->states || m->transitions != s->transitions ||
	    s->block + 1 != s->blocks || (s->complete && m->frames))
		return bad(s, "it ends too early", p);
	if (!block_is_read(s))
		return bad(s, "it goes on behind its end", p);
	*out = (struct script_event){.kind = SCRIPT_END};
	return 0;
}

u32 script_known(struct script *s, u32 *number, u32 room)
{
	struct script_model *m = &s->model;

	if (!s->begun || !m->frames || m->trustful)
		return 0;
	u32 n = model_sure_run(m, number, (u32)HD_MIN(room, HD_MIN(s->run, s->block_end - m->listed)));
	s->run -= n;
	return n;
}

void script_pass_known(struct script *s)
{
	struct script_model *m = &s->model;

	if (s->begun && m->frames && m->trustful)
		s->run -= model_sure_known(m,
					   (u32)HD_MIN(s->run, HD_MIN(s->block_end - m->listed, UINT32_MAX)));
}

int script_next(struct script *s, struct script_event *out, struct problem *p)
{
	struct script_model *m = &s->model;

	if (hd_likely(s->begun && m->frames && m->listed != s->block_end &&
		      model_top(m)->done < model_top(m)->count))
		return read_transition(s, out, p);
	if (!s->begun) {
		if (!m->tables && script_rewind(s, p)) /* nothing was read yet */
			return -1;
		s->begun = true;
		return read_list(s, out, p);
	}
	if (!m->frames)
		return read_end(s, out, p);
	if (model_top(m)->done == model_top(m)->count)
		return read_done(s, out, p);
	if (m->listed == s->listed)
		return read_end(s, out, p);
	if (m->listed == s->block_end && next_block(s, p))
		return -1;
	return read_transition(s, out, p);
}
