/* Traces: what is written is read back; what is damaged is refused, never believed and never a crash. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "report/trace.h"
#include "report/trees_file.h"
#include "temporary.h"
#include "trees_world.h"
#include "wire/op_kinds.h"

static char *copy(const char *s)
{
	char *c = strdup(s);

	assert_non_null(c);
	return c;
}

static void add_line(struct execution_log *s, u32 kind, u32 thread, u64 step, const char *text)
{
	struct frame frames[2] = {{.pc = 0x1000,
				   .function = "inner",
				   .file = "a.c",
				   .line = 7,
				   .module = "prog",
				   .offset = 0x10},
				  {.pc = 0x2000, .function = "main", .module = "prog", .offset = 0x20}};
	struct log_entry l = {.kind = kind,
			      .thread = thread,
			      .step = step,
			      .op = OP_MUTEX_LOCK,
			      .alt = ALT_TIMEOUT,
			      .name = "worker",
			      .text = (char *)text,
			      .frame = frames,
			      .frames = 2};

	assert_true(execution_log_add(s, &l));
}

static void fill(struct trace *t)
{
	static const u32 actions[] = {ACTION(0, 0), ACTION(1, 0), ACTION(1, 0), ACTION(2, ALT_TIMEOUT),
				      ACTION(0, 3)};

	memset(t, 0, sizeof(*t));
	t->argv = calloc(3, sizeof(char *));
	t->argv[0] = copy("./prog");
	t->argv[1] = copy("an argument \"with\" quotes");
	t->extra = calloc(2, sizeof(char *));
	t->extra[0] = copy("A=b");
	strcpy(t->program.path, "/somewhere/prog");
	strcpy(t->program.identity, "abcdef");
	strcpy(t->cwd, "/somewhere");
	t->environment = 0xfedcba9876543210;
	t->config = (struct wire_config){.hang_ms = 10000,
					 .random_seed = UINT64_MAX,
					 .heap_limit = 1 << 30,
					 .spurious = 1,
					 .check_deadlock = 1,
					 .time_horizon_ms = 5000};
	t->config.search.seed = 99;
	strcpy(t->config.stdin_path, "/somewhere/input");
	t->config.net = (struct net_config){
		.mode = CACHE_LINEAR, .clients = 2, .identical_clients = 1, .client_port = {0, 65535}};
	t->learnt = calloc(1, sizeof(*t->learnt));
	t->learnt->names = 3;
	t->learnt->name[1] = WIRE_NAME(0, 0);
	t->learnt->name[2] = WIRE_NAME(1, 4);
	t->learnt->observed = 2;
	t->learnt->observed_addr[1] = 0xffffffffffffff00;
	t->learnt->clock_read = 1;
	t->learnt->fair = 1;
	t->violation.path = malloc(sizeof(actions));
	memcpy(t->violation.path, actions, sizeof(actions));
	t->violation.found.path_len = HD_ARRAY_LEN(actions);
	t->violation.found.kind = VIOLATION_DEADLOCK;
	assert_true(violation_describe(&t->violation, 2, "no thread can go on \xff", "a.c:7"));
	add_line(&t->log, WIRE_EV_STEP, 1, 0, "lock mutex m");
	add_line(&t->log, WIRE_EV_OUTPUT, 1, 0, "bell \a and more");
	add_line(&t->log, WIRE_EV_FIBER, 2, 4, "waits");
	add_line(&t->log, WIRE_EV_VIOLATION, 2, 4, "deadlock");
}

static void test_actions(void **state)
{
	static const u32 path[] = {ACTION(0, 0), ACTION(0, 0), ACTION(0, 0), ACTION(3, 1),
				   ACTION(255, ALT_TIMEOUT)};
	char *text = trace_actions_text(path, HD_ARRAY_LEN(path));
	u64 len;
	u32 *back;

	assert_string_equal(text, "0*3 3.1 255.65535");
	back = trace_actions_parse(text, &len);
	assert_int_equal(len, HD_ARRAY_LEN(path));
	assert_memory_equal(back, path, sizeof(path));
	free(back);
	free(text);
	back = trace_actions_parse("", &len);
	assert_non_null(back);
	assert_int_equal(len, 0);
	free(back);
}

static void test_bad_actions(void **state)
{
	static const char *const bad[] = {" ",
					  "1 ",
					  " 1",
					  "1  2",
					  "x",
					  "9999",
					  "1.65536",
					  "1.",
					  "1*",
					  "-1",
					  "1*999999999999",
					  "1*134217727 1*134217727",
					  "1,2",
					  "1\n"};
	u64 len;

	for (size_t i = 0; i < HD_ARRAY_LEN(bad); i++)
		if (trace_actions_parse(bad[i], &len))
			fail_msg("\"%s\" was accepted", bad[i]);
}

static void test_round_trip(void **state)
{
	const char *path = temporary_path("good.trace");
	struct trace a, b;
	struct problem p;

	fill(&a);
	assert_int_equal(trace_save(&a, path, &p), 0);
	assert_int_equal(trace_load(&b, path, &p), 0);
	assert_string_equal(b.argv[1], a.argv[1]);
	assert_null(b.argv[2]);
	assert_string_equal(b.extra[0], "A=b");
	assert_string_equal(b.program.path, a.program.path);
	assert_string_equal(b.program.identity, a.program.identity);
	assert_string_equal(b.cwd, a.cwd);
	assert_int_equal(b.environment, a.environment);
	assert_memory_equal(&b.config, &a.config, sizeof(a.config));
	assert_memory_equal(b.learnt, a.learnt, sizeof(*a.learnt));
	assert_memory_equal(b.violation.path, a.violation.path, a.violation.found.path_len * sizeof(u32));
	assert_int_equal(b.violation.found.kind, VIOLATION_DEADLOCK);
	assert_int_equal(b.violation.thread, 2);
	assert_string_equal(b.violation.message, "no thread can go on \xef\xbf\xbd");
	assert_string_equal(b.violation.where, "a.c:7");
	trace_free(&a);
	trace_free(&b);
}

static void test_log_round_trip(void **state)
{
	const char *path = temporary_path("story.trace");
	struct trace a, b;
	struct problem p;
	const struct log_entry *l;

	fill(&a);
	assert_int_equal(trace_save(&a, path, &p), 0);
	assert_int_equal(trace_load(&b, path, &p), 0);
	assert_int_equal(b.log.lines, 2);
	assert_int_equal(b.log.fibers, 1);
	l = &b.log.line[0];
	assert_string_equal(l->text, "lock mutex m");
	assert_string_equal(l->name, "worker");
	assert_int_equal(l->op, OP_MUTEX_LOCK);
	assert_int_equal(l->alt, ALT_TIMEOUT);
	assert_int_equal(l->frames, 2);
	assert_string_equal(l->frame[0].function, "inner");
	assert_int_equal(l->frame[0].line, 7);
	assert_string_equal(l->frame[1].function, "main");
	assert_string_equal(b.log.line[1].text, "bell \a and more");
	assert_string_equal(b.log.violation.text, "deadlock");
	trace_free(&a);
	trace_free(&b);
}

static void fill_trees(struct trace *t)
{
	struct trees *world = world_example();
	struct trees_blob b;

	assert_int_equal(trees_blob_copy(world, TREES_SIZE, &b), 0);
	t->trees = b.memory;
	t->trees_len = b.len;
	world_free(world);
}

static void test_trees_round_trip(void **state)
{
	const char *path = temporary_path("net.trace");
	struct trace a, b;
	struct problem p;

	fill(&a);
	assert_int_equal(trace_save(&a, path, &p), 0);
	assert_int_equal(trace_load(&b, path, &p), 0);
	assert_null(b.trees);
	trace_free(&b);
	fill_trees(&a);
	assert_int_equal(trace_save(&a, path, &p), 0);
	assert_int_equal(trace_load(&b, path, &p), 0);
	assert_int_equal(b.trees_len, a.trees_len);
	assert_memory_equal(b.trees, a.trees, a.trees_len);
	trace_free(&a);
	trace_free(&b);
}

/* A trace of 10^5 steps keeps its end. */
static void test_long_story(void **state)
{
	struct execution_log s = {0};
	char text[32];

	for (u64 i = 0; i < 3 * EXECUTION_LOG_ENTRIES + 5; i++) {
		snprintf(text, sizeof(text), "%lu", i);
		add_line(&s, WIRE_EV_STEP, 1, i, text);
	}
	assert_true(s.lines >= EXECUTION_LOG_ENTRIES && s.lines <= 2 * EXECUTION_LOG_ENTRIES);
	assert_int_equal(s.omitted + s.lines, 3 * EXECUTION_LOG_ENTRIES + 5);
	assert_int_equal(s.line[0].step, s.omitted);
	assert_string_equal(s.line[s.lines - 1].text, text);
	execution_log_free(&s);
}

