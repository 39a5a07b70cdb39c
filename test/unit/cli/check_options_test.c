/* Option values, the command line, scenario files, and which of the two wins. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cli/check_options.h"
#include "cli/values.h"
#include "parse_options.h"
#include "temporary.h"

static void test_numbers(void **state)
{
	u64 v = 77;

	assert_true(value_number("18446744073709551615", &v));
	assert_int_equal(v, UINT64_MAX);
	assert_false(value_number("18446744073709551616", &v));
	assert_false(value_number("", &v));
	assert_false(value_number("-1", &v));
	assert_false(value_number("1 ", &v));
	assert_int_equal(v, UINT64_MAX);
}

static void test_sizes(void **state)
{
	static const struct {
		const char *text;
		u64 bytes;
	} good[] = {{"0", 0},          {"512", 512},      {"4k", 4096},
		    {"1.5M", 3 << 19}, {"2G", 1UL << 31}, {"8GB", 1UL << 33}};
	static const char *const bad[] = {"", "k", "1.", ".5", "1.5.2M", "1Q", "99999999999G", "-1", "1 M"};
	u64 v;

	for (size_t i = 0; i < HD_ARRAY_LEN(good); i++) {
		assert_true(value_size(good[i].text, &v));
		assert_int_equal(v, good[i].bytes);
	}
	for (size_t i = 0; i < HD_ARRAY_LEN(bad); i++)
		assert_false(value_size(bad[i], &v));
}

static void test_times(void **state)
{
	static const struct {
		const char *text;
		u64 ms;
	} good[] = {{"90", 90000},  {"0.25", 250},     {"250ms", 250},
		    {"5m", 300000}, {"1.5h", 5400000}, {"3s", 3000}};
	u64 v;

	for (size_t i = 0; i < HD_ARRAY_LEN(good); i++) {
		assert_true(value_time_ms(good[i].text, &v));
		assert_int_equal(v, good[i].ms);
	}
	assert_false(value_time_ms("5d", &v));
	assert_false(value_time_ms("soon", &v));
}

static void test_defaults(void **state)
{
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "--", "./prog", "-x"), 0);
	assert_string_equal(o.argv[0], "./prog");
	assert_string_equal(o.argv[1], "-x");
	assert_string_equal(o.out, "heddle-out");
	assert_int_equal(o.config.search.strategy, SEARCH_DFS);
	assert_int_equal(o.config.hang_ms, 10000);
	assert_int_equal(o.config.check_deadlock, 1);
	assert_int_equal(o.config.search.max_runs, 0);
	check_options_free(&o);
}

static void test_all_forms(void **state)
{
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "--strategy=bfs", "--max-states", "10", "-k", "-oOUT", "--max-time",
			       "2m", "--spurious", "--no-deadlock", "--env", "A=1", "--env=B=2=3", "--format",
			       "html", "--format", "junit", "--format=html", "--sanity", "3", "./prog"),
			 0);
	assert_int_equal(o.config.search.strategy, SEARCH_BFS);
	assert_int_equal(o.config.search.max_states, 10);
	assert_true(o.config.search.keep_going);
	assert_string_equal(o.out, "OUT");
	assert_int_equal(o.config.search.max_time_ms, 120000);
	assert_int_equal(o.config.spurious, 1);
	assert_int_equal(o.config.check_deadlock, 0);
	assert_string_equal(o.extra[0], "A=1");
	assert_string_equal(o.extra[1], "B=2=3");
	assert_null(o.extra[2]);
	assert_int_equal(o.formats, 2);
	assert_int_equal(o.config.search.sanity, 3);
	assert_string_equal(o.setting[0], "--strategy=bfs");
	check_options_free(&o);
}

static void test_sampling_strategies_end(void **state)
{
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "--strategy", "random", "--", "x"), 0);
	assert_int_equal(o.config.search.max_runs, 1000);
	check_options_free(&o);
	assert_int_equal(PARSE(&o, &p, "--strategy", "pct", "--max-time", "1", "--", "x"), 0);
	assert_int_equal(o.config.search.max_runs, 0);
	check_options_free(&o);
}

static void test_errors(void **state)
{
	REFUSED("unknown option --foo", "--foo", "--", "x");
	REFUSED("unknown option -z", "-z", "--", "x");
	REFUSED("needs a value", "--max-states", "--", "x");
	REFUSED("needs a value", "--out");
	REFUSED("takes no value", "--spurious=1", "--", "x");
	REFUSED("ten is not a whole number", "--max-states", "ten", "--", "x");
	REFUSED("is not a size", "--max-memory", "big", "--", "x");
	REFUSED("is not a time", "--max-time", "5d", "--", "x");
	REFUSED("none of dfs", "--strategy", "best", "--", "x");
	REFUSED("from 0 to 3", "--sanity", "4", "--", "x");
	REFUSED("none of text", "--format", "pdf", "--", "x");
	REFUSED("NAME=VALUE", "--env", "FOO", "--", "x");
	REFUSED("no program", "--spurious", "--");
	REFUSED("No such file", "--stdin", "/nonexistent/input", "--", "x");
}

/* Options of features to come: refused. */
static void test_later_features(void **state)
{
	struct check_options o;
	struct problem p;

	REFUSED("neither auto nor a number of workers", "-j", "0", "--", "x");
	REFUSED("neither auto nor a number of workers", "-j", "65", "--", "x");
	REFUSED("neither auto nor a number of workers", "-j", "many", "--", "x");
	assert_int_equal(PARSE(&o, &p, "-j", "auto", "--", "x"), 0);
	assert_true(o.jobs >= 1 && o.join_ms > 0);
	check_options_free(&o);
	REFUSED("an expression is expected", "--invariant", " ", "--", "x");
	REFUSED("cannot be read", "--invariant-file", "/nowhere/at/all", "--", "x");
	assert_int_equal(PARSE(&o, &p, "--invariant", "a == b", "--step", "next(a) > a", "--", "x"), 0);
	assert_int_equal(o.properties->count, 2);
	assert_true(o.properties->property[1].step);
	check_options_free(&o);
	REFUSED("random and pct", "--script", "s", "--strategy", "pct", "--", "x");
	REFUSED("--no-matching", "--script", "s", "--no-matching", "--", "x");
	REFUSED("--max-depth", "--script", "s", "--max-depth", "9", "--", "x");
	REFUSED("neither full nor trustful", "--script-kind", "half", "--", "x");
	assert_int_equal(PARSE(&o, &p, "--script", "s", "--script-kind", "trustful", "--", "x"), 0);
	assert_string_equal(o.script, "s");
	assert_true(o.script_trustful);
	check_options_free(&o);
	assert_int_equal(PARSE(&o, &p, "-j4", "--", "x"), 0);
	assert_int_equal(o.jobs, 4);
	check_options_free(&o);
	assert_int_equal(PARSE(&o, &p, "-j1", "--por=off", "--races", "ignore", "--", "x"), 0);
	check_options_free(&o);
}

