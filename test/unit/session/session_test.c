/* Sessions with a runtime that plays scripts (fake_rt.c): searches, what several workers find, replays. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/replay_run.h"
#include "session/session.h"

static void replay_guest(struct execution_log *log, char *script, enum replay_end expected)
{
	static const u32 path[] = {ACTION(0, VIOLATION_ASSERT), ACTION(1, 0)};
	static const struct replay_listener nobody;
	static char *argv[] = {"guest", NULL};
	char *extra[] = {script, NULL};
	struct program program;
	struct launch l = {.program = &program,
			   .argv = argv,
			   .extra = extra,
			   .task = {.mode = WIRE_REPLAY, .path_len = 2, .show_output = 1},
			   .path = path};
	struct problem p = {""};
	struct sut s;

	assert_non_null(getenv("HEDDLE_TEST_GUEST"));
	assert_int_equal(program_open(getenv("HEDDLE_TEST_GUEST"), &program, &p), 0);
	assert_int_equal(replay_process(&s, &l, &nobody, log, &p), expected);
	sut_end(&s);
}

static void test_replay(void **state)
{
	struct execution_log s = {0};

	replay_guest(&s, "FAKE_RT=violation", REPLAY_VIOLATION);
	assert_int_equal(s.lines, 3);
	assert_string_equal(s.line[0].text, "lock mutex queues[2].inner.lock[1]");
	assert_int_equal(s.line[2].kind, WIRE_EV_OUTPUT);
	assert_string_equal(s.line[2].text, "hello from the program\n");
	assert_int_equal(s.violation_kind, VIOLATION_ASSERT);
	assert_int_equal(s.fibers, 2);
	execution_log_free(&s);
}

/* The line of a call, not the one it returns to; and of a function that begins there, not the one before
   it. */
static void test_code_addresses(void **state)
{
	struct execution_log s = {0};
	char expected[128];
	int line = 0;

	replay_guest(&s, "FAKE_RT=code", REPLAY_VIOLATION);
	assert_int_equal(sscanf(s.line[0].text, "line %d", &line), 1);
	snprintf(expected, sizeof(expected),
		 "line %d: main (fake_guest.c:%d), guest_called (fake_guest.c:", line, line);
	assert_int_equal(strncmp(s.line[0].text, expected, strlen(expected)), 0);
	execution_log_free(&s);
}

/* Without the runtime's frames and guest_hook's. */
static void test_backtrace(void **state)
{
	static const char *const functions[] = {"guest_inner", "guest_outer", "main"};
	struct execution_log s = {0};

	replay_guest(&s, "FAKE_RT=violation", REPLAY_VIOLATION);
	assert_int_equal(s.violation.frames, HD_ARRAY_LEN(functions));
	for (size_t i = 0; i < HD_ARRAY_LEN(functions); i++) {
		assert_string_equal(s.violation.frame[i].function, functions[i]);
		assert_non_null(strstr(s.violation.frame[i].file, "fake_guest.c"));
		assert_true(s.violation.frame[i].line > 0);
	}
	execution_log_free(&s);
}

static void test_replay_ends(void **state)
{
	struct execution_log s = {0};

	replay_guest(&s, "FAKE_RT=unconfirmed", REPLAY_NO_VIOLATION);
	execution_log_free(&s);
	replay_guest(&s, "FAKE_RT=unfollowed", REPLAY_NOT_FOLLOWED);
	execution_log_free(&s);
	replay_guest(&s, "FAKE_RT=replay-dies", REPLAY_FAILED);
	execution_log_free(&s);
}

/* For a debugger: it stands before a step, goes on when it is let, and stands at its end. */
static void test_replay_pauses(void **state)
{
	static const u32 path[] = {ACTION(0, VIOLATION_ASSERT), ACTION(1, 0)};
	static const struct replay_listener nobody;
	static char *argv[] = {"guest", NULL}, *extra[] = {"FAKE_RT=violation", NULL};
	struct program program;
	struct launch l = {.program = &program,
			   .argv = argv,
			   .extra = extra,
			   .task = {.mode = WIRE_REPLAY, .path_len = 2, .gdb = 1, .pause_at = 1},
			   .path = path};
	struct problem p = {""};
	struct replay *r;

	assert_int_equal(program_open(getenv("HEDDLE_TEST_GUEST"), &program, &p), 0);
	r = replay_open(&l, &nobody, &p);
	assert_non_null(r);
	assert_int_equal(replay_listen(r), REPLAY_PAUSED);
	assert_int_equal(replay_log(r)->lines, 1);
	assert_int_equal(replay_log(r)->fibers, 2);
	replay_pause_at(r, REPLAY_NO_PAUSE);
	kill(replay_pid(r), SIGCONT);
	assert_int_equal(replay_listen(r), REPLAY_VIOLATION);
	assert_int_equal(replay_log(r)->lines, 2);
	assert_int_equal(replay_log(r)->fibers, 2);
	replay_close(r);
	replay_close(NULL);
}

