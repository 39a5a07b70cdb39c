/*
 * waits_test.c: lines that /proc gave, and what the thread was doing then.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "broker/address.h"
#include "broker/waits.h"

static void expect(const char *line, enum wait_kind kind, const char *name)
{
	struct wait w;
	char got[32];

	wait_parse(line, &w);
	wait_name(w.call, got, sizeof(got));
	if (w.kind != kind || strcmp(got, name))
		fail_msg("\"%s\" is kind %d, %s; expected %d, %s", line, w.kind, got, kind, name);
}

#define TAIL " 0x7fff06b65bd8 0x7f8275def2ad\n"

static void waits_for_input(void **state)
{
	(void)state;
	expect("45 0x4 0x7ffd 0x100 0x0 0x0 0x0" TAIL, WAIT_INPUT, "recvfrom");
	expect("288 0x3 0x0 0x0 0x80000 0x0 0x0" TAIL, WAIT_INPUT, "accept4");
	expect("232 0x5 0x7ffc 0x20 0xffffffff 0x0 0x8" TAIL, WAIT_INPUT, "epoll_wait");
	expect("7 0x7ffc 0x1 0xffffffff 0x0 0x0 0x0" TAIL, WAIT_INPUT, "poll");
	expect("271 0x7ffc 0x1 0x0 0x0 0x8 0x0" TAIL, WAIT_INPUT, "ppoll");
	expect("23 0x5 0x7ffc 0x0 0x0 0x0 0x0" TAIL, WAIT_INPUT, "select");
	expect("202 0x55 0x189 0x0 0x0 0x0 0xffffffff" TAIL, WAIT_INPUT, "futex");
	expect("202 0x55 0x80 0x2 0x0 0x0 0x0" TAIL, WAIT_INPUT, "futex");
	expect("61 0xffffffff 0x7ffd 0x0 0x0 0x0 0x0" TAIL, WAIT_INPUT, "wait4");
	expect("56 0x4111 0x7ffd 0x0 0x0 0x0 0x0" TAIL, WAIT_INPUT, "clone");
	expect("34 0x0 0x0 0x0 0x0 0x0 0x0" TAIL, WAIT_INPUT, "pause");
}

static void waits_with_a_time_out(void **state)
{
	(void)state;
	expect("232 0x5 0x7ffc 0x20 0x64 0x0 0x8" TAIL, WAIT_TIMED, "epoll_wait");
	expect("7 0x7ffc 0x1 0x3e8 0x0 0x0 0x0" TAIL, WAIT_TIMED, "poll");
	expect("271 0x7ffc 0x1 0x7ffd 0x0 0x8 0x0" TAIL, WAIT_TIMED, "ppoll");
	expect("270 0x5 0x7ffc 0x0 0x0 0x7ffd 0x0" TAIL, WAIT_TIMED, "pselect");
	expect("202 0x55 0x189 0x0 0x7ffd 0x0 0xffffffff" TAIL, WAIT_TIMED, "futex");
	expect("128 0x7ffc 0x0 0x7ffd 0x8 0x0 0x0" TAIL, WAIT_TIMED, "sigtimedwait");
}

static void sleeps_and_works(void **state)
{
	(void)state;
	expect("230 0x0 0x0 0x7ffc 0x7ffd 0x0 0x0" TAIL, WAIT_SLEEP, "clock_nanosleep");
	expect("7 0x0 0x0 0x14 0x0 0x0 0x0" TAIL, WAIT_SLEEP, "poll");
	expect("23 0x0 0x0 0x0 0x0 0x7ffd 0x0" TAIL, WAIT_SLEEP, "select");
	expect("219 0x0 0x0 0x0 0x0 0x0 0x0" TAIL, WAIT_SLEEP, "restart_syscall");
	expect("running\n", WAIT_RUNS, "running");
	expect("-1 0x7fff06b65bd8 0x7f8275def2ad\n", WAIT_RUNS, "running");
	expect("74 0x3 0x0 0x0 0x0 0x0 0x0" TAIL, WAIT_RUNS, "fsync");
	expect("202 0x55 0x81 0x1 0x0 0x0 0x0" TAIL, WAIT_RUNS, "futex"); /* FUTEX_WAKE */
	expect("56 0x3d0f00 0x7ffd 0x0 0x0 0x0 0x0" TAIL, WAIT_RUNS, "clone");
	expect("321 0x0 0x0 0x0 0x0 0x0 0x0" TAIL, WAIT_RUNS, "system call 321");
	expect("45 0x4 0x7ffd", WAIT_RUNS, "running"); /* cut off */
	expect("", WAIT_RUNS, "running");
}