static const char *scenario(const char *text)
{
	return temporary_file("heddle.yaml", text, strlen(text));
}

static void test_scenario(void **state)
{
	const char *path = scenario("sut: [./phil, 5, 'two words']\n"
				    "strategy: {name: pct, seed: 7, depth: 4}\n"
				    "limits:\n  states: 100\n  time: 5m\n  memory: 1G\n"
				    "properties: {deadlock: no, exit-status: yes, hang-time: 2s}\n"
				    "env: {A: '1', B: x y}\n"
				    "format: [junit, html]\n"
				    "keep-going: yes\n"
				    "spurious: no\n");
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "-f", (char *)path), 0);
	assert_string_equal(o.argv[0], "./phil");
	assert_string_equal(o.argv[2], "two words");
	assert_null(o.argv[3]);
	assert_int_equal(o.config.search.strategy, SEARCH_PCT);
	assert_int_equal(o.config.search.seed, 7);
	assert_int_equal(o.config.search.pct_depth, 4);
	assert_int_equal(o.config.search.max_states, 100);
	assert_int_equal(o.config.search.max_time_ms, 300000);
	assert_int_equal(o.config.search.max_memory, 1 << 30);
	assert_int_equal(o.config.check_deadlock, 0);
	assert_int_equal(o.config.check_exit, 1);
	assert_int_equal(o.config.hang_ms, 2000);
	assert_string_equal(o.extra[1], "B=x y");
	assert_int_equal(o.formats, 2);
	assert_true(o.config.search.keep_going);
	assert_int_equal(o.config.spurious, 0);
	check_options_free(&o);
}

static void test_command_line_wins(void **state)
{
	const char *path = scenario("sut: ./phil 5 6\nlimits: {states: 100, depth: 9}\nout: there\n");
	struct check_options o;
	struct problem p;

	/* Wherever -f stands. */
	assert_int_equal(PARSE(&o, &p, "--max-states", "7", "-f", (char *)path, "--", "./other"), 0);
	assert_int_equal(o.config.search.max_states, 7);
	assert_int_equal(o.config.search.max_depth, 9);
	assert_string_equal(strrchr(o.out, '/'), "/there"); /* beside the scenario */
	assert_string_equal(o.argv[0], "./other");
	check_options_free(&o);
	assert_int_equal(PARSE(&o, &p, "-f", (char *)path), 0);
	assert_string_equal(o.argv[2], "6");
	check_options_free(&o);
}

static void test_scenario_errors(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"sut: x\nlimit:\n  states: 3\n", "heddle.yaml:2: unknown key limit"},
		{"sut: x\nlimits:\n  states: 3\n  sates: 4\n", "heddle.yaml:4: unknown key sates"},
		{"sut: x\n\nlimits: {states: many}\n", "heddle.yaml:3: --max-states: many is not"},
		{"sut: x\nspurious: maybe\n", "heddle.yaml:2: spurious: yes or no"},
		{"sut: x\nmax-states: [1, x]\n", "heddle.yaml:2:"},
		{"sut: {a: b}\n", "heddle.yaml:1: sut: a list"},
		{"sut: []\n", "heddle.yaml:1: sut: a list"},
		{"sut: ''\n", "heddle.yaml:1: sut: the program is missing"},
		{"sut: x\nlimits: 5\n", "heddle.yaml:2: limits: keys and values"},
		{"sut: x\nfile: other.yaml\n", "heddle.yaml:2: a scenario cannot include"},
		{"sut: x\nscript-kind: half\n",
		 "heddle.yaml:2: --script-kind: half is neither full nor trustful"},
		{"a: [1\n", "heddle.yaml:"},
		{"- a\n", "heddle.yaml:1: scenario: keys and values"},
		{"", "is empty"},
	};

	for (size_t i = 0; i < HD_ARRAY_LEN(cases); i++)
		REFUSED(cases[i].says, "-f", (char *)scenario(cases[i].text), "--", "x");
	REFUSED("cannot be read", "-f", "/nonexistent.yaml");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),         cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_times),           cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_all_forms),       cmocka_unit_test(test_sampling_strategies_end),
		cmocka_unit_test(test_errors),          cmocka_unit_test(test_later_features),
		cmocka_unit_test(test_scenario),        cmocka_unit_test(test_command_line_wins),
		cmocka_unit_test(test_scenario_errors),
	};

	return cmocka_run_group_tests(tests, temporary_make, temporary_remove);
}
