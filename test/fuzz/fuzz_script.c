/*
 * A search script: as a file it is refused, or walked to its end; the same for parts and maps of
 * fingerprints.
 * Behind hashes and checksums no mutation gets through: the columns of a block are fed by themselves, too.
 */
#include <string.h>

#include "fuzz.h"
#include "script/part.h"

#define LABELS 12u
#define STEPS (1u << 18)

static void walk(struct script *s)
{
	struct script_event e = {.kind = SCRIPT_ENTER};
	struct problem p = {.text = ""};
	u32 number[8];

	for (u32 i = 0; i < STEPS && e.kind != SCRIPT_END; i++) {
		if (script_next(s, &e, &p)) {
			fuzz_expect(p.text[0]);
			return;
		}
		u32 n = script_known(s, number, HD_ARRAY_LEN(number));
		for (u32 k = 0; k < n; k++)
			fuzz_expect(number[k] && number[k] <= s->model.states);
	}
	fuzz_accepted += e.kind == SCRIPT_END;
}

static bool drop(void *self, const u32 *word, u32 n)
{
	u64 *left = self;

	(void)word;
	*left -= HD_MIN(*left, (u64)n);
	return *left;
}

static void as_file(const u8 *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct part_result merged;
	struct script_part part;
	struct script s;
	struct problem p;
	u64 left = 4 << 20;
	const struct tape_sink sink = {drop, &left};
	char why[512], *maps[] = {(char *)path};

	if (script_open(&s, path, &p) == 0) {
		walk(&s);
		if (script_seek(&s, s.transitions / 2, &p) == 0)
			walk(&s);
		script_close(&s);
	}
	if (script_part_open(&part, path, &p) == 0) {
		script_part_feed(&part, &sink, &p);
		script_part_close(&part);
	}
	part_prints_merge(maps, 1, &merged, why, sizeof(why), &p);
}

/* A byte each: states, transitions, kind; the lengths of the columns; the columns. */
static void as_columns(const u8 *data, size_t size)
{
	struct script_label label[LABELS];
	struct script s = {.label = label, .labels = LABELS, .blocks = 1, .complete = true};
	size_t at = 3 + SCRIPT_COLUMNS;

	if (size < at)
		return;
	memset(label, 0, sizeof(label));
	for (u32 i = 0; i < LABELS; i++)
		label[i] = (struct script_label){.order = i / 3, .thread = i / 4};
	s.states = 1 + data[0];
	s.listed = s.transitions = s.block_end = data[1];
	s.trustful = data[2] & 1;
	s.reduced = data[2] & 2;
	if (model_init(&s.model, s.trustful) || !model_labels(&s.model, label, LABELS))
		return;
	for (u32 i = 0; i < SCRIPT_COLUMNS; i++) {
		size_t len = HD_MIN((size_t)data[3 + i], size - at);
		s.at[i] = (struct byte_cursor){data + at, data + at + len, false};
		at += len;
	}
	s.run = cursor_varint(&s.at[COLUMN_RUNS]);
	walk(&s);
	model_free(&s.model);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	as_file(data, size);
	as_columns(data, size);
	return 0;
}
