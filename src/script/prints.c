/*
 * Maps of fingerprints, and their comparison.
 *
 * A state is covered if all its transitions were made: by one part, or in pieces by several, which have to
 * agree on how many there are, and neither overlap nor leave a gap. Every number that occurs anywhere has to
 * be covered, and to have one fingerprint everywhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "script/part.h"

#define PRINT sizeof(struct fingerprint)
#define BATCH 4096u            /* numbers that are looked at together */
#define TOUCH_MAX (32ul << 20) /* bytes */
#define CHUNK (1ul << 20)      /* bytes of entries; a few more: an entry is not torn apart */

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

/* ---- writing ---- */

struct packer {
	int prints;
	u64 numbers, last;
	struct container_out *file;
	struct byte_buffer b;
	json_t *chunks;
	struct fingerprint fp[BATCH];
	u8 cover[BATCH];
};

static int end_chunk(struct packer *k, struct problem *p)
{
	json_t *at = k->b.failed ? NULL : container_add_raw(k->file, k->b.data, k->b.len, p);

	if (k->b.failed)
		problem_set(p, "out of memory");
	k->b.len = 0;
	return at && !json_array_append_new(k->chunks, at) ? 0 : -1;
}

/* Numbers ascend: each as the distance to the one before, with whether all its transitions were made. */
static int pack_batch(struct packer *k, u64 first, u64 n, struct problem *p)
{
	if (!container_read_at(k->prints, k->fp, n * PRINT, first * PRINT) ||
	    !container_read_at(k->prints, k->cover, n, k->numbers * PRINT + first))
		return problem_set(p, "the fingerprints cannot be read");
	for (u64 i = 0; i < n; i++) {
		if (!(k->fp[i].lo | k->fp[i].hi) || !(first + i))
			continue;
		bytes_varint(&k->b, (first + i - k->last) << 1 | (k->cover[i] != 0));
		bytes_add(&k->b, &k->fp[i], PRINT);
		k->last = first + i;
	}
	return k->b.len >= CHUNK ? end_chunk(k, p) : 0;
}

/* A part has few of all numbers: what was never written is a hole in the memory file. */
static int pack_prints(struct packer *k, struct problem *p)
{
	u64 at = 0, end = k->numbers * PRINT;

	while (at < end) {
		off_t data = lseek(k->prints, (off_t)at, SEEK_DATA);
		off_t hole = data < 0 ? data : lseek(k->prints, data, SEEK_HOLE);
		if (data < 0 && errno == ENXIO)
			break;
		if (data < 0 || hole <= data)
			return problem_set(p, "the fingerprints cannot be read");
		u64 number = HD_MAX((u64)data, at) / PRINT,
		    to = HD_MIN(HD_ROUND_UP((u64)hole, PRINT), end) / PRINT;
		for (; number < to; number += BATCH)
			if (pack_batch(k, number, HD_MIN(to - number, (u64)BATCH), p))
				return -1;
		at = HD_ROUND_UP((u64)hole, PRINT);
	}
	return k->b.len || k->b.failed ? end_chunk(k, p) : 0;
}

/* NULL: it failed. */
static json_t *entries_write(int prints, u64 numbers, struct container_out *file, struct problem *p)
{
	struct packer *k = calloc(1, sizeof(*k));
	json_t *chunks = json_array();

	if (!k || !chunks) {
		problem_set(p, "out of memory");
	} else {
		k->prints = prints;
		k->numbers = numbers;
		k->file = file;
		k->chunks = chunks;
	}
	if (!k || !chunks || pack_prints(k, p)) {
		json_decref(chunks);
		chunks = NULL;
	}
	if (k)
		bytes_free(&k->b);
	free(k);
	return chunks;
}

/* Bytes of the memory file as a chunk. */
static json_t *copy_write(int prints, u64 offset, u64 len, bool raw, struct container_out *file,
			  struct problem *p)
{
	u8 *copy = malloc(len + 1);
	json_t *at = NULL;

	if (!copy)
		problem_set(p, "out of memory");
	else if (!container_read_at(prints, copy, len, offset))
		problem_set(p, "the fingerprints cannot be read");
	else
		at = raw ? container_add_raw(file, copy, len, p) : container_add(file, copy, len, p);
	free(copy);
	return at;
}

int part_prints_write(const struct part_result *r, int prints, const char *path, u64 *bytes,
		      struct problem *p)
{
	u64 numbers = r->states + 1, bytes_of_file = WIRE_PRINTS_BYTES(numbers, r->busy_edges);
	struct container_out file;
	struct stat st;
	json_t *index, *entries, *ranges, *edges;

