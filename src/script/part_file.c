/*
 * A part as a file of its own: the words that a follower is told, in chunks, with labels, modules and the
 * rest of the index as in the script.
 */
#include <stdlib.h>
#include <string.h>

#include "script/part.h"

#define CHUNK_WORDS (1u << 20)

struct chunks {
	struct container_out *file;
	json_t *list;
	struct byte_buffer words;
	struct problem *problem;
};

static bool end_chunk(struct chunks *c)
{
	json_t *at = c->words.failed ? NULL : container_add(c->file, c->words.data, c->words.len, c->problem);

	c->words.len = 0;
	return at && !json_array_append_new(c->list, at);
}

/* Labels are in a table of their own: places in the code are no addresses there. */
static bool keep_words(void *self, const u32 *word, u32 n)
{
	struct chunks *c = self;

	bytes_add(&c->words, word, n * sizeof(*word));
	return c->words.len < CHUNK_WORDS * sizeof(*word) || end_chunk(c);
}

static json_t *id_json(struct container_id id)
{
	char text[40];

	snprintf(text, sizeof(text), "%016lx%016lx", id.hi, id.lo);
	return json_string(text);
}

static bool id_load(const json_t *j, struct container_id *out)
{
	const char *text = json_string_value(j);

	return text && strlen(text) == 32 && sscanf(text, "%16lx%16lx", &out->hi, &out->lo) == 2;
}

int script_part_write(struct script *s, const struct partition_part *part, u32 number, u32 parts,
		      const char *path, u64 *longest, u64 *sum, u64 *bytes, struct problem *p)
{
	static const char *const copied[] = {"kind",     "states",      "complete",    "modules",  "program",
					     "identity", "config",      "learnt",      "options",  "hooks",
					     "verdict",  "label_count", "environment", "has_trees"};
	struct container_out file;
	struct chunks c = {.file = &file, .list = json_array(), .problem = p};
	const struct tape_sink sink = {keep_words, &c};
	struct byte_buffer labels = {0}, trees = {0};
	json_t *index = json_object(), *at;

	if (container_create(&file, path, p))
		return -1;
	for (u32 i = 0; i < s->labels; i++)
		s->label[i].pc = 0;
	int ret = script_feed_part(s, part->interval, part->intervals, &sink, longest, sum, p);
	if (ret == 0 && !end_chunk(&c))
		ret = -1;
	for (size_t i = 0; i < HD_ARRAY_LEN(copied); i++)
		if (json_object_get(s->file.index, copied[i]))
			json_object_set(index, copied[i], json_object_get(s->file.index, copied[i]));
	json_object_set_new(index, PART_MAGIC, json_integer(PART_VERSION));
	json_object_set_new(index, "script", id_json(s->file.id));
	json_object_set_new(index, "part", json_integer(number));
	json_object_set_new(index, "parts", json_integer(parts));
	json_object_set_new(index, "transitions", json_integer((json_int_t)part->transitions));
	json_object_set_new(index, "words", c.list);
	if (ret == 0)
		ret = container_read(&s->file, json_object_get(s->file.index, "labels"), &labels, p);
	if (ret == 0 && (at = container_add(&file, labels.data, labels.len, p)))
		json_object_set_new(index, "labels", at);
	if (ret == 0)
		ret = script_trees(s, &trees, p);
	if (ret == 0 && trees.len && (at = container_add(&file, trees.data, trees.len, p)))
		json_object_set_new(index, "trees", at);
	bytes_free(&labels);
	bytes_free(&trees);
	bytes_free(&c.words);
	if (ret == 0)
		return container_end(&file, index, bytes, p);
	json_decref(index);
	container_drop(&file);
	return -1;
}

