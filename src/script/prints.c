/*
 * Maps of fingerprints, and their comparison.
 *
 * A state is covered if all its transitions were made: by one part, or in pieces by several, which have to
 * agree on how many there are, and neither overlap nor leave a gap. Every number that occurs anywhere has to
 * be covered, and to have one fingerprint everywhere.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "script/part.h"

#define ENTRY 17u /* bytes: fingerprint, and whether all transitions were made */

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

/* Numbers ascend: each as the distance to the one before, then its entry. */
static void pack_prints(struct byte_buffer *b, const struct fingerprint *fp, const u8 *cover, u64 numbers)
{
	u64 last = 0;

	for (u64 i = 1; i < numbers; i++) {
		if (!(fp[i].lo | fp[i].hi))
			continue;
		bytes_varint(b, i - last);
		bytes_add(b, &fp[i], sizeof(fp[i]));
		bytes_put(b, cover[i]);
		last = i;
	}
}

int part_prints_write(const struct part_result *r, int prints, const char *path, u64 *bytes,
		      struct problem *p)
{
	u64 numbers = r->states + 1, bytes_of_file = WIRE_PRINTS_BYTES(numbers, r->busy_edges);
	struct stat st;

	/* The counts come from the program's process. */
	if (r->ranges > WIRE_MAX_RANGES || r->busy_edges > WIRE_MAX_BUSY_EDGES || fstat(prints, &st) ||
	    (u64)st.st_size < bytes_of_file)
		return problem_set(p, "the record of a part makes no sense: the program wrote over it");
	u8 *memory = mmap(NULL, bytes_of_file, PROT_READ, MAP_SHARED, prints, 0);
	struct container_out file;
	struct byte_buffer b = {0};
	json_t *index, *entries, *ranges, *edges;

	if (memory == MAP_FAILED)
		return problem_set(p, "the fingerprints cannot be mapped");
	if (container_create(&file, path, p)) {
		munmap(memory, bytes_of_file);
		return -1;
	}
	const u8 *cover = memory + numbers * sizeof(struct fingerprint);
	file.level = 1;
	pack_prints(&b, (const struct fingerprint *)memory, cover, numbers);
	entries = b.failed ? NULL : container_add(&file, b.data, b.len, p);
	ranges = container_add(&file, cover + HD_ROUND_UP(numbers, 16),
			       r->ranges * sizeof(struct wire_range_made), p);
	edges = container_add(&file, memory + WIRE_BUSY_AT(numbers),
			      r->busy_edges * sizeof(struct wire_busy_edge), p);
	bytes_free(&b);
	munmap(memory, bytes_of_file);
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
	char *why;
	size_t cap;
};

static bool wrong(struct merge *m, const char *what)
{
	if (!m->why[0])
		snprintf(m->why, m->cap, "%s", what);
	return false;
}

static bool take_entries(struct merge *m, const struct byte_buffer *b)
{
	struct byte_cursor c = {b->data, b->data + b->len, false};
	u64 number = 0;

	while (c.at < c.end) {
		struct fingerprint fp;
		u64 step = cursor_varint(&c);
		if (c.bad || !step || step > m->out->states - number || (size_t)(c.end - c.at) < ENTRY)
			return wrong(m, "a map of fingerprints is damaged");
		number += step;
		memcpy(&fp, c.at, sizeof(fp));
		struct fingerprint *there = &m->fp[number];
		if (!(there->lo | there->hi))
			*there = fp;
		else if (there->lo != fp.lo || there->hi != fp.hi)
			return wrong(m, "two parts give the same number to different states");
		if (c.at[ENTRY - 1] && m->cover[number]++)
			return wrong(m, "two parts have the same transitions");
		c.at += ENTRY;
	}
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
static bool has_no_livelock(struct merge *m)
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

static bool begin(struct merge *m, const struct part_result *first)
{
	*m->out = *first;
	m->out->good = false;
	m->out->transitions = 0;
	m->fp = calloc(first->states + 1, sizeof(*m->fp));
	m->cover = calloc(first->states + 1, 1);
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
static int take_map(struct merge *m, const char *path, bool first, struct problem *p)
{
	struct container_in in;
	struct part_result r;
	struct byte_buffer entries = {0}, ranges = {0}, edges = {0};
	int ret = 0;

	if (container_open(&in, path, PRINTS_MAGIC, PRINTS_VERSION, p))
		return -1;
	if (!load_head(in.index, &r))
		ret = problem_set(p, "%s is damaged (its index)", path);
	else if (container_read(&in, json_object_get(in.index, "entries"), &entries, p) ||
		 container_read(&in, json_object_get(in.index, "ranges"), &ranges, p) ||
		 container_read(&in, json_object_get(in.index, "busy_edges"), &edges, p))
		ret = -1;
	else if ((!first || begin(m, &r)) && is_one_of(m, &r) && take_entries(m, &entries) &&
		 take_ranges(m, &ranges))
		take_edges(m, &edges);
	bytes_free(&edges);
	bytes_free(&entries);
	bytes_free(&ranges);
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
	return ret;
}
