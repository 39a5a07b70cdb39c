/* Pipes, eventfds and poll of the virtual kernel: who waits, who sees what, what is a step. */
#include "vkernel_test.h"
#include "wire/op_kinds.h"

#include <poll.h>
#include <sys/select.h>

static char page[70000];

static void make_pipe(int *fds, int flags)
{
	assert_int_equal(CALL_2(SYS_pipe2, fds, flags), 0);
}

static void a_pipe_carries_bytes_in_order(void **state)
{
	int fds[2];
	char buf[8] = {0};
	make_pipe(fds, 0);
	assert_int_equal(CALL_3(SYS_write, fds[1], "abc", 3), 3);
	assert_int_equal(CALL_3(SYS_write, fds[1], "def", 3), 3);
	assert_int_equal(CALL_3(SYS_read, fds[0], buf, 4), 4);
	assert_memory_equal(buf, "abcd", 4);
	assert_int_equal(CALL_3(SYS_read, fds[0], buf, 8), 2);
	assert_memory_equal(buf, "ef", 2);
	assert_int_equal(fake.steps, 4);
}

static void a_reader_waits_while_there_are_writers(void **state)
{
	int fds[2];
	char c;
	make_pipe(fds, 0);
	assert_blocked(CALL_3(SYS_read, fds[0], &c, 1));
	assert_int_equal(fake.last.kind, OP_PIPE_READ);
	assert_int_equal(CALL_1(SYS_close, fds[1]), 0);
	assert_int_equal(CALL_3(SYS_read, fds[0], &c, 1), 0);
}

static void a_non_blocking_reader_does_not_wait(void **state)
{
	int fds[2];
	char c;
	make_pipe(fds, O_NONBLOCK);
	assert_int_equal(CALL_3(SYS_read, fds[0], &c, 1), -EAGAIN);
	assert_int_equal(CALL_3(SYS_fcntl, fds[0], F_SETFL, 0), 0);
	assert_blocked(CALL_3(SYS_read, fds[0], &c, 1));
}

static int shared[2];
static void another_fiber_writes(void)
{
	fake.slot = 1;
	assert_int_equal(CALL_3(SYS_write, shared[1], "x", 1), 1);
}

static void a_waiting_reader_gets_what_another_writes(void **state)
{
	char c = 0;
	make_pipe(shared, 0);
	fake.during_step = another_fiber_writes;
	assert_int_equal(CALL_3(SYS_read, shared[0], &c, 1), 1);
	assert_int_equal(c, 'x');
}

static void small_writes_are_all_or_nothing(void **state)
{
	int fds[2];
	make_pipe(fds, O_NONBLOCK);
	assert_int_equal(CALL_3(SYS_write, fds[1], page, 65000), 65000);
	assert_int_equal(CALL_3(SYS_write, fds[1], page, 4096), -EAGAIN);
	assert_int_equal(CALL_3(SYS_write, fds[1], page, 536), 536);
	assert_int_equal(CALL_3(SYS_write, fds[1], page, 1), -EAGAIN);
}

static void another_fiber_drains(void)
{
	fake.slot = 1;
	CALL_3(SYS_read, shared[0], page, sizeof(page));
}

static void a_large_write_takes_several_steps(void **state)
{
	make_pipe(shared, 0);
	assert_int_equal(CALL_3(SYS_write, shared[1], page, 60000), 60000);
	assert_blocked(CALL_3(SYS_write, shared[1], page, 65536)); /* took what fitted, waits for the rest */
	assert_int_equal(CALL_3(SYS_read, shared[0], page, sizeof(page)), 65536);
	fake.steps = 0;
	assert_int_equal(CALL_3(SYS_write, shared[1], page, 60000), 60000);
	fake.during_step = another_fiber_drains;
	assert_int_equal(CALL_3(SYS_write, shared[1], page, 60000), 60000);
	assert_int_equal(fake.steps, 3);
}

static void writing_without_readers_kills(void **state)
{
	int fds[2];
	make_pipe(fds, 0);
	CALL_1(SYS_close, fds[0]);
	CALL_3(SYS_write, fds[1], "x", 1);
	assert_int_equal(fake_how(), FAKE_VIOLATION);
	assert_int_equal(fake.violation, VIOLATION_CRASH);
	assert_string_equal(fake.message, "killed by signal 13 (SIGPIPE)");
}

static void ignore_signal(int sig)
{
	struct {
		unsigned long handler, flags, restorer, mask;
	} ignore = {.handler = 1};
	assert_int_equal(CALL_4(SYS_rt_sigaction, sig, &ignore, 0, 8), 0);
}

