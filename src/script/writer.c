#include "script/writer.h"

#include <stdlib.h>
#include <string.h>

#include "script/container.h"
#include "script/modules.h"
#include "script/script.h"
#include "search/tape.h"
#include "wire/action.h"
#include "wire/search_options.h"

struct script_writer {
	struct container_out file;
	struct script_model model;
	struct modules modules;
	pid_t process;
	bool trustful, reduced;
	struct script_label *label;
	u32 labels, label_room;
	json_t *blocks;
	struct byte_buffer column[SCRIPT_COLUMNS];
	struct byte_buffer facts;
	u32 run;
	u64 block_start, block_limit; /* listed transitions */
	u64 block_at[3];              /* states, transitions and listed ones before it */
	u64 subgraph_bytes;
	u32 end; /* enum search_end; what TAPE_END said */
	bool begun, ended;
	u32 word[MODEL_MAX_LIST + 8]; /* of a record that is not all there */
	u32 words;
	struct problem problem; /* text "": none */
};

/* ---- blocks ---- */

static void put_path(struct script_writer *w)
{
	struct byte_buffer *to = &w->column[COLUMN_PATH];
	const struct script_model *m = &w->model;

	bytes_varint(to, m->frames);
	for (u32 i = 0; i < m->frames; i++) {
		const struct model_frame *f = &m->frame[i];
		bytes_varint(to, f->number);
		bytes_varint(to, f->count);
		bytes_varint(to, f->done);
		bytes_varint(to, f->size);
		bytes_varint(to, f->start);
		for (u32 k = 0; k < f->count; k++)
			bytes_varint(to, model_list_of(m, f)[k]);
	}
}

static void begin_block(struct script_writer *w)
{
	struct script_model *m = &w->model;
	u64 share = m->listed / SCRIPT_BLOCK_SHARE;

	for (u32 i = 0; i < SCRIPT_COLUMNS; i++)
		w->column[i].len = 0;
	model_forget(m);
	put_path(w);
	w->block_at[0] = m->states;
	w->block_at[1] = m->transitions;
	w->block_at[2] = m->listed;
	w->block_limit = m->listed + HD_MIN(HD_MAX(share, (u64)SCRIPT_BLOCK_FIRST), (u64)SCRIPT_BLOCK_LAST);
	w->run = 0;
}

static bool end_block(struct script_writer *w)
{
	static const char *const name[] = SCRIPT_COLUMN_NAMES;
	json_t *block = json_pack("{s:I, s:I, s:I}", "states", (json_int_t)w->block_at[0], "transitions",
				  (json_int_t)w->block_at[1], "listed", (json_int_t)w->block_at[2]);

	bytes_varint(&w->column[COLUMN_RUNS], w->run);
	json_array_append_new(w->blocks, block);
	for (u32 i = 0; i < SCRIPT_COLUMNS; i++) {
		u64 before = w->file.offset;
		json_t *at = w->column[i].failed ? NULL
						 : container_add(&w->file, w->column[i].data,
								 w->column[i].len, &w->problem);
		if (!at)
			return false;
		if (i == COLUMN_SIZES)
			w->subgraph_bytes += w->file.offset - before;
		json_object_set_new(block, name[i], at);
	}
	return true;
}

/* ---- records ---- */

static bool nonsense(struct script_writer *w)
{
	problem_set(&w->problem, "the record of the search makes no sense: the program wrote over it");
	return false;
}

static bool no_memory(struct script_writer *w)
{
	problem_set(&w->problem, "out of memory for the script");
	return false;
}

/* The new state's list; 0: there is none. */
static u32 put_list(struct script_writer *w, const u32 *label, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (label[i] >= w->labels)
			return nonsense(w);
	u32 list = lists_number(&w->model.lists, label, n);
	u32 rank = list ? model_rank(&w->model, list) : 0;
	if (!list)
		return no_memory(w);
	bytes_put(&w->column[COLUMN_RANKS], (u8)rank);
	if (rank == MODEL_RANKS) {
		bytes_varint(&w->column[COLUMN_LISTS], n);
		for (u32 i = 0; i < n; i++)
			bytes_varint(&w->column[COLUMN_LISTS], label[i]);
	}
	return list;
}

