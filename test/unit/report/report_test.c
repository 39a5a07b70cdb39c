/* Verdicts, reasons, report files; symbols and stories from a real process (fake_guest.c under fake_rt.c). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "report/file.h"
#include "report/formats.h"
#include "report/json.h"
#include "report/plain_text.h"
#include "temporary.h"
#include "trees_world.h"

static struct outcome *outcome_new(enum search_end end)
{
	static char *argv[] = {"./prog", "<&\">", NULL};
	struct outcome *o = calloc(1, sizeof(*o));

	o->argv = argv;
	o->end = end;
	o->stats.states = 12345;
	o->stats.transitions = 23456;
	o->cpu_s = 0.5;
	o->initial = (struct fingerprint){0x1, 0xab};
	return o;
}

static void add_violation(struct outcome *o)
{
	struct trace *t;
	struct frame f = {.function = "main", .file = "dir/a.c", .line = 14};
	struct log_entry step = {
		.kind = WIRE_EV_STEP, .thread = 1, .text = "lock <m>", .frame = &f, .frames = 1};
	struct log_entry failed = {.kind = WIRE_EV_VIOLATION,
				   .thread = 2,
				   .name = "w",
				   .text = "x & y",
				   .frame = &f,
				   .frames = 1};

	o->trace = calloc(2, sizeof(*o->trace));
	t = &o->trace[0];
	t->violation.found.kind = VIOLATION_ASSERT;
	assert_true(violation_describe(&t->violation, 2, "x & y", "a.c:14"));
	t->violation.found.path_len = 1;
	assert_true(execution_log_add(&t->log, &step));
	assert_true(execution_log_add(&t->log, &failed));
	strcpy(o->trace[0].name, "violation-1.trace");
	o->violations = 1;
}

static void add_refused(struct outcome *o)
{
	strcpy(o->refused[0].call, "fork");
	strcpy(o->refused[0].where, "a.c:3");
	o->refused[0].count = 4;
	o->refused_count = 1;
}

static void done(struct outcome *o)
{
	outcome_free(o);
	free(o);
}

/* Every way a search can end, and what counts more: docs/VERDICTS.md. */
static void test_verdicts(void **state)
{
	struct outcome *o;

	for (enum search_end end = SEARCH_COMPLETE; end <= SEARCH_INTERRUPTED; end++) {
		o = outcome_new(end);
		assert_int_equal(outcome_verdict(o),
				 end == SEARCH_COMPLETE ? VERDICT_VERIFIED : VERDICT_BOUNDED);
		assert_int_equal(verdict_exit_code(outcome_verdict(o)), end == SEARCH_COMPLETE ? 0 : 3);
		add_refused(o);
		assert_int_equal(outcome_verdict(o), VERDICT_INCOMPLETE);
		assert_int_equal(verdict_exit_code(VERDICT_INCOMPLETE), 3);
		add_violation(o);
		assert_int_equal(outcome_verdict(o), VERDICT_VIOLATION);
		assert_int_equal(verdict_exit_code(VERDICT_VIOLATION), 1);
		done(o);
	}
}

static void test_never_verified(void **state)
{
	struct outcome *o = outcome_new(SEARCH_COMPLETE);

	o->horizon_hit = true;
	assert_int_equal(outcome_verdict(o), VERDICT_BOUNDED);
	o->horizon_hit = false;
	o->interrupted = true;
	assert_int_equal(outcome_verdict(o), VERDICT_BOUNDED);
	o->interrupted = false;
	o->unconfirmed = 1;
	assert_int_equal(outcome_verdict(o), VERDICT_INCOMPLETE);
	done(o);
}

static void reason_says(struct outcome *o, const char *text)
{
	char reason[2048];

	outcome_reason(o, reason, sizeof(reason));
	if (!strstr(reason, text))
		fail_msg("\"%s\" does not say \"%s\"", reason, text);
}