int script_part_open(struct script_part *f, const char *path, struct problem *p)
{
	const char *kind;
	u64 labels;

	memset(f, 0, sizeof(*f));
	if (container_open(&f->file, path, PART_MAGIC, PART_VERSION, p))
		return -1;
	const json_t *j = f->file.index;
	kind = json_string_value(json_object_get(j, "kind"));
	f->trustful = kind && !strcmp(kind, "trustful");
	if (!kind || !container_number(j, "states", MODEL_MAX_NUMBER, &f->states) ||
	    !container_number(j, "transitions", INT64_MAX, &f->transitions) ||
	    !container_number(j, "part", UINT32_MAX, &f->number) ||
	    !container_number(j, "parts", UINT32_MAX, &f->parts) || !f->number || f->number > f->parts ||
	    !container_number(j, "label_count", SCRIPT_MAX_LABELS, &labels) ||
	    !id_load(json_object_get(j, "script"), &f->script) ||
	    modules_load(&f->modules, json_object_get(j, "modules"))) {
		script_part_close(f);
		return problem_set(p, "%s is damaged (its index)", path);
	}
	if (script_labels_load(&f->file, labels, f->modules.count, &f->label, p)) {
		script_part_close(f);
		return -1;
	}
	f->labels = (u32)labels;
	return 0;
}

void script_part_close(struct script_part *f)
{
	container_close(&f->file);
	modules_free(&f->modules);
	free(f->label);
	memset(f, 0, sizeof(*f));
}

void script_part_place(struct script_part *f, const struct modules *here)
{
	bool unused;

	for (u32 i = 0; i < f->labels; i++) {
		struct script_label *l = &f->label[i];
		const struct script_module *m =
			l->module ? modules_same(here, &f->modules.module[l->module - 1], &unused) : NULL;
		l->pc = m && m->start ? m->start + l->offset : 0;
	}
}

/* The labels' words get the addresses of this process. */
static void place_words(const struct script_part *f, u32 *word, size_t n, size_t *skip)
{
	size_t at = *skip;

	while (at < n && TAPE_TAG(word[at]) == TAPE_LABEL) {
		u32 id = TAPE_VALUE(word[at]);
		if (id < f->labels && at + 4 < n) {
			word[at + 3] = (u32)f->label[id].pc;
			word[at + 4] = (u32)(f->label[id].pc >> 32);
		}
		at += 5;
	}
	*skip = at;
}

/* Where the words are: a record that is not all there, and whether the last one was met. */
struct framing {
	u64 left;
	bool ended;
};

/*
 * Whoever follows takes record by record, and waits for the rest of one: the words have to be whole records,
 * and the last of them the only end.
 */
static bool frame_words(struct framing *g, const u32 *word, size_t n)
{
	for (size_t at = 0; at < n;) {
		u64 taken = HD_MIN(g->left, (u64)(n - at));
		g->left -= taken;
		at += taken;
		if (at == n)
			break;
		if (g->ended)
			return false;
		u32 value = TAPE_VALUE(word[at]);
		switch (TAPE_TAG(word[at++])) {
		case TAPE_LABEL:
			g->left = 4;
			break;
		case TAPE_ENTER:
		case TAPE_MORE:
			g->left = value;
			break;
		case TAPE_FACT:
			g->left = 2ul * value;
			break;
		case TAPE_END:
			g->ended = true;
			break;
		default:
			break;
		}
	}
	return true;
}

int script_part_feed(struct script_part *f, const struct tape_sink *to, struct problem *p)
{
	struct framing framing = {0};
	const json_t *list = json_object_get(f->file.index, "words");
	struct byte_buffer b = {0};
	int ret = 0;
	bool taken = true;

	for (size_t i = 0; ret == 0 && taken && i < json_array_size(list); i++) {
		ret = container_read(&f->file, json_array_get(list, i), &b, p);
		if (ret == 0 &&
		    (b.len % sizeof(u32) || !frame_words(&framing, (u32 *)b.data, b.len / sizeof(u32))))
			ret = problem_set(p, "%s is damaged (its words)", f->file.path);
		size_t skip = 0;
		if (ret == 0 && i == 0)
			place_words(f, (u32 *)b.data, b.len / sizeof(u32), &skip);
		for (size_t at = 0; ret == 0 && taken && at < b.len / sizeof(u32); at += 16384)
			taken = to->write(to->self, (u32 *)b.data + at,
					  (u32)HD_MIN(b.len / sizeof(u32) - at, (size_t)16384));
	}
	bytes_free(&b);
	if (ret == 0 && taken && (!framing.ended || framing.left))
		ret = problem_set(p, "%s is damaged (its words end too early)", f->file.path);
	return ret;
}