/* What nobody expected. Of a trustful script there are two cases: it is the other one. */
static enum script_case case_of(const struct model_guess *g, enum model_to to, u32 number, bool trustful)
{
	if (to == MODEL_NOWHERE)
		return CASE_NOWHERE;
	if (to == MODEL_NEW || trustful)
		return CASE_NEW;
	return number == g->across  ? CASE_ACROSS
	       : number == g->back  ? CASE_BACK
	       : number == g->shift ? CASE_SHIFT
	       : number == g->slide ? CASE_SLIDE
				    : CASE_NUMBER;
}

/* A transition leads there. */
static bool put_transition(struct script_writer *w, enum model_to to, u32 number)
{
	struct script_model *m = &w->model;
	struct model_guess g;

	if (!m->frames || model_top(m)->done == model_top(m)->count || number > m->states + 1)
		return nonsense(w);
	if (m->listed >= w->block_limit) {
		if (!end_block(w))
			return false;
		begin_block(w);
	}
	if (to == MODEL_KNOWN && !w->trustful && model_sure(m, number)) {
		w->run++;
		return true;
	}
	model_expect(m, &g);
	if (to == g.to && (to == MODEL_NEW || w->trustful || number == g.number)) {
		w->run++;
	} else {
		bytes_varint(&w->column[COLUMN_RUNS], w->run);
		w->run = 0;
		enum script_case c = case_of(&g, to, number, w->trustful);
		bytes_put(&w->column[COLUMN_CASES], (u8)c);
		if (c == CASE_NUMBER)
			bytes_varint(&w->column[COLUMN_NUMBERS], number >= g.near
									 ? (u64)(number - g.near) << 1
									 : (u64)(g.near - number) << 1 | 1);
	}
	model_came(m, &g, to, number);
	return true;
}

static bool enter(struct script_writer *w, const u32 *label, u32 n)
{
	struct script_model *m = &w->model;

	if (!w->begun || m->states == MODEL_MAX_NUMBER)
		return nonsense(w);
	if (m->frames && !put_transition(w, MODEL_NEW, m->states + 1))
		return false;
	if (!m->frames && m->states)
		return nonsense(w);
	u32 list = put_list(w, label, n);
	return list && (model_enter(m, list) || no_memory(w));
}

static bool more(struct script_writer *w, const u32 *label, u32 n)
{
	if (!w->model.frames || model_top(&w->model)->done != model_top(&w->model)->count)
		return nonsense(w);
	bytes_varint(&w->column[COLUMN_MORE], n);
	for (u32 i = 0; i < n; i++)
		bytes_varint(&w->column[COLUMN_MORE], label[i]);
	return model_more(&w->model, label, n) || no_memory(w);
}

/* cut: the search ended in the middle of it. */
static bool leave(struct script_writer *w, bool cut)
{
	struct script_model *m = &w->model;

	if (!m->frames || (!cut && model_top(m)->done != model_top(m)->count))
		return nonsense(w);
	if (!cut) {
		if (w->reduced)
			bytes_varint(&w->column[COLUMN_MORE], 0);
		bytes_varint(&w->column[COLUMN_SIZES], 0); /* as the transitions say */
	}
	model_leave(m);
	return true;
}