static void test_reasons(void **state)
{
	struct outcome *o = outcome_new(SEARCH_LIMIT_TIME);

	o->options.max_time_ms = 1500;
	reason_says(o, "1.5 s");
	add_refused(o);
	reason_says(o, "fork at a.c:3");
	add_violation(o);
	reason_says(o, "assert at a.c:14");
	done(o);
	o = outcome_new(SEARCH_LIMIT_STATES);
	o->options.max_states = 100;
	reason_says(o, "100 states");
	done(o);
}

static void test_result_json(void **state)
{
	struct outcome *o = outcome_new(SEARCH_COMPLETE);
	struct problem p;
	const char *verdict, *kind, *where, *trace, *call, *granularity, *initial;
	json_int_t version, states, thread, count, outcome;
	json_t *j;

	add_violation(o);
	add_refused(o);
	o->outcome[0] = -5;
	o->outcomes = 1;
	assert_int_equal(result_json_write(o, temporary_dir, &p), 0);
	j = json_load_file(temporary_path("result.json"), 0, NULL);
	assert_non_null(j);
	assert_int_equal(json_unpack(j,
				     "{s:I, s:s, s:I, s:[{s:s, s:I, s:s, s:s}], s:[{s:s, s:I}], s:s, s:s, "
				     "s:[I], s:{}, s:{}}",
				     "version", &version, "verdict", &verdict, "states", &states,
				     "violations", "kind", &kind, "thread", &thread, "where", &where, "trace",
				     &trace, "refused", "call", &call, "count", &count, "granularity",
				     &granularity, "initial_fingerprint", &initial, "outcomes", &outcome,
				     "cache", "checkpoints"),
			 0);
	assert_int_equal(version, 1);
	assert_string_equal(verdict, "violation");
	assert_int_equal(states, 12345);
	assert_string_equal(kind, "assert");
	assert_int_equal(thread, 2);
	assert_string_equal(where, "a.c:14");
	assert_string_equal(trace, "violation-1.trace");
	assert_string_equal(call, "fork");
	assert_int_equal(count, 4);
	assert_string_equal(granularity, "sync");
	assert_string_equal(initial, "00000000000000ab0000000000000001");
	assert_int_equal(outcome, -5);
	json_decref(j);
	done(o);
}

static char *written(const char *format, struct outcome *o)
{
	const struct format *f = format_by_name(format);
	struct problem p;
	size_t n;

	assert_non_null(f);
	assert_int_equal(format_write(f, o, temporary_dir, &p), 0);
	return temporary_read(temporary_path(f->file), &n);
}

static void test_formats(void **state)
{
	struct outcome *o = outcome_new(SEARCH_VIOLATION);
	char *text;

	add_violation(o);
	text = written("junit", o);
	assert_non_null(strstr(text, "tests=\"1\" failures=\"1\""));
	assert_non_null(strstr(text, "message=\"x &amp; y\""));
	assert_non_null(strstr(text, "./prog &lt;&amp;&quot;&gt;"));
	assert_null(strstr(text, "lock <m>"));
	free(text);
	text = written("html", o);
	assert_non_null(strstr(text, "lock &lt;m&gt;"));
	assert_null(strstr(text, "<m>"));
	free(text);
	text = written("text", o);
	assert_non_null(strstr(text, "assert in thread 2 (w) at a.c:14"));
	assert_non_null(strstr(text, "12 345 states"));
	free(text);
	done(o);
}

/* What a refused call returns is not what it returns natively: a violation behind one is told, but none. */
static void test_violation_after_refused_call(void **state)
{
	struct outcome *o = outcome_new(SEARCH_COMPLETE);
	add_refused(o);
	strcpy(o->doubtful, "deadlock at a.c:9 (everybody waits)");
	strcpy(o->doubtful_call, "fork at a.c:3");
	assert_int_equal(outcome_verdict(o), VERDICT_INCOMPLETE);
	char *text = written("text", o);
	const char *call = strstr(text, "fork at a.c:3"), *violation = strstr(text, "deadlock at a.c:9");
	assert_non_null(call);
	assert_non_null(violation);
	assert_true(call < violation); /* the cause of the doubt first */
	free(text);
	done(o);
}

