/* Paragraphs from executions that were made up: what is certain is said, what is not is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/explain.h"
#include "report/rust_mutex.h"
#include "wire/op_kinds.h"

enum { M = 0x1000, N = 0x2000, C = 0x3000 };

static struct trace *made_up(u32 kind, const char *message)
{
	struct trace *t = calloc(1, sizeof(*t));
	struct log_entry v = {.kind = WIRE_EV_VIOLATION, .thread = 1, .text = (char *)message};

	assert_non_null(t);
	t->violation.found.kind = kind;
	t->log.violation_kind = kind;
	assert_true(violation_describe(&t->violation, 1, message, ""));
	assert_true(execution_log_add(&t->log, &v));
	return t;
}

static void add(struct trace *t, u32 kind, u32 thread, u32 op, u64 object, const char *text)
{
	struct log_entry l = {
		.kind = kind, .thread = thread, .op = op, .object = object, .text = (char *)text};

	l.object2 = op == OP_COND_ENTER || op == OP_COND_WAIT || op == OP_COND_RELOCK ? M : 0;
	l.step = t->log.lines;
	assert_true(execution_log_add(&t->log, &l));
}

static void stands(struct trace *t, u32 thread, u32 op, u64 object, u32 waits, u32 for_thread,
		   const char *text)
{
	struct log_entry l = {
		.kind = WIRE_EV_FIBER, .thread = thread, .op = op, .object = object, .waits = waits};

	l.waits_thread = for_thread;
	l.patient = op == OP_JOIN;
	l.text = (char *)text;
	assert_true(execution_log_add(&t->log, &l));
}

/* All of the words are in it; NULL first: there is no paragraph at all. */
static void explains(struct trace *t, const char *const *words)
{
	char *text = explain(t);

	assert_non_null(text);
	if (!words[0])
		assert_string_equal(text, "");
	for (; *words; words++)
		if (!strstr(text, *words))
			fail_msg("\"%s\" is not in: %s", *words, text);
	free(text);
	violation_free(&t->violation);
	execution_log_free(&t->log);
	free(t);
}
#define EXPLAINS(t, ...) explains(t, (const char *const[]){__VA_ARGS__, NULL})

static void test_circle(void **state)
{
	struct trace *t = made_up(VIOLATION_DEADLOCK, "deadlock");

	(void)state;
	add(t, WIRE_EV_STEP, 2, OP_MUTEX_LOCK, M, "locks mutex m");
	add(t, WIRE_EV_STEP, 3, OP_MUTEX_LOCK, N, "locks mutex n");
	stands(t, 1, OP_JOIN, 0, WIRE_WAITS_THREAD, 2, "waits to join thread 2");
	stands(t, 2, OP_MUTEX_LOCK, N, WIRE_WAITS_THREAD, 3, "waits for mutex n, held by thread 3");
	stands(t, 3, OP_MUTEX_LOCK, M, WIRE_WAITS_THREAD, 2, "waits for mutex m, held by thread 2");
	EXPLAINS(t, "thread 2 holds m, locked in step #0, and waits for n", "thread 3 holds n",
		 "opposite order", "Thread 1 only waits for thread 2 to end.");
}

/* A lock that was given back is not held; a wait gives its mutex back. */
static void test_unlocked(void **state)
{
	struct trace *t = made_up(VIOLATION_DEADLOCK, "deadlock");

	(void)state;
	add(t, WIRE_EV_STEP, 2, OP_MUTEX_LOCK, M, "locks mutex m");
	add(t, WIRE_EV_ASIDE, 2, OP_COND_SIGNAL, C, "signals condition variable c (nobody waits)");
	add(t, WIRE_EV_ASIDE, 2, OP_MUTEX_UNLOCK, M, "unlocks mutex m");
	add(t, WIRE_EV_STEP, 3, OP_MUTEX_LOCK, M, "locks mutex m");
	add(t, WIRE_EV_ASIDE, 3, OP_COND_ENTER, C, "starts waiting on condition variable c");
	stands(t, 3, OP_COND_WAIT, C, WIRE_WAITS_ANYONE, 0, "waits on condition variable c");
	EXPLAINS(t, "lost wake-up: thread 2 signalled condition variable c in step #1",
		 "Thread 3 began to wait after that", "with the mutex held");
	t = made_up(VIOLATION_DEADLOCK, "deadlock");
	add(t, WIRE_EV_STEP, 3, OP_MUTEX_LOCK, M, "locks mutex m");
	add(t, WIRE_EV_ASIDE, 3, OP_COND_ENTER, C, "starts waiting on condition variable c");
	stands(t, 3, OP_COND_WAIT, C, WIRE_WAITS_ANYONE, 0, "waits on condition variable c");
	EXPLAINS(t, "which nobody signals in this execution.");
}

