/*
 * The graphs of Figures 1 and 3 of "Search-carrying code" give the scripts and Subgraphs that are printed
 * there, and k = 3 the parts of Figures 5 and 6; of Figure 7, the trustful script, p1.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "script/part.h"
#include "script/writer.h"
#include "wire/action.h"

struct graph_edge {
	u32 from, label, to; /* label 1: t1 */
};

static const struct graph_edge figure1[] = {{1, 1, 2}, {1, 2, 4}, {2, 1, 1}, {2, 2, 3}, {3, 1, 1},
					    {3, 2, 4}, {3, 3, 5}, {4, 1, 2}, {5, 1, 4}};
static const struct graph_edge figure3[] = {{1, 1, 2}, {2, 1, 3}, {2, 2, 8}, {2, 3, 10}, {3, 1, 4}, {3, 3, 7},
					    {4, 1, 5}, {4, 2, 6}, {6, 1, 5}, {6, 2, 3},  {7, 1, 6}, {8, 1, 3},
					    {8, 2, 4}, {8, 3, 9}, {9, 1, 5}, {10, 1, 7}};

static const char *const path = "script_test.script";

struct toy {
	const struct graph_edge *edge;
	size_t edges;
	u32 number[16], states; /* of a state in the order of discovery; 0: not met */
	struct script_writer *to;
};

static void put(struct toy *t, u32 word)
{
	assert_true(script_writer_take(t->to, &word, 1));
}

static void search(struct toy *t, u32 state)
{
	u32 n = 0;

	t->number[state] = ++t->states;
	for (size_t i = 0; i < t->edges; i++)
		n += t->edge[i].from == state;
	put(t, TAPE_WORD(TAPE_ENTER, n));
	for (size_t i = 0; i < t->edges; i++)
		if (t->edge[i].from == state)
			put(t, t->edge[i].label - 1);
	for (size_t i = 0; i < t->edges; i++) {
		if (t->edge[i].from != state)
			continue;
		if (t->number[t->edge[i].to])
			put(t, TAPE_WORD(TAPE_KNOWN, t->number[t->edge[i].to]));
		else
			search(t, t->edge[i].to);
	}
	put(t, TAPE_WORD(TAPE_LEAVE, 0));
}

static void make(const struct graph_edge *edge, size_t edges, bool trustful, struct script *out)
{
	struct toy t = {.edge = edge, .edges = edges};
	struct script_sizes sizes;
	struct problem p;

	t.to = script_writer_new(path, trustful, &p);
	assert_non_null(t.to);
	put(&t, TAPE_WORD(TAPE_FACT, 0));
	put(&t, TAPE_WORD(TAPE_BEGIN, 0));
	for (u32 i = 0; i < 3; i++) {
		const u32 label[] = {TAPE_WORD(TAPE_LABEL, i), ACTION(i, 0), 1, 0, 0};
		assert_true(script_writer_take(t.to, label, HD_ARRAY_LEN(label)));
	}
	search(&t, 1);
	put(&t, TAPE_WORD(TAPE_END, 0));
	assert_int_equal(script_writer_end(t.to, json_object(), NULL, 0, &sizes, &p), 0);
	assert_int_equal(script_open(out, path, &p), 0);
}

/* As the paper prints it: transition and the state it leads to, B and the state gone back to. */
static void print(struct script *s, char *out, char *sizes)
{
	struct script_event e;
	struct problem p;
	u64 size[16] = {0};

	*out = *sizes = 0;
	assert_int_equal(script_rewind(s, &p), 0);
	do {
		assert_int_equal(script_next(s, &e, &p), 0);
		const struct model_frame *f = s->model.frames ? model_top(&s->model) : NULL;
		if (e.kind == SCRIPT_ENTER && s->model.frames > 1)
			sprintf(out + strlen(out), "t%u:S%u ", f->into + 1, e.number);
		else if (e.kind == SCRIPT_ENTER)
			strcat(out, "S1 ");
		else if (e.kind == SCRIPT_KNOWN)
			sprintf(out + strlen(out), "t%u:S%u B:S%u ",
				model_list_of(&s->model, f)[f->done - 1] + 1, e.number, f->number);
		else if (e.kind == SCRIPT_LEAVE && f)
			sprintf(out + strlen(out), "B:S%u ", f->number);
		if (e.kind == SCRIPT_LEAVE)
			size[e.number] = e.size;
	} while (e.kind != SCRIPT_END);
	for (u32 i = 1; i <= s->states; i++)
		sprintf(sizes + strlen(sizes), "%lu ", size[i]);
}

static void figure_1_gives_its_script(void **unused)
{
	struct script s;
	char text[2000], sizes[200];

	(void)unused;
	make(figure1, HD_ARRAY_LEN(figure1), false, &s);
	print(&s, text, sizes);
	assert_string_equal(
		text, "S1 t1:S2 t1:S1 B:S2 t2:S3 t1:S1 B:S3 t2:S4 t1:S2 B:S4 B:S3 t3:S5 t1:S4 B:S5 B:S3 "
		      "B:S2 B:S1 t2:S4 B:S1 ");
	assert_int_equal(s.transitions, 9);
	script_close(&s);
}