/* Refused with a sentence that names the file; a mutation may also leave it valid. */
static bool load_bytes(const char *bytes, size_t n)
{
	const char *path = temporary_file("mutant.trace", bytes, n);
	struct problem p = {""};
	struct trace t;

	if (trace_load(&t, path, &p) == 0) {
		trace_free(&t);
		return true;
	}
	assert_non_null(strstr(p.text, "mutant.trace"));
	return false;
}

static void test_truncated(void **state)
{
	struct trace t;
	struct problem p;
	size_t n;
	char *bytes;

	fill(&t);
	assert_int_equal(trace_save(&t, temporary_path("t.trace"), &p), 0);
	trace_free(&t);
	bytes = temporary_read(temporary_path("t.trace"), &n);
	assert_true(load_bytes(bytes, n));
	for (size_t i = 0; i < n - 2; i += 13)
		assert_false(load_bytes(bytes, i));
	free(bytes);
}

static void test_mutated(void **state)
{
	struct trace t;
	struct problem p;
	size_t n, tried = 0, refused = 0;
	char *bytes;

	fill(&t);
	assert_int_equal(trace_save(&t, temporary_path("t.trace"), &p), 0);
	trace_free(&t);
	bytes = temporary_read(temporary_path("t.trace"), &n);
	for (size_t i = 0; i < n; i += 7, tried++) {
		char was = bytes[i];

		bytes[i] = was >= '0' && was <= '9' ? '-' : '9';
		refused += !load_bytes(bytes, n);
		bytes[i] = was;
	}
	/* Inside texts a changed byte is just another text. */
	assert_true(refused > tried / 4);
	free(bytes);
}