	/* The counts come from the program's process. */
	if (r->ranges > WIRE_MAX_RANGES || r->busy_edges > WIRE_MAX_BUSY_EDGES || fstat(prints, &st) ||
	    (u64)st.st_size < bytes_of_file)
		return problem_set(p, "the record of a part makes no sense: the program wrote over it");
	if (container_create(&file, path, p))
		return -1;
	file.level = 1;
	entries = entries_write(prints, numbers, &file, p);
	ranges = copy_write(prints, numbers * PRINT + HD_ROUND_UP(numbers, 16),
			    r->ranges * sizeof(struct wire_range_made), true, &file, p);
	edges = r->busy_edges ? copy_write(prints, WIRE_BUSY_AT(numbers),
					   r->busy_edges * sizeof(struct wire_busy_edge), false, &file, p)
			      : json_null();
	if (!entries || !ranges || !edges) {
		json_decref(entries);
		json_decref(ranges);
		json_decref(edges);
		container_drop(&file);
		return -1;
	}
	index = json_pack("{s:i, s:o, s:I, s:I, s:I, s:I, s:b, s:b, s:s, s:s, s:o, s:o, s:b, s:o}",
			  PRINTS_MAGIC, PRINTS_VERSION, "script", id_json(r->script), "states",
			  (json_int_t)r->states, "part", (json_int_t)r->number, "parts", (json_int_t)r->parts,
			  "transitions", (json_int_t)r->transitions, "good", r->good, "busy", r->busy,
			  "verdict", r->verdict, "program", r->program, "entries", entries, "ranges", ranges,
			  "busy_lost", r->busy_lost, "busy_edges", edges);
	file.level = -9; /* short, and read as often as there are parts */
	return container_end(&file, index, bytes, p);
}

/* ---- comparing ---- */

struct merge {
	struct part_result *out;
	struct fingerprint *fp;
	u8 *cover;
	struct wire_range_made *range;
	u64 ranges;
	struct wire_busy_edge *edge;
	u64 edges;
	u8 *seen; /* parts */
	struct byte_buffer chunk;
	char *why;
	size_t cap;
};

static bool wrong(struct merge *m, const char *what)
{
	if (!m->why[0])
		snprintf(m->why, m->cap, "%s", what);
	return false;
}

/* A chunk of entries; *last: the number of the one before. */
static bool take_entries(struct merge *m, const struct byte_buffer *b, u64 *last)
{
	struct byte_cursor c = {b->data, b->data + b->len, false};
	u64 number = *last;

	while (c.at < c.end) {
		struct fingerprint fp;
		u64 head = cursor_varint(&c), step = head >> 1;
		if (c.bad || !step || step > m->out->states - number || (size_t)(c.end - c.at) < PRINT)
			return wrong(m, "a map of fingerprints is damaged");
		number += step;
		memcpy(&fp, c.at, PRINT);
		c.at += PRINT;
		struct fingerprint *there = &m->fp[number];
		if (!(there->lo | there->hi))
			*there = fp;
		else if (there->lo != fp.lo || there->hi != fp.hi)
			return wrong(m, "two parts give the same number to different states");
		if ((head & 1) && m->cover[number]++)
			return wrong(m, "two parts have the same transitions");
	}
	*last = number;
	return true;
}

static bool take_ranges(struct merge *m, const struct byte_buffer *b)
{
	u64 n = b->len / sizeof(*m->range);

	if (b->len % sizeof(*m->range))
		return wrong(m, "a map of fingerprints is damaged");
	if (!n)
		return true;
	struct wire_range_made *grown = realloc(m->range, (m->ranges + n) * sizeof(*grown));
	if (!grown)
		return wrong(m, "out of memory");
	m->range = grown;
	memcpy(grown + m->ranges, b->data, b->len);
	m->ranges += n;
	return true;
}

static bool take_edges(struct merge *m, const struct byte_buffer *b)
{
	u64 n = b->len / sizeof(*m->edge);

	if (b->len % sizeof(*m->edge))
		return wrong(m, "a map of fingerprints is damaged");
	if (!n)
		return true;
	struct wire_busy_edge *grown = realloc(m->edge, (m->edges + n) * sizeof(*grown));
	if (!grown)
		return wrong(m, "out of memory");
	m->edge = grown;
	memcpy(grown + m->edges, b->data, b->len);
	m->edges += n;
	return true;
}