static void figure_3_gives_its_script_and_subgraphs(void **unused)
{
	struct script s;
	char text[2000], sizes[200];

	(void)unused;
	make(figure3, HD_ARRAY_LEN(figure3), false, &s);
	print(&s, text, sizes);
	assert_string_equal(
		text, "S1 t1:S2 t1:S3 t1:S4 t1:S5 B:S4 t2:S6 t1:S5 B:S6 t2:S3 B:S6 B:S4 B:S3 t3:S7 t1:S6 "
		      "B:S7 B:S3 B:S2 t2:S8 t1:S3 B:S8 t2:S4 B:S8 t3:S9 t1:S5 B:S9 B:S8 B:S2 t3:S10 "
		      "t1:S7 B:S10 B:S2 B:S1 ");
	assert_string_equal(sizes, "16 15 7 4 0 2 1 4 1 1 ");
	script_close(&s);
}

/* Figures 5 and 6: S4 with 4 transitions, S8 with 4, and what remains. */
static void greedy_partition_gives_the_parts_of_figure_6(void **unused)
{
	struct partition q;
	struct script s;
	struct problem p;

	(void)unused;
	make(figure3, HD_ARRAY_LEN(figure3), false, &s);
	assert_int_equal(partition_make(&q, &s, 3, true, &p), 0);
	assert_int_equal(q.part[0].root, 4);
	assert_int_equal(q.part[0].transitions, 4);
	assert_int_equal(q.part[0].interval[0].from, 3);
	assert_int_equal(q.part[1].root, 8);
	assert_int_equal(q.part[1].transitions, 4);
	assert_int_equal(q.part[2].root, 1);
	assert_int_equal(q.part[2].transitions, 8);
	assert_int_equal(q.part[2].intervals, 3);
	partition_free(&q);
	script_close(&s);
}

static void trustful_script_has_the_spanning_tree(void **unused)
{
	struct partition q;
	struct script s;
	struct problem p;

	(void)unused;
	make(figure3, HD_ARRAY_LEN(figure3), true, &s);
	assert_int_equal(s.transitions, 9);
	assert_int_equal(s.states, 10);
	assert_int_equal(partition_make(&q, &s, 3, true, &p), 0);
	assert_int_equal(q.part[0].root, 4); /* Figure 7, p1: S4, S5, S6 */
	assert_int_equal(q.part[0].transitions, 2);
	u64 all = 0;
	for (u32 i = 0; i < 3; i++)
		all += q.part[i].transitions;
	assert_int_equal(all, 9);
	partition_free(&q);
	script_close(&s);
}

static void parts_that_are_cut_anywhere_are_equal(void **unused)
{
	struct partition q;
	struct script s;
	struct problem p;

	(void)unused;
	make(figure3, HD_ARRAY_LEN(figure3), false, &s);
	assert_int_equal(partition_make(&q, &s, 4, false, &p), 0);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(q.part[i].transitions, 4);
	partition_free(&q);
	script_close(&s);
}

/* The map of a part: these states are done there, and these steps of theirs are steps of busy waiting. */
static void write_map(u32 number, const u32 *done, u32 n, const struct wire_busy_edge *edge, u32 edges,
		      const char *to)
{
	const u64 numbers = 4;
	struct part_result r = {.states = numbers - 1,
				.parts = 2,
				.number = number,
				.good = true,
				.busy = true,
				.busy_edges = edges,
				.verdict = "certified"};
	size_t bytes = WIRE_PRINTS_BYTES(numbers, edges);
	int fd = memfd_create("prints", MFD_CLOEXEC);
	struct problem p;
	u64 size;

	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	u8 *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	for (u32 i = 0; i < n; i++) {
		((struct fingerprint *)memory)[done[i]].lo = 100 + done[i];
		memory[numbers * sizeof(struct fingerprint) + done[i]] = 1;
	}
	memcpy(memory + WIRE_BUSY_AT(numbers), edge, edges * sizeof(*edge));
	assert_int_equal(part_prints_write(&r, fd, to, &size, &p), 0);
	munmap(memory, bytes);
	close(fd);
}

/* State 1 leads to 2; 2 and 3 wait for each other. A second transition of 3 would be no waiting. */
static u64 livelock_of(u32 transitions_of_3)
{
	char *maps[] = {"script_test.map1", "script_test.map2"}, why[200];
	const struct wire_busy_edge in_2 = {2, 1, 3}, in_3 = {3, transitions_of_3, 2};
	struct part_result merged;
	struct problem p;

	write_map(1, (const u32[]){1, 2}, 2, &in_2, 1, maps[0]);
	write_map(2, (const u32[]){3}, 1, &in_3, 1, maps[1]);
	assert_int_equal(part_prints_merge(maps, 2, &merged, why, sizeof(why), &p), 0);
	assert_int_equal(merged.good, !merged.livelock);
	unlink(maps[0]);
	unlink(maps[1]);
	return merged.livelock;
}