static void replace_and_refuse(const char *bytes, const char *old, const char *new)
{
	const char *at = strstr(bytes, old);
	char *changed;

	assert_non_null(at);
	changed = malloc(strlen(bytes) + strlen(new) + 1);
	memcpy(changed, bytes, (size_t)(at - bytes));
	strcpy(changed + (at - bytes), new);
	strcat(changed, at + strlen(old));
	if (load_bytes(changed, strlen(changed)))
		fail_msg("accepted with %s", new);
	free(changed);
}

static void test_senseless(void **state)
{
	struct trace t;
	struct problem p;
	size_t n;
	char *bytes;

	fill(&t);
	fill_trees(&t);
	assert_int_equal(trace_save(&t, temporary_path("t.trace"), &p), 0);
	trace_free(&t);
	bytes = temporary_read(temporary_path("t.trace"), &n);
	replace_and_refuse(bytes, "\"trees\": \"", "\"trees\": \"AAAA");
	replace_and_refuse(bytes, "\"trees\": \"", "\"trees\": [], \"t\": \"");
	replace_and_refuse(bytes, "\"mode\": 1", "\"mode\": 3");
	replace_and_refuse(bytes, "65535", "65536");
	replace_and_refuse(bytes, "\"heddle_trace\": 1", "\"heddle_trace\": 2");
	replace_and_refuse(bytes, "\"length\": 5", "\"length\": 6");
	replace_and_refuse(bytes, "\"heap_limit\": 1073741824", "\"heap_limit\": -1");
	replace_and_refuse(bytes, "\"program\"", "\"programm\"");
	replace_and_refuse(bytes, "\"story\"", "\"history\"");
	replace_and_refuse(bytes, "\"learnt\"", "\"learned\"");
	free(bytes);
}

static void test_missing(void **state)
{
	struct trace t;
	struct problem p;

	assert_int_equal(trace_load(&t, "/nonexistent.trace", &p), -1);
	assert_non_null(strstr(p.text, "/nonexistent.trace"));
	assert_int_equal(trace_load(&t, temporary_dir, &p), -1);
	assert_int_equal(trace_load(&t, temporary_file("j", "[1]", 3), &p), -1);
	assert_non_null(strstr(p.text, "not a heddle trace"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_actions),          cmocka_unit_test(test_bad_actions),
		cmocka_unit_test(test_round_trip),       cmocka_unit_test(test_log_round_trip),
		cmocka_unit_test(test_trees_round_trip), cmocka_unit_test(test_long_story),
		cmocka_unit_test(test_truncated),        cmocka_unit_test(test_mutated),
		cmocka_unit_test(test_senseless),        cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, temporary_make, temporary_remove);
}