static int by_number(const void *a, const void *b)
{
	const struct wire_range_made *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->from == y->from ? 0 : x->from < y->from ? -1 : 1;
}

/* Pieces of the transitions of a state: one behind the other, from the first to the last. */
static bool join_ranges(struct merge *m)
{
	if (m->ranges)
		qsort(m->range, m->ranges, sizeof(*m->range), by_number);
	for (u64 i = 0; i < m->ranges;) {
		const struct wire_range_made *r = &m->range[i];
		u32 at = 0;
		u64 k = i;
		if (!r->number || r->number > m->out->states)
			return wrong(m, "a map of fingerprints is damaged");
		for (; k < m->ranges && m->range[k].number == r->number; k++) {
			if (m->range[k].told != r->told)
				return wrong(m, "two parts have different transitions of the same state");
			if (m->range[k].from < at)
				return wrong(m, "two parts have the same transitions");
			if (m->range[k].from > at)
				return wrong(m, "transitions are missing: a part is");
			at = m->range[k].to;
		}
		if (at != r->told)
			return wrong(m, "transitions are missing: a part is");
		if (m->cover[r->number]++)
			return wrong(m, "two parts have the same transitions");
		i = k;
	}
	return true;
}

static bool is_covered(struct merge *m)
{
	for (u64 i = 1; i <= m->out->states; i++) {
		if (!(m->fp[i].lo | m->fp[i].hi))
			return wrong(m, "states are missing: a part is");
		if (!m->cover[i])
			return wrong(m, "transitions are missing: a part is");
	}
	return true;
}

/*
 * Livelocks. A state escapes if it has a transition that is no step of busy waiting, or none at all. A state
 * from which no state that escapes can be reached waits for ever: what follows it are steps of waiting only,
 * and they go on without end.
 */
static bool escape_everywhere(struct merge *m)
{
	u64 states = m->out->states;
	u32 *busy = calloc(states + 2, sizeof(*busy)), *told = calloc(states + 2, sizeof(*told));
	u64 *first = calloc(states + 3, sizeof(*first)); /* of those that lead to a state, in `from` */
	u32 *from = calloc(m->edges + 1, sizeof(*from)), *queue = calloc(states + 2, sizeof(*queue));
	u64 head = 0, tail = 0;
	bool good = busy && told && first && from && queue;

	if (!good)
		wrong(m, "out of memory");
	for (u64 i = 0; good && i < m->edges; i++) {
		const struct wire_busy_edge *e = &m->edge[i];
		good = e->from && e->from <= states && e->to && e->to <= states && e->told &&
		       (!busy[e->from] || told[e->from] == e->told);
		if (!good) {
			wrong(m, "a map of fingerprints is damaged");
			break;
		}
		busy[e->from]++;
		told[e->from] = e->told;
		first[e->to + 1]++;
	}
	for (u64 i = 1; good && i <= states + 1; i++)
		first[i] += first[i - 1];
	/* first[s] moves to the end of s while it is filled, which is the beginning of s + 1. */
	for (u64 i = 0; good && i < m->edges; i++)
		from[first[m->edge[i].to]++] = m->edge[i].from;
	for (u64 i = 1; good && i <= states; i++)
		if (!busy[i] || busy[i] < told[i]) {
			busy[i] = 0;
			queue[tail++] = (u32)i;
		}
	while (good && head < tail) {
		u32 to = queue[head++];
		for (u64 i = first[to - 1]; i < first[to]; i++)
			if (busy[from[i]]) {
				busy[from[i]] = 0;
				queue[tail++] = from[i];
			}
	}
	if (good && tail < states && !m->out->busy_lost) {
		while (!busy[++m->out->livelock])
			;
		good = wrong(m, "the program has a livelock");
	}
	free(busy);
	free(told);
	free(first);
	free(from);
	free(queue);
	return good;
}

/* Without steps of busy waiting every state escapes. */
static bool has_no_livelock(struct merge *m)
{
	return !m->edges || escape_everywhere(m);
}