static bool add_label(struct script_writer *w, u32 id, const u32 *word)
{
	u32 alt = ACTION_ALT(word[0]);
	u64 pc = word[2] | (u64)word[3] << 32;

	if (!w->begun || id != w->labels || id >= SCRIPT_MAX_LABELS)
		return nonsense(w);
	if (w->labels == w->label_room) {
		u32 room = w->label_room ? 2 * w->label_room : 64;
		struct script_label *grown = realloc(w->label, room * sizeof(*grown));
		if (!grown)
			return no_memory(w);
		w->label = grown;
		w->label_room = room;
	}
	struct script_label *l = &w->label[w->labels++];
	*l = (struct script_label){
		.order = word[0], .thread = ACTION_FIBER(word[0]), .choice = alt, .kind = word[1], .pc = pc};
	if (ALT_IS_TIMER(alt) || ALT_IS_PEER(alt)) /* behind all that threads can do */
		l->order |= 1ul << 32;
	l->module = modules_find(&w->modules, pc);
	if (!l->module && pc && w->process) {
		modules_look(&w->modules, w->process);
		l->module = modules_find(&w->modules, pc);
	}
	l->offset = l->module ? pc - w->modules.module[l->module - 1].start : pc;
	return model_labels(&w->model, w->label, w->labels) || no_memory(w);
}

static bool begin(struct script_writer *w)
{
	char path[sizeof(w->file.path)];

	memcpy(path, w->file.path, sizeof(path));
	if (w->begun) {
		container_drop(&w->file);
		if (container_create(&w->file, path, &w->problem))
			return false;
	}
	json_decref(w->blocks);
	w->blocks = json_array();
	model_free(&w->model);
	if (!w->blocks || model_init(&w->model, w->trustful))
		return no_memory(w);
	w->labels = 0;
	w->subgraph_bytes = 0;
	w->begun = true;
	w->ended = false;
	begin_block(w);
	return true;
}

static bool add_fact(struct script_writer *w, const u32 *word, u32 words)
{
	if (!words) {
		w->facts.len = 0;
		w->reduced = false;
		return true;
	}
	w->reduced = true;
	bytes_varint(&w->facts, words);
	for (u32 i = 0; i < words; i++) {
		u64 value = word[2 * i] | (u64)word[2 * i + 1] << 32;
		bytes_add(&w->facts, &value, sizeof(value));
	}
	return !w->facts.failed || no_memory(w);
}

/* Words that follow the first one of a record. */
static u32 following(u32 word)
{
	switch (TAPE_TAG(word)) {
	case TAPE_LABEL:
		return 4;
	case TAPE_ENTER:
	case TAPE_MORE:
		return TAPE_VALUE(word);
	case TAPE_FACT:
		return 2 * TAPE_VALUE(word);
	default:
		return 0;
	}
}

static bool take_record(struct script_writer *w, const u32 *word)
{
	u32 value = TAPE_VALUE(word[0]);

	switch (TAPE_TAG(word[0])) {
	case TAPE_BEGIN:
		return begin(w);
	case TAPE_LABEL:
		return add_label(w, value, word + 1);
	case TAPE_ENTER:
		return enter(w, word + 1, value);
	case TAPE_KNOWN:
		return value ? put_transition(w, MODEL_KNOWN, value) : nonsense(w);
	case TAPE_NOWHERE:
		return put_transition(w, MODEL_NOWHERE, 0);
	case TAPE_MORE:
		return more(w, word + 1, value);
	case TAPE_LEAVE:
		return leave(w, value);
	case TAPE_FACT:
		return add_fact(w, word + 1, value);
	case TAPE_END:
		w->ended = true;
		w->end = value;
		return true;
	default:
		return nonsense(w);
	}
}

bool script_writer_take(struct script_writer *w, const u32 *word, u32 n)
{
	u32 at = 0;

	if (w->problem.text[0])
		return false;
	/* The rest of a record, whose beginning came before. */
	while (w->words && at < n) {
		w->word[w->words++] = word[at++];
		if (w->words == 1 + following(w->word[0])) {
			w->words = 0;
			if (!take_record(w, w->word))
				return false;
		}
	}
	while (at < n) {
		u32 need = 1 + following(word[at]);
		if (need > HD_ARRAY_LEN(w->word))
			return nonsense(w);
		if (need > n - at) {
			w->words = n - at;
			memcpy(w->word, word + at, w->words * sizeof(*word));
			return true;
		}
		if (!take_record(w, word + at))
			return false;
		at += need;
	}
	return true;
}