static void writing_without_readers_fails_when_ignored(void **state)
{
	int fds[2];
	ignore_signal(SIGPIPE);
	make_pipe(fds, 0);
	CALL_1(SYS_close, fds[0]);
	assert_int_equal(CALL_3(SYS_write, fds[1], "x", 1), -EPIPE);
}

static void another_fiber_closes_the_reader(void)
{
	fake.slot = 1;
	CALL_1(SYS_close, shared[0]);
}

static void a_waiting_writer_hears_of_the_last_reader(void **state)
{
	ignore_signal(SIGPIPE);
	make_pipe(shared, 0);
	assert_int_equal(CALL_3(SYS_write, shared[1], page, 65536), 65536);
	fake.during_step = another_fiber_closes_the_reader;
	assert_int_equal(CALL_3(SYS_write, shared[1], page, 1), -EPIPE);
}

static void closing_a_pipe_end_is_a_step_only_at_the_last(void **state)
{
	int fds[2];
	make_pipe(fds, 0);
	long copy = CALL_1(SYS_dup, fds[1]);
	fake.steps = 0;
	CALL_1(SYS_close, fds[1]);
	assert_int_equal(fake.steps, 0);
	CALL_1(SYS_close, copy);
	assert_int_equal(fake.steps, 1);
	assert_int_equal(fake.last.kind, OP_CLOSE);
}

static void another_fiber_closes_what_is_read(void)
{
	fake.slot = 1;
	CALL_1(SYS_close, shared[0]);
	CALL_3(SYS_write, shared[1], "y", 1);
}

/* As in Linux: the call that is under way keeps the file open. */
static void a_call_under_way_keeps_the_pipe(void **state)
{
	struct model_copy *before = model_copy();
	char c = 0;
	ignore_signal(SIGPIPE);
	make_pipe(shared, 0);
	fake.during_step = another_fiber_closes_what_is_read;
	assert_int_equal(CALL_3(SYS_read, shared[0], &c, 1), 1);
	assert_int_equal(c, 'y');
	assert_int_equal(CALL_3(SYS_write, shared[1], "z", 1), -EPIPE);
	CALL_1(SYS_close, shared[1]);
	struct {
		unsigned long handler, flags, restorer, mask;
	} normal = {0};
	CALL_4(SYS_rt_sigaction, SIGPIPE, &normal, 0, 8);
	assert_model_is(before);
}

static void a_closed_pipe_leaves_no_trace(void **state)
{
	struct model_copy *before = model_copy();
	int fds[2];
	make_pipe(fds, 0);
	CALL_3(SYS_write, fds[1], page, 30000);
	CALL_3(SYS_read, fds[0], page, 10000);
	CALL_1(SYS_close, fds[0]);
	CALL_1(SYS_close, fds[1]);
	assert_model_is(before);
}

static void a_drained_pipe_has_no_history(void **state)
{
	int fds[2];
	make_pipe(fds, 0);
	struct model_copy *before = model_copy();
	for (int i = 0; i < 5; i++) {
		CALL_3(SYS_write, fds[1], "abcdefgh", 8);
		CALL_3(SYS_read, fds[0], page, 3);
		CALL_3(SYS_read, fds[0], page, 5);
	}
	assert_model_is(before);
}

/* A fiber cancelled inside a read never returns; what it held goes when it ends. */
static void a_fiber_that_ends_lets_go(void **state)
{
	struct model_copy *before = model_copy();
	int fds[2];
	make_pipe(fds, 0);
	assert_blocked(CALL_3(SYS_read, fds[0], page, 1));
	fake.slot = 1;
	CALL_1(SYS_close, fds[0]);
	CALL_1(SYS_close, fds[1]);
	vk_fiber_end(0);
	assert_model_is(before);
}

/* ---- eventfd ---- */

static void an_eventfd_counts(void **state)
{
	unsigned long value = 5;
	long fd = CALL_2(SYS_eventfd2, 0, 0);
	assert_int_equal(fd, 3);
	assert_blocked(CALL_3(SYS_read, fd, &value, 8));
	assert_int_equal(fake.last.kind, OP_EVENTFD_READ);
	assert_int_equal(CALL_3(SYS_write, fd, &value, 8), 8);
	assert_int_equal(CALL_3(SYS_write, fd, &value, 8), 8);
	assert_int_equal(CALL_3(SYS_read, fd, &value, 8), 8);
	assert_int_equal(value, 10);
	assert_int_equal(CALL_3(SYS_read, fd, &value, 4), -EINVAL);
}

static void an_eventfd_as_semaphore_gives_one(void **state)
{
	unsigned long value = 0;
	long fd = CALL_2(SYS_eventfd2, 2, 1);
	assert_int_equal(CALL_3(SYS_read, fd, &value, 8), 8);
	assert_int_equal(value, 1);
	assert_int_equal(CALL_3(SYS_read, fd, &value, 8), 8);
	assert_blocked(CALL_3(SYS_read, fd, &value, 8));
}