static bool load_head(const json_t *j, struct part_result *r)
{
	const char *verdict = json_string_value(json_object_get(j, "verdict"));
	const char *program = json_string_value(json_object_get(j, "program"));

	memset(r, 0, sizeof(*r));
	r->good = json_is_true(json_object_get(j, "good"));
	r->busy = json_is_true(json_object_get(j, "busy"));
	r->busy_lost = json_is_true(json_object_get(j, "busy_lost"));
	return verdict && program && id_load(json_object_get(j, "script"), &r->script) &&
	       snprintf(r->verdict, sizeof(r->verdict), "%s", verdict) < (int)sizeof(r->verdict) &&
	       snprintf(r->program, sizeof(r->program), "%s", program) < (int)sizeof(r->program) &&
	       container_number(j, "states", MODEL_MAX_NUMBER, &r->states) && r->states &&
	       container_number(j, "part", UINT32_MAX, &r->number) &&
	       container_number(j, "parts", 1u << 20, &r->parts) && r->number && r->number <= r->parts &&
	       container_number(j, "transitions", INT64_MAX, &r->transitions);
}

/* All of it will be used, unless the file lies: not too much at once. Page by page is slower. */
static void touch(void *memory, u64 bytes)
{
	u64 from = HD_ROUND_UP((u64)memory, 4096), to = (u64)memory + bytes;

	if (memory && bytes <= TOUCH_MAX && to > from)
		madvise((void *)from, to - from, MADV_POPULATE_WRITE);
}

static bool begin(struct merge *m, const struct part_result *first)
{
	*m->out = *first;
	m->out->good = false;
	m->out->transitions = 0;
	m->fp = calloc(first->states + 1, sizeof(*m->fp));
	m->cover = calloc(first->states + 1, 1);
	touch(m->fp, (first->states + 1) * sizeof(*m->fp));
	m->seen = calloc(first->parts + 1, 1);
	return (m->fp && m->cover && m->seen) || wrong(m, "out of memory");
}

static bool is_one_of(struct merge *m, const struct part_result *r)
{
	const struct part_result *o = m->out;

	if (r->script.lo != o->script.lo || r->script.hi != o->script.hi || r->states != o->states ||
	    r->parts != o->parts || strcmp(r->program, o->program))
		return wrong(m, "the maps are of parts of different scripts");
	if (m->seen[r->number]++)
		return wrong(m, "a part is there twice");
	if (!r->good)
		return wrong(m, "a part was not certified by itself");
	m->out->busy |= r->busy;
	m->out->busy_lost |= r->busy_lost;
	m->out->transitions += r->transitions;
	return true;
}

/* -1: it cannot be read. */
static int take_chunks(struct merge *m, const struct container_in *in, struct problem *p)
{
	const json_t *entries = json_object_get(in->index, "entries"),
		     *edges = json_object_get(in->index, "busy_edges");
	u64 last = 0;

	if (!json_is_array(entries))
		return problem_set(p, "%s is damaged (its index)", in->path);
	for (size_t i = 0; i < json_array_size(entries); i++) {
		if (container_read_raw(in, json_array_get(entries, i), &m->chunk, p))
			return -1;
		if (!take_entries(m, &m->chunk, &last))
			return 0;
	}
	if (container_read_raw(in, json_object_get(in->index, "ranges"), &m->chunk, p))
		return -1;
	if (!take_ranges(m, &m->chunk) || json_is_null(edges))
		return 0;
	if (container_read(in, edges, &m->chunk, p))
		return -1;
	take_edges(m, &m->chunk);
	return 0;
}

static int take_map(struct merge *m, const char *path, bool first, struct problem *p)
{
	struct container_in in;
	struct part_result r;
	int ret = 0;

	if (container_open(&in, path, PRINTS_MAGIC, PRINTS_VERSION, p))
		return -1;
	if (!load_head(in.index, &r))
		ret = problem_set(p, "%s is damaged (its index)", path);
	else if ((!first || begin(m, &r)) && is_one_of(m, &r))
		ret = take_chunks(m, &in, p);
	container_close(&in);
	return ret;
}

int part_prints_merge(char *const *path, u32 n, struct part_result *out, char *why, size_t cap,
		      struct problem *p)
{
	struct merge m = {.out = out, .why = why, .cap = cap};
	int ret = n ? 0 : problem_set(p, "no maps to compare: heddle certify --merge MAP…");

	why[0] = 0;
	for (u32 i = 0; ret == 0 && !why[0] && i < n; i++)
		ret = take_map(&m, path[i], i == 0, p);
	if (ret == 0 && !why[0] && n != out->parts)
		wrong(&m, "a part is missing");
	if (ret == 0 && !why[0])
		out->good = join_ranges(&m) && is_covered(&m) && has_no_livelock(&m);
	free(m.fp);
	free(m.cover);
	free(m.seen);
	free(m.range);
	free(m.edge);
	bytes_free(&m.chunk);
	return ret;
}