/* A search with peers that left the trees of trees_world.h. */
static void add_network(struct outcome *o, bool live)
{
	const struct net_config config = {.mode = CACHE_LINEAR, .live = live};
	struct trees *t = world_example();

	trees_stats(t)->hits = 1234;
	trees_stats(t)->misses = 1;
	trees_stats(t)->connections = 2;
	trees_stats(t)->bytes_sent = 40;
	trees_stats(t)->bytes_replayed = 5;
	trees_stats(t)->bytes_received = 77;
	trees_stats(t)->polls = 6;
	trees_stats(t)->longest = 7;
	assert_int_equal(outcome_set_net(o, t, TREES_SIZE, &config), 0);
	world_free(t);
}

static void test_network_figures(void **state)
{
	struct outcome *o = outcome_new(SEARCH_COMPLETE);
	const char *mode;
	json_int_t hits, replayed, received, polls, longest, timed, guessed;
	struct problem p;
	json_t *j;
	int live;

	add_network(o, true);
	assert_int_equal(outcome_verdict(o), VERDICT_VERIFIED);
	assert_int_equal(result_json_write(o, temporary_dir, &p), 0);
	j = json_load_file(temporary_path("result.json"), 0, NULL);
	assert_int_equal(json_unpack(j, "{s:{s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I}}", "cache", "mode",
				     &mode, "live", &live, "hits", &hits, "bytes_replayed", &replayed,
				     "bytes_received", &received, "polls", &polls, "longest", &longest,
				     "timed", &timed, "guessed", &guessed),
			 0);
	assert_string_equal(mode, "linear");
	assert_true(live);
	assert_int_equal(hits, 1234);
	assert_int_equal(replayed, 5);
	assert_int_equal(received, 77);
	assert_int_equal(polls, 6);
	assert_int_equal(longest, 7);
	assert_int_equal(timed, 1);
	assert_int_equal(guessed, 0);
	json_decref(j);
	done(o);
}

static void test_network_in_words(void **state)
{
	struct outcome *o = outcome_new(SEARCH_COMPLETE);
	char *text = written("text", o);

	assert_null(strstr(text, "cache:"));
	assert_null(strstr(text, "peers"));
	free(text);
	add_network(o, true);
	text = written("text", o);
	assert_non_null(strstr(text, "  cache: linear, 1 234 hits, 1 miss, 2 connections\n"));
	assert_non_null(strstr(text, "sent 40 bytes (5 bytes of them again), received 77 bytes, 2 trees"));
	assert_non_null(strstr(text, "note: after 1 answer a peer waited with a time-out"));
	assert_non_null(strstr(text, "peers: relative to what the peers were seen to answer"));
	free(text);
	text = written("html", o);
	assert_non_null(strstr(text, "client 2 of port 9000"));
	assert_non_null(strstr(text, "→ &quot;GET /&quot;"));
	free(text);
	outcome_forget(o);
	assert_null(o->net.trees.memory);
	add_network(o, false);
	text = written("text", o);
	assert_non_null(strstr(text, "cache: linear, recorded trees, 1 234 hits"));
	assert_non_null(strstr(text, "relative to the recorded trees"));
	free(text);
	done(o);
}

/* What the network was not followed to, nobody may call verified. */
static void test_network_incomplete(void **state)
{
	struct outcome *o = outcome_new(SEARCH_COMPLETE);
	char *text;

	strcpy(o->incomplete_why, "The connection to 127.0.0.1:80 diverged. Try --cache branching.\n");
	assert_int_equal(outcome_verdict(o), VERDICT_INCOMPLETE);
	text = written("text", o);
	assert_non_null(strstr(
		text, "incomplete): The connection to 127.0.0.1:80 diverged. Try --cache branching.\n"));
	free(text);
	outcome_forget(o);
	assert_int_equal(outcome_verdict(o), VERDICT_VERIFIED);
	o->net.guessed = 3;
	assert_int_equal(outcome_verdict(o), VERDICT_INCOMPLETE);
	reason_says(o, "the end of 3 answers was guessed");
	add_violation(o);
	assert_int_equal(outcome_verdict(o), VERDICT_VIOLATION);
	done(o);
}