static void a_full_eventfd_makes_writers_wait(void **state)
{
	unsigned long value = ~0ul - 1;
	long fd = CALL_2(SYS_eventfd2, 0, 0);
	assert_int_equal(CALL_3(SYS_write, fd, &value, 8), 8);
	value = 1;
	assert_blocked(CALL_3(SYS_write, fd, &value, 8));
	value = ~0ul;
	assert_int_equal(CALL_3(SYS_write, fd, &value, 8), -EINVAL);
}

/* ---- poll ---- */

static void poll_waits_for_the_first_event(void **state)
{
	int fds[2];
	make_pipe(fds, 0);
	struct pollfd p[2] = {{.fd = fds[0], .events = POLLIN}, {.fd = -1, .events = POLLIN}};
	assert_blocked(CALL_3(SYS_poll, p, 2, -1));
	assert_int_equal(fake.last.kind, OP_POLL);
	CALL_3(SYS_write, fds[1], "x", 1);
	assert_int_equal(CALL_3(SYS_poll, p, 2, -1), 1);
	assert_int_equal(p[0].revents, POLLIN);
	assert_int_equal(p[1].revents, 0);
}

static void poll_times_out_in_virtual_time(void **state)
{
	int fds[2];
	make_pipe(fds, 0);
	struct pollfd p = {.fd = fds[0], .events = POLLIN};
	assert_int_equal(CALL_3(SYS_poll, &p, 1, 250), 0);
	assert_int_equal(fake.now, 250000000);
	assert_int_equal(CALL_3(SYS_poll, &p, 1, 0), 0);
	assert_int_equal(fake.now, 250000000);
}

static void poll_tells_of_a_hang_up(void **state)
{
	int fds[2];
	make_pipe(fds, 0);
	CALL_1(SYS_close, fds[1]);
	struct pollfd p = {.fd = fds[0], .events = POLLIN};
	assert_int_equal(CALL_3(SYS_poll, &p, 1, -1), 1);
	assert_int_equal(p.revents, POLLHUP);
	p.fd = 500;
	assert_int_equal(CALL_3(SYS_poll, &p, 1, -1), 1);
	assert_int_equal(p.revents, POLLNVAL);
}

static void poll_on_files_alone_is_no_step(void **state)
{
	struct pollfd p = {.fd = 0, .events = POLLIN};
	assert_int_equal(CALL_3(SYS_poll, &p, 1, -1), 1);
	assert_int_equal(fake.steps, 0);
}

static void select_answers_in_its_sets(void **state)
{
	int fds[2];
	fd_set in, out;
	make_pipe(fds, 0);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(fds[0], &in);
	FD_SET(fds[1], &out);
	assert_int_equal(fake_call(SYS_select, fds[1] + 1, (long)&in, (long)&out, 0, 0, 0), 1);
	assert_false(FD_ISSET(fds[0], &in));
	assert_true(FD_ISSET(fds[1], &out));
	FD_SET(fds[0], &in);
	assert_blocked(fake_call(SYS_select, fds[0] + 1, (long)&in, 0, 0, 0, 0));
	FD_SET(600, &in);
	assert_int_equal(fake_call(SYS_select, 601, (long)&in, 0, 0, 0, 0), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_pipe_carries_bytes_in_order),
		WORLD_TEST(a_reader_waits_while_there_are_writers),
		WORLD_TEST(a_non_blocking_reader_does_not_wait),
		WORLD_TEST(a_waiting_reader_gets_what_another_writes),
		WORLD_TEST(small_writes_are_all_or_nothing),
		WORLD_TEST(a_large_write_takes_several_steps),
		WORLD_TEST(writing_without_readers_kills),
		WORLD_TEST(writing_without_readers_fails_when_ignored),
		WORLD_TEST(a_waiting_writer_hears_of_the_last_reader),
		WORLD_TEST(closing_a_pipe_end_is_a_step_only_at_the_last),
		WORLD_TEST(a_call_under_way_keeps_the_pipe),
		WORLD_TEST(a_closed_pipe_leaves_no_trace),
		WORLD_TEST(a_drained_pipe_has_no_history),
		WORLD_TEST(a_fiber_that_ends_lets_go),
		WORLD_TEST(an_eventfd_counts),
		WORLD_TEST(an_eventfd_as_semaphore_gives_one),
		WORLD_TEST(a_full_eventfd_makes_writers_wait),
		WORLD_TEST(poll_waits_for_the_first_event),
		WORLD_TEST(poll_times_out_in_virtual_time),
		WORLD_TEST(poll_tells_of_a_hang_up),
		WORLD_TEST(poll_on_files_alone_is_no_step),
		WORLD_TEST(select_answers_in_its_sets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