/* What an observer was told. */
struct seen {
	int ticks, stoppings, running, started;
	int stop_after; /* ticks; 0: never */
};

static void on_tick(void *self, const struct session_progress *now)
{
	struct seen *seen = self;

	seen->ticks++;
	assert_false(now->network);
	assert_int_equal(now->peers, 0);
}

static void on_stopping(void *self)
{
	((struct seen *)self)->stoppings++;
}

static void on_process(void *self, pid_t pid, bool runs)
{
	struct seen *seen = self;

	assert_true(pid > 0);
	seen->running += runs ? 1 : -1;
	seen->started += runs;
}

static int on_stop_requests(void *self)
{
	const struct seen *seen = self;

	return seen->stop_after && seen->ticks >= seen->stop_after;
}

static int check_guest(char *script, u32 workers, struct seen *seen, struct outcome *o, struct problem *p)
{
	static char *argv[] = {"guest", NULL};
	static const struct suppressions none;
	const struct session_observer observer = {seen, on_tick, on_stopping, on_process, on_stop_requests};
	char *extra[] = {script, NULL};
	struct program program;
	const struct session_plan plan = {.launch = {.program = &program, .argv = argv, .extra = extra},
					  .workers = workers,
					  .suppressions = &none,
					  .observer = &observer};

	assert_int_equal(program_open(getenv("HEDDLE_TEST_GUEST"), &program, p), 0);
	return session_run(&plan, o, p);
}

static void test_search(void **state)
{
	struct outcome *o = calloc(1, sizeof(*o));
	struct seen seen = {0};
	struct problem p = {""};

	assert_int_equal(check_guest("FAKE_RT=two", 1, &seen, o, &p), 0);
	assert_int_equal(o->violations, 2);
	assert_int_equal(o->trace[0].violation.found.kind, VIOLATION_ASSERT);
	assert_string_equal(o->trace[0].violation.message, "assertion x == 1 failed");
	assert_int_equal(o->trace[1].violation.found.kind, VIOLATION_CRASH);
	assert_string_equal(o->trace[1].name, "violation-2.trace");
	assert_int_equal(o->stats.states, 1000);
	assert_int_equal(o->end, SEARCH_COMPLETE);
	/* The search and two replays; none is left. */
	assert_int_equal(seen.started, 3);
	assert_int_equal(seen.running, 0);
	outcome_free(o);
	free(o);
}

/* Counts add up, what both found is there once, and one that came to a limit is enough for a bounded
   search. */
static void test_two_workers(void **state)
{
	struct outcome *o = calloc(1, sizeof(*o));
	struct seen seen = {0};
	struct problem p = {""};

	assert_int_equal(check_guest("FAKE_RT=workers", 2, &seen, o, &p), 0);
	assert_int_equal(o->stats.states, 2000);
	assert_int_equal(o->stats.max_depth, 7);
	assert_int_equal(o->end, SEARCH_LIMIT_STATES);
	assert_int_equal(o->outcomes, 2);
	assert_int_equal(o->violations, 2);
	assert_int_equal(o->trace[0].violation.found.kind, VIOLATION_ASSERT);
	assert_int_equal(o->trace[1].violation.found.kind, VIOLATION_CRASH);
	assert_int_equal(seen.started, 4);
	assert_int_equal(seen.running, 0);
	outcome_free(o);
	free(o);
}

static void test_stop(void **state)
{
	struct outcome *o = calloc(1, sizeof(*o));
	struct seen seen = {.stop_after = 2};
	struct problem p = {""};

	assert_int_equal(check_guest("FAKE_RT=wait", 2, &seen, o, &p), 0);
	assert_int_equal(o->end, SEARCH_INTERRUPTED);
	assert_int_equal(seen.stoppings, 1);
	assert_int_equal(seen.running, 0);
	outcome_free(o);
	free(o);
}

static void test_no_result(void **state)
{
	struct outcome *o = calloc(1, sizeof(*o));
	struct seen seen = {0};
	struct problem p = {""};

	assert_int_equal(check_guest("FAKE_RT=die", 1, &seen, o, &p), -1);
	assert_non_null(strstr(p.text, "killed by signal 9"));
	assert_int_equal(check_guest("FAKE_RT=insane", 1, &seen, o, &p), -1);
	assert_string_equal(p.text, "the fingerprints differ at step 3");
	assert_int_equal(seen.running, 0);
	outcome_free(o);
	free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replay),        cmocka_unit_test(test_code_addresses),
		cmocka_unit_test(test_backtrace),     cmocka_unit_test(test_replay_ends),
		cmocka_unit_test(test_search),        cmocka_unit_test(test_two_workers),
		cmocka_unit_test(test_stop),          cmocka_unit_test(test_no_result),
		cmocka_unit_test(test_replay_pauses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