/* Damage by the program under test is noticed; a report is not made of it. */
static void test_network_written_over(void **state)
{
	struct outcome *o = outcome_new(SEARCH_COMPLETE);
	const struct net_config config = {.live = 1};
	struct trees *t = world_example();

	memset(t, 0xff, 64);
	assert_int_equal(outcome_set_net(o, t, TREES_SIZE, &config), -1);
	assert_null(o->net.trees.memory);
	world_free(t);
	done(o);
}

/* Both sides are in the message; no single thread is to blame. */
static void test_comm_deadlock(void **state)
{
	struct outcome *o = outcome_new(SEARCH_VIOLATION);
	struct trace *t;
	char *text;

	add_violation(o);
	t = &o->trace[0];
	t->violation.found.kind = t->log.violation_kind = VIOLATION_COMM_DEADLOCK;
	assert_true(violation_describe(&t->violation, 2,
				       "thread 1 waits for the peer; the peer waits in recvfrom", "a.c:14"));
	text = written("text", o);
	assert_non_null(strstr(text, "comm-deadlock at a.c:14\n  thread 1 waits for the peer;\n"
				     "  the peer waits in recvfrom\n"));
	free(text);
	text = written("junit", o);
	assert_non_null(strstr(text, "<failure type=\"comm-deadlock\""));
	free(text);
	text = written("sarif", o);
	assert_non_null(strstr(text, "\"ruleId\": \"comm-deadlock\""));
	free(text);
	text = written("html", o);
	assert_non_null(strstr(text, "communication deadlock at"));
	free(text);
	assert_int_equal(violation_kind_named("comm-deadlock"), VIOLATION_COMM_DEADLOCK);
	done(o);
}

static char *told(u32 kind, const char *message)
{
	struct outcome *o = outcome_new(SEARCH_VIOLATION);
	struct execution_log *s;
	struct log_entry step = {.kind = WIRE_EV_STEP, .thread = 2, .text = "starts"};
	char *text;

	add_violation(o);
	o->trace[0].violation.found.kind = kind;
	s = &o->trace[0].log;
	s->violation_kind = kind;
	free(s->violation.text);
	s->violation.text = strdup(message);
	assert_true(execution_log_add(s, &step));
	text = written("text", o);
	done(o);
	return text;
}

/* Before a race both threads stand; who failed otherwise is through. */
static void test_where_the_culprit_stands(void **state)
{
	char *text = told(VIOLATION_RACE,
			  "data race: thread 2 is about to write x (4 bytes); thread 1 is about to "
			  "read x (4 bytes)");

	assert_non_null(strstr(text, "    now: is about to write x (4 bytes)\n         main (a.c:14)\n"));
	assert_null(strstr(text, "fails, as told above"));
	free(text);
	text = told(VIOLATION_ASSERT, "x is about to be y; z");
	assert_non_null(strstr(text, "    now: fails, as told above\n"));
	free(text);
}

static void test_sarif(void **state)
{
	struct outcome *o = outcome_new(SEARCH_VIOLATION);
	const char *version, *rule, *uri;
	json_int_t line;
	json_t *j;

	add_violation(o);
	free(written("sarif", o));
	j = json_load_file(temporary_path("result.sarif"), 0, NULL);
	assert_int_equal(json_unpack(j, "{s:s, s:[{s:[{s:s, s:[{s:{s:{s:s}, s:{s:I}}}]}]}]}", "version",
				     &version, "runs", "results", "ruleId", &rule, "locations",
				     "physicalLocation", "artifactLocation", "uri", &uri, "region",
				     "startLine", &line),
			 0);
	assert_string_equal(version, "2.1.0");
	assert_string_equal(rule, "assert");
	assert_string_equal(uri, "dir/a.c");
	assert_int_equal(line, 14);
	json_decref(j);
	done(o);
}

static void test_not_verified_is_not_passed(void **state)
{
	struct outcome *o = outcome_new(SEARCH_LIMIT_STATES);
	char *text = written("junit", o);

	assert_non_null(strstr(text, "skipped=\"1\""));
	assert_non_null(strstr(text, "<skipped message=\"bounded"));
	free(text);
	done(o);
}