static void descriptors_decide(void **state)
{
	struct wait w;

	(void)state;
	expect("0 0x3 0x7fff06b65cc0 0x1 0x0 0x0 0x0" TAIL, WAIT_FILE, "read");
	expect("1 0x7 0x7fff06b65cc0 0x1 0x0 0x0 0x0" TAIL, WAIT_FILE, "write");
	wait_parse("1 0x7 0x7fff06b65cc0 0x1 0x0 0x0 0x0" TAIL, &w);
	assert_int_equal(wait_descriptor(&w), 7);
	assert_int_equal(w.sp, 0x7fff06b65bd8);
	assert_int_equal(w.pc, 0x7f8275def2ad);
	wait_parse("232 0x5 0x7ffc 0x20 0x64 0x0 0x8" TAIL, &w);
	assert_int_equal(wait_descriptor(&w), -1);
}

static void the_dead_wait_for_nothing(void **state)
{
	(void)state;
	expect("-1 0x0 0x0\n", WAIT_DEAD, "running");
}

static void run_counts(void **state)
{
	(void)state;
	assert_int_equal(wait_runs("104651 0 1\n"), 1);
	assert_int_equal(wait_runs("18446744073709551615 12 4294967297\n"), 4294967297);
	assert_true(wait_runs("") == ~0ull);
	assert_true(wait_runs("1 2\n") == ~0ull);
}

static void state_letters(void **state)
{
	(void)state;
	assert_int_equal(wait_state("12368 (cost) S 12366 12358"), 'S');
	assert_int_equal(wait_state("1 (a) R (b) T 1 2 3"), 'T');
	assert_int_equal(wait_state("1 (a"), 0);
	assert_int_equal(wait_state(""), 0);
}

static void addresses_in_words(void **state)
{
	char text[ADDRESS_TEXT];
	struct net_address v4 = {.family = NET_INET, .type = NET_STREAM, .port = 80, .ip = {127, 0, 0, 1}};
	struct net_address udp = {.family = NET_INET, .type = NET_DGRAM, .port = 53, .ip = {10, 0, 0, 1}};
	struct net_address v6 = {.family = NET_INET6, .type = NET_STREAM, .port = 80, .ip = {[15] = 1}};
	struct net_address path = {.family = NET_UNIX, .type = NET_STREAM, .path_len = 7, .path = "/run/x"};
	struct net_address name = {.family = NET_UNIX, .type = NET_STREAM, .path_len = 3, .path = "\0ab"};

	(void)state;
	assert_string_equal(address_text(&v4, text), "127.0.0.1:80");
	assert_string_equal(address_text(&udp, text), "UDP 10.0.0.1:53");
	assert_string_equal(address_text(&v6, text), "[::1]:80");
	assert_string_equal(address_text(&path, text), "UNIX socket /run/x");
	assert_string_equal(address_text(&name, text), "UNIX socket @ab");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_for_input),
		cmocka_unit_test(waits_with_a_time_out),
		cmocka_unit_test(sleeps_and_works),
		cmocka_unit_test(descriptors_decide),
		cmocka_unit_test(the_dead_wait_for_nothing),
		cmocka_unit_test(run_counts),
		cmocka_unit_test(state_letters),
		cmocka_unit_test(addresses_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