/* The beginning of a long execution is not in the log: nothing is said about "never". */
static void test_omitted(void **state)
{
	struct trace *t = made_up(VIOLATION_DEADLOCK, "deadlock");

	(void)state;
	t->log.omitted = 100;
	stands(t, 3, OP_COND_WAIT, C, WIRE_WAITS_ANYONE, 0, "waits on condition variable c");
	EXPLAINS(t, "and nobody is left who could signal it.");
}

static void test_nothing_certain(void **state)
{
	struct trace *t = made_up(VIOLATION_ASSERT, "a.c:3: assertion `x == 1' failed");

	(void)state;
	add(t, WIRE_EV_STEP, 1, OP_MUTEX_LOCK, M, "locks mutex m");
	explains(t, (const char *const[]){NULL});
	t = made_up(VIOLATION_RACE, "data race: thread 1 is about to write x; thread 2 wrote it before");
	explains(t, (const char *const[]){NULL});
	t = made_up(VIOLATION_CRASH, "segmentation fault");
	explains(t, (const char *const[]){NULL});
}

/* A timer is no fault of the network. */
static void test_what_happened_aside(void **state)
{
	struct trace *t = made_up(VIOLATION_CRASH, "segmentation fault");

	(void)state;
	add(t, WIRE_EV_STEP, 1, OP_MUTEX_LOCK, M, "stays where it is; a timer expires and sends SIGALRM");
	explains(t, (const char *const[]){NULL});
	t = made_up(VIOLATION_CRASH, "segmentation fault");
	add(t, WIRE_EV_STEP, 1, OP_MUTEX_LOCK, M, "stays where it is; the network loses a datagram");
	EXPLAINS(t, "A fault of the network came before: the network loses a datagram (step #0).");
}

/* "x" is changed, "xy" and what merely contains it are not meant. */
static void test_last_changes(void **state)
{
	struct trace *t = made_up(VIOLATION_ASSERT, "a.c:3: assertion `x == 1 && s.max' failed");

	(void)state;
	add(t, WIRE_EV_STEP, 2, OP_MUTEX_LOCK, M, "locks mutex m");
	execution_log_changed(&t->log, strdup("xy: 0 → 1\nx: 1 → 2"));
	add(t, WIRE_EV_STEP, 3, OP_MUTEX_LOCK, M, "locks mutex m");
	execution_log_changed(&t->log, strdup("m.x: 0 → 7\nmax: 3 → 4"));
	EXPLAINS(t, "Last changed: thread 3 in step #1 (max: 3 → 4); before that thread 2 in step #0 (x: 1 → "
		    "2).");
}

/* Which locks are held is the message's to say: there are ways to take one that a log does not show. */
static void test_race(void **state)
{
	struct trace *t = made_up(VIOLATION_RACE,
				  "data race: thread 1 is about to write n (4 bytes); thread 2 is "
				  "about to read n (4 bytes), holding m, in a block of 8 bytes");

	(void)state;
	stands(t, 2, OP_MEM_READ, N, WIRE_WAITS_NOT, 0, "is about to read n (4 bytes)");
	EXPLAINS(t, "Thread 2 holds m; thread 1 holds no lock: that is the missing one, if it guards");
	t = made_up(VIOLATION_RACE,
		    "data race: thread 1 is about to write n (4 bytes), holding k; thread 2 is "
		    "about to read n (4 bytes), holding m");
	stands(t, 2, OP_MEM_READ, N, WIRE_WAITS_NOT, 0, "is about to read n (4 bytes)");
	EXPLAINS(t, "different locks (k; m)");
}