static size_t files_in(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* A disk that is full: a sentence, and neither half a file nor the loss of the old one. */
static void test_full_disk(void **state)
{
	struct rlimit old, none = {64, RLIM_INFINITY};
	struct outcome *o = outcome_new(SEARCH_COMPLETE);
	struct problem p = {""};
	size_t before, n;
	char *text;
	int ret;

	assert_int_equal(result_json_write(o, temporary_dir, &p), 0);
	before = files_in(temporary_dir);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	none.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &none);
	o->stats.states = 777;
	ret = result_json_write(o, temporary_dir, &p);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(ret, -1);
	assert_non_null(strstr(p.text, "result.json cannot be written: File too large"));
	assert_int_equal(files_in(temporary_dir), before);
	text = temporary_read(temporary_path("result.json"), &n);
	assert_non_null(strstr(text, "12345"));
	free(text);
	assert_int_equal(result_json_write(o, "/nonexistent/dir", &p), -1);
	assert_non_null(strstr(p.text, "is the folder there"));
	done(o);
}

/* A device or a pipe stays what it is, and gets the bytes. */
static void test_what_is_no_file(void **state)
{
	const char *path = temporary_path("pipe");
	struct problem p = {""};
	struct stat st;
	struct file f;
	char text[8] = "";
	int fd;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	assert_int_equal(file_create(&f, path, &p), 0);
	fputs("states", f.stream);
	assert_int_equal(file_commit(&f, &p), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(read(fd, text, sizeof(text)), 6);
	assert_string_equal(text, "states");
	close(fd);
	unlink(path);
}

static void test_json_text(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"plain", "plain"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
		{"\xff", "\xef\xbf\xbd"},
		{"\xc3", "\xef\xbf\xbd"},
		{"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xf0\x9f\x98\x80!", "\xf0\x9f\x98\x80!"},
	};

	for (size_t i = 0; i < HD_ARRAY_LEN(cases); i++) {
		json_t *j = json_text(cases[i].in);

		assert_string_equal(json_string_value(j), cases[i].out);
		json_decref(j);
	}
}

static void test_numbers_for_people(void **state)
{
	char t[32];

	plain_number(0, t, sizeof(t));
	assert_string_equal(t, "0");
	plain_number(1234567, t, sizeof(t));
	assert_string_equal(t, "1 234 567");
	plain_size(3 << 19, t, sizeof(t));
	assert_string_equal(t, "1.5 MB");
	plain_size(1, t, sizeof(t));
	assert_string_equal(t, "1 byte");
	plain_duration(3723, t, sizeof(t));
	assert_string_equal(t, "1:02:03");
}

/* The frame that matters is the user's, not the library's it called. */
static void test_where(void **state)
{
	struct frame f[] = {
		{.function = "raise", .file = "./nptl/pthread_kill.c", .line = 44, .module = "libc.so.6"},
		{.function = "lock", .file = "/usr/include/c++/12/mutex", .line = 9, .module = "prog"},
		{.function = "worker", .file = "/home/u/src/w.c", .line = 31, .module = "prog"},
	};
	char where[128];

	frames_where(f, 3, where, sizeof(where));
	assert_string_equal(where, "w.c:31");
	frames_where(f, 1, where, sizeof(where));
	assert_string_equal(where, "pthread_kill.c:44");
	frames_where(f, 0, where, sizeof(where));
	assert_string_equal(where, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_never_verified),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_result_json),
		cmocka_unit_test(test_network_figures),
		cmocka_unit_test(test_network_in_words),
		cmocka_unit_test(test_network_incomplete),
		cmocka_unit_test(test_network_written_over),
		cmocka_unit_test(test_comm_deadlock),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_where_the_culprit_stands),
		cmocka_unit_test(test_violation_after_refused_call),
		cmocka_unit_test(test_sarif),
		cmocka_unit_test(test_not_verified_is_not_passed),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_what_is_no_file),
		cmocka_unit_test(test_json_text),
		cmocka_unit_test(test_numbers_for_people),
		cmocka_unit_test(test_where),
	};

	return cmocka_run_group_tests(tests, temporary_make, temporary_remove);
}