/* ---- the whole ---- */

struct script_writer *script_writer_new(const char *path, bool trustful, struct problem *p)
{
	struct script_writer *w = calloc(1, sizeof(*w));

	if (!w) {
		problem_set(p, "out of memory");
		return NULL;
	}
	w->trustful = trustful;
	if (container_create(&w->file, path, p)) {
		free(w);
		return NULL;
	}
	return w;
}

void script_writer_process(struct script_writer *w, pid_t pid)
{
	w->process = pid;
	if (pid)
		modules_look(&w->modules, pid);
}

static json_t *add_labels(struct script_writer *w)
{
	struct byte_buffer b = {0};
	json_t *at;

	for (u32 i = 0; i < w->labels; i++) {
		const struct script_label *l = &w->label[i];
		bytes_varint(&b, l->order);
		bytes_varint(&b, l->thread);
		bytes_varint(&b, l->choice);
		bytes_varint(&b, l->kind);
		bytes_varint(&b, l->module);
		bytes_varint(&b, l->offset);
	}
	at = b.failed ? NULL : container_add(&w->file, b.data, b.len, &w->problem);
	bytes_free(&b);
	return at;
}

static int finish(struct script_writer *w, json_t *index, const void *trees, size_t trees_len,
		  struct script_sizes *out)
{
	const struct script_model *m = &w->model;
	json_t *labels, *facts = NULL, *tree = NULL;

	if (!w->begun || !w->ended || m->frames || w->words || m->failed)
		return problem_set(&w->problem, "the record of the search is not whole");
	if (!end_block(w))
		return -1;
	u64 body = w->file.offset - w->subgraph_bytes;
	if (!(labels = add_labels(w)))
		return -1;
	json_object_set_new(index, SCRIPT_MAGIC, json_integer(SCRIPT_VERSION));
	json_object_set_new(index, "kind", json_string(w->trustful ? "trustful" : "full"));
	json_object_set_new(index, "complete", json_boolean(w->end == SEARCH_COMPLETE));
	json_object_set_new(index, "reduced", json_boolean(w->reduced));
	json_object_set_new(index, "states", json_integer((json_int_t)m->states));
	json_object_set_new(index, "transitions", json_integer((json_int_t)m->transitions));
	json_object_set_new(index, "listed", json_integer((json_int_t)m->listed));
	json_object_set_new(index, "label_count", json_integer((json_int_t)w->labels));
	json_object_set_new(index, "labels", labels);
	json_object_set_new(index, "modules", modules_json(&w->modules));
	json_object_set(index, "blocks", w->blocks);
	if (w->reduced && !(facts = container_add(&w->file, w->facts.data, w->facts.len, &w->problem)))
		return -1;
	if (facts)
		json_object_set_new(index, "facts", facts);
	if (trees && !(tree = container_add(&w->file, trees, trees_len, &w->problem)))
		return -1;
	if (tree)
		json_object_set_new(index, "trees", tree);
	*out = (struct script_sizes){m->states, m->transitions, 0, body, w->subgraph_bytes};
	return container_end(&w->file, json_incref(index), &out->bytes, &w->problem);
}

int script_writer_end(struct script_writer *w, json_t *about, const void *trees, size_t trees_len,
		      struct script_sizes *out, struct problem *p)
{
	int ret = about && !w->problem.text[0] ? finish(w, about, trees, trees_len, out) : -1;

	container_drop(&w->file);
	if (ret && about)
		*p = w->problem;
	json_decref(about);
	json_decref(w->blocks);
	model_free(&w->model);
	modules_free(&w->modules);
	for (u32 i = 0; i < SCRIPT_COLUMNS; i++)
		bytes_free(&w->column[i]);
	bytes_free(&w->facts);
	free(w->label);
	free(w);
	return ret;
}