static void test_upgrade(void **state)
{
	struct trace *t = made_up(VIOLATION_DEADLOCK, "deadlock");

	(void)state;
	add(t, WIRE_EV_STEP, 2, OP_RW_RDLOCK, M, "read-locks rwlock l");
	stands(t, 2, OP_RW_WRLOCK, M, WIRE_WAITS_ANYONE, 0,
	       "waits to write-lock rwlock l, read-locked 1 time");
	EXPLAINS(t, "Thread 2 wants to write-lock l, which it has locked itself (step #0)");
}

/* A part that was completed later is not to blame. */
static void test_short_read(void **state)
{
	struct trace *t = made_up(VIOLATION_ASSERT, "a.c:3: assertion `n == 8' failed");

	(void)state;
	add(t, WIRE_EV_STEP, 1, OP_RECV, C,
	    "reads from connection 4 (client 1): 7 bytes \"abcdefg\" (1 more is on the way)");
	EXPLAINS(t, "In step #0 thread 1 got only a part", "a call may return less");
	t = made_up(VIOLATION_ASSERT, "a.c:3: assertion `n == 8' failed");
	add(t, WIRE_EV_STEP, 1, OP_RECV, C,
	    "reads from connection 4 (client 1): 7 bytes \"abcdefg\" (1 more is on the way)");
	add(t, WIRE_EV_STEP, 1, OP_RECV, C, "reads from connection 4 (client 1): 1 byte \"h\"");
	explains(t, (const char *const[]){NULL});
}

static void test_rust_condvar(void **state)
{
	char text[] = "thread 3 sleeps on futex p.1 (Condvar); thread 4 sleeps on futex n, wakes futex p.1 "
		      "(Condvar)";

	(void)state;
	rust_condvar_words(text);
	assert_string_equal(
		text, "thread 3 waits on p.1 (Condvar); thread 4 sleeps on futex n, signals p.1 (Condvar)");
}

static void test_rust_mutex(void **state)
{
	const struct frame lock = {.function = "std::sys::sync::mutex::futex::Mutex::lock"};
	const struct frame unlock = {.function = "<std::sys::sync::mutex::futex::Mutex>::unlock"};
	const struct frame other = {.function = "core::sync::atomic::AtomicU32::swap"};
	struct rust_mutexes m = {.n = 0};
	char text[128];

	(void)state;
	assert_int_equal(rust_mutex_step(&m, 2, M, 0, &other, 1), RUST_MUTEX_NOT);
	assert_null(rust_mutex_at(&m, M));
	assert_int_equal(rust_mutex_step(&m, 2, M, 0, &lock, 1), RUST_MUTEX_LOCK);
	assert_int_equal(rust_mutex_step(&m, 3, M, 1, &lock, 1), RUST_MUTEX_BUSY);
	rust_mutex_words(&m, "thread 3 sleeps on futex {0x1000}; thread 4 sleeps on futex {0x2000}", text,
			 sizeof(text));
	assert_string_equal(
		text,
		"thread 3 waits for mutex {0x1000}, held by thread 2; thread 4 sleeps on futex {0x2000}");
	assert_int_equal(rust_mutex_step(&m, 2, M, 2, &unlock, 1), RUST_MUTEX_UNLOCK);
	assert_int_equal(rust_mutex_at(&m, M)->holder, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_circle),
		cmocka_unit_test(test_unlocked),
		cmocka_unit_test(test_omitted),
		cmocka_unit_test(test_nothing_certain),
		cmocka_unit_test(test_last_changes),
		cmocka_unit_test(test_rust_mutex),
		cmocka_unit_test(test_race),
		cmocka_unit_test(test_upgrade),
		cmocka_unit_test(test_short_read),
		cmocka_unit_test(test_rust_condvar),
		cmocka_unit_test(test_what_happened_aside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