static void livelocks_show_when_all_parts_are_there(void **unused)
{
	(void)unused;
	assert_int_equal(livelock_of(1), 2);
	assert_int_equal(livelock_of(2), 0);
}

/* Of 300000 states: those in [from, to] are done, and `seen` was met, with this fingerprint. */
static void write_large_map(u32 number, u32 from, u32 to, u32 seen, u64 print, const char *name)
{
	const u64 numbers = 300001;
	struct part_result r = {
		.states = numbers - 1, .parts = 2, .number = number, .good = true, .verdict = "certified"};
	size_t bytes = WIRE_PRINTS_BYTES(numbers, 0);
	int fd = memfd_create("prints", MFD_CLOEXEC);
	struct problem p;
	u64 size;

	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	u8 *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	struct fingerprint *fp = (struct fingerprint *)memory;
	for (u32 i = from; i <= to; i++) {
		fp[i].hi = 100 + i;
		memory[numbers * sizeof(*fp) + i] = 1;
	}
	fp[seen].hi = print;
	assert_int_equal(part_prints_write(&r, fd, name, &size, &p), 0);
	munmap(memory, bytes);
	close(fd);
}

/* What the merge says; "": the parts are the whole. */
static const char *merge_of(u32 from, u32 seen, u64 print)
{
	char *maps[] = {"script_test.map1", "script_test.map2"};
	static char why[200];
	struct part_result merged;
	struct problem p;

	write_large_map(1, 1, 100000, seen, print, maps[0]);
	write_large_map(2, from, 300000, 1, 101, maps[1]);
	assert_int_equal(part_prints_merge(maps, 2, &merged, why, sizeof(why), &p), 0);
	assert_int_equal(merged.good, !why[0]);
	unlink(maps[0]);
	unlink(maps[1]);
	return why;
}

/* Several chunks, and holes between the numbers of a part. */
static void large_maps_are_compared(void **unused)
{
	(void)unused;
	assert_string_equal(merge_of(100001, 250000, 250100), "");
	assert_string_equal(merge_of(100001, 250000, 250101),
			    "two parts give the same number to different states");
	assert_string_equal(merge_of(100000, 250000, 250100), "two parts have the same transitions");
	assert_string_equal(merge_of(100002, 250000, 250100), "states are missing: a part is");
	assert_string_equal(merge_of(100002, 100001, 100101), "transitions are missing: a part is");
}

static void damaged_maps_are_refused(void **unused)
{
	char *maps[] = {"script_test.map1"}, why[200];
	struct part_result merged;
	struct problem p;

	(void)unused;
	write_large_map(1, 1, 300000, 1, 101, maps[0]);
	int fd = open(maps[0], O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "\x7f", 1, 3 << 20), 1);
	close(fd);
	assert_int_equal(part_prints_merge(maps, 1, &merged, why, sizeof(why), &p), -1);
	assert_non_null(strstr(p.text, "is damaged"));
	unlink(maps[0]);
}

/* The tape comes from the program's process, which may have written over it. */
static void words_before_the_beginning_are_refused(void **unused)
{
	const u32 label[] = {TAPE_WORD(TAPE_LABEL, 0), ACTION(0, 0), 1, 0, 0};
	const u32 state[] = {TAPE_WORD(TAPE_ENTER, 0)}, known[] = {TAPE_WORD(TAPE_KNOWN, 1)};
	const struct {
		const u32 *word;
		u32 n;
	} first[] = {{label, HD_ARRAY_LEN(label)}, {state, 1}, {known, 1}};
	struct script_sizes sizes;
	struct problem p;

	(void)unused;
	for (size_t i = 0; i < HD_ARRAY_LEN(first); i++) {
		struct script_writer *w = script_writer_new(path, false, &p);
		assert_non_null(w);
		assert_false(script_writer_take(w, first[i].word, first[i].n));
		assert_int_equal(script_writer_end(w, json_object(), NULL, 0, &sizes, &p), -1);
		assert_non_null(strstr(p.text, "makes no sense"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_1_gives_its_script),
		cmocka_unit_test(figure_3_gives_its_script_and_subgraphs),
		cmocka_unit_test(greedy_partition_gives_the_parts_of_figure_6),
		cmocka_unit_test(trustful_script_has_the_spanning_tree),
		cmocka_unit_test(parts_that_are_cut_anywhere_are_equal),
		cmocka_unit_test(livelocks_show_when_all_parts_are_there),
		cmocka_unit_test(large_maps_are_compared),
		cmocka_unit_test(damaged_maps_are_refused),
		cmocka_unit_test(words_before_the_beginning_are_refused),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	unlink(path);
	return failed;
}
