/* Time, numbers, random, signals, and the classification of all calls. */
#include "vkernel_test.h"
#include "wire/op_kinds.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void clocks_start_at_the_epoch(void **state)
{
	struct timespec t;
	assert_int_equal(CALL_2(SYS_clock_gettime, CLOCK_REALTIME, &t), 0);
	assert_int_equal(t.tv_sec, 1767225600);
	assert_int_equal(CALL_2(SYS_clock_gettime, CLOCK_MONOTONIC, &t), 0);
	assert_int_equal(t.tv_sec, 1000); /* as sysinfo says; 0 would be "not set" to many programs */
	assert_int_equal(fake.clock_reads, 2);
	assert_int_equal(CALL_2(SYS_clock_gettime, 99, &t), -EINVAL);
}

static void sleeping_moves_the_clock(void **state)
{
	struct timespec t = {.tv_sec = 2, .tv_nsec = 5};
	assert_int_equal(CALL_2(SYS_nanosleep, &t, 0), 0);
	assert_int_equal(fake.last.kind, OP_SLEEP);
	assert_int_equal(fake.now, 2000000005);
	t = (struct timespec){.tv_sec = 1767225600 + 3};
	assert_int_equal(CALL_4(SYS_clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &t, 0), 0);
	assert_int_equal(fake.now, 3000000000);
	fake.steps = 0;
	assert_int_equal(CALL_4(SYS_clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &t, 0), 0);
	assert_int_equal(fake.steps, 0); /* that time has come already */
	t.tv_nsec = 1000000000;
	assert_int_equal(CALL_2(SYS_nanosleep, &t, 0), -EINVAL);
}

static void numbers_are_constant(void **state)
{
	unsigned long mask = 0;
	struct rlimit limit;
	fake.slot = 3;
	assert_int_equal(CALL_1(SYS_getpid, 0), 1000);
	assert_int_equal(CALL_1(SYS_gettid, 0), 1003);
	assert_int_equal(CALL_1(SYS_getuid, 0), getuid());
	assert_int_equal(CALL_3(SYS_sched_getaffinity, 0, 8, &mask), 8);
	assert_int_equal(mask, 15);
	assert_int_equal(CALL_4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit), 0);
	assert_int_equal(limit.rlim_cur, 8192);
}

static void yielding_is_a_step(void **state)
{
	assert_int_equal(CALL_1(SYS_sched_yield, 0), 0);
	assert_int_equal(fake.last.kind, OP_YIELD);
}

static void exit_group_ends_the_process(void **state)
{
	CALL_1(SYS_exit_group, 7);
	assert_int_equal(fake_how(), FAKE_EXIT);
	assert_int_equal(fake.exit_status, 7);
}

/* ---- random ---- */

static void random_numbers_depend_on_the_fiber_alone(void **state)
{
	char a[16], b[16], c[16], again[16];
	assert_int_equal(CALL_3(SYS_getrandom, a, 16, 0), 16);
	fake.slot = 1;
	CALL_3(SYS_getrandom, b, 16, 0);
	assert_memory_not_equal(a, b, 16);
	fake_reset();
	fake.slot = 1;
	CALL_3(SYS_getrandom, again, 16, 0);
	assert_memory_equal(b, again, 16);
	fake.slot = 0;
	CALL_3(SYS_getrandom, again, 16, 0);
	assert_memory_equal(a, again, 16);
	CALL_3(SYS_getrandom, c, 16, 0);
	assert_memory_not_equal(a, c, 16);
	rt_wire->config.random_seed = 1;
	fake_reset();
	CALL_3(SYS_getrandom, again, 16, 0);
	assert_memory_not_equal(a, again, 16);
}

static void urandom_is_the_same_stream(void **state)
{
	char a[8], b[8];
	CALL_3(SYS_getrandom, a, 8, 0);
	fake_reset();
	long fd = CALL_3(SYS_open, "/dev/urandom", O_RDONLY, 0);
	assert_int_equal(CALL_3(SYS_read, fd, b, 8), 8);
	assert_memory_equal(a, b, 8);
}

/* ---- signals ---- */

struct action {
	void (*handler)(int);
	unsigned long flags, restorer, mask;
};

static int handled, nested;
static void handler(int sig)
{
	unsigned long mask;
	handled = sig;
	CALL_4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &mask, 8);
	nested = mask >> (SIGUSR1 - 1) & 1;
}

static void set_action(int sig, void (*f)(int), unsigned long flags)
{
	struct action a = {.handler = f, .flags = flags};
	assert_int_equal(CALL_4(SYS_rt_sigaction, sig, &a, 0, 8), 0);
}

static long raise_signal(int sig)
{
	return CALL_3(SYS_tgkill, 1000, 1000 + fake.slot, sig);
}

static void abort_is_its_own_kind(void **state)
{
	raise_signal(SIGABRT);
	assert_int_equal(fake_how(), FAKE_VIOLATION);
	assert_int_equal(fake.violation, VIOLATION_ABORT);
	assert_string_equal(fake.message, "killed by signal 6 (SIGABRT)");
	CALL_2(SYS_kill, 1000, SIGTERM);
	assert_int_equal(fake.violation, VIOLATION_CRASH);
	assert_string_equal(fake.message, "killed by signal 15 (SIGTERM)");
}

static void ignored_signals_do_nothing(void **state)
{
	assert_int_equal(raise_signal(SIGCHLD), 0);
	set_action(SIGUSR1, SIG_IGN, 0);
	assert_int_equal(raise_signal(SIGUSR1), 0);
	assert_int_equal(fake_how(), FAKE_RETURNED);
	assert_int_equal(raise_signal(0), 0);
	assert_int_equal(raise_signal(65), -EINVAL);
	assert_int_equal(CALL_3(SYS_tgkill, 1000, 1099, 0), -ESRCH);
}

static void a_handler_runs_with_its_signal_blocked(void **state)
{
	unsigned long mask = 1;
	handled = nested = 0;
	set_action(SIGUSR1, handler, 0);
	assert_int_equal(raise_signal(SIGUSR1), 0);
	assert_int_equal(handled, SIGUSR1);
	assert_int_equal(nested, 1);
	CALL_4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &mask, 8);
	assert_int_equal(mask, 0);
}

static void a_blocked_signal_waits(void **state)
{
	unsigned long set = 1ul << (SIGUSR1 - 1), pending = 0;
	handled = 0;
	set_action(SIGUSR1, handler, SA_RESETHAND);
	CALL_4(SYS_rt_sigprocmask, SIG_BLOCK, &set, 0, 8);
	assert_int_equal(raise_signal(SIGUSR1), 0);
	assert_int_equal(handled, 0);
	CALL_2(SYS_rt_sigpending, &pending, 8);
	assert_int_equal(pending, set);
	CALL_4(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, 8);
	assert_int_equal(handled, SIGUSR1);
	assert_int_equal(vk_signal_disposition(SIGUSR1), VK_SIG_DEFAULT);
}

static void a_signal_to_another_thread_is_sent_by_a_step_and_waits_there(void **state)
{
	bool restarts;
	handled = 0;
	set_action(SIGUSR1, handler, SA_RESTART);
	assert_int_equal(CALL_3(SYS_tgkill, 1000, 1001, SIGUSR1), 0);
	assert_int_equal(fake.steps, 1);
	assert_int_equal(handled, 0);
	assert_int_equal(vk_signal_ready(0, &restarts), 0);
	assert_int_equal(vk_signal_ready(1, &restarts), SIGUSR1);
	assert_true(restarts);
	fake.slot = 1;
	vk_signals_take();
	assert_int_equal(handled, SIGUSR1);
	assert_int_equal(vk_signal_ready(1, &restarts), 0);
}

static void what_waits_is_in_the_order_of_numbers_and_real_time_signals_queue(void **state)
{
	unsigned long set = ~0ul;
	long info[16] = {0};
	CALL_4(SYS_rt_sigprocmask, SIG_BLOCK, &set, 0, 8);
	((int *)info)[2] = SI_QUEUE;
	static const struct {
		int sig;
		long value;
	} sent[] = {{40, 1}, {SIGUSR2, 2}, {40, 3}, {SIGUSR2, 4}, {SIGUSR1, 5}};
	static const long values[] = {5, 2, 1, 3}; /* of the second SIGUSR2 nothing is left */
	struct timespec none = {0, 0};
	for (int i = 0; i < 5; i++) {
		info[3] = sent[i].value;
		assert_int_equal(CALL_4(SYS_rt_tgsigqueueinfo, 1000, 1000, sent[i].sig, info), 0);
	}
	for (int i = 0; i < 4; i++) {
		assert_true(CALL_4(SYS_rt_sigtimedwait, &set, info, &none, 8) > 0);
		assert_int_equal(info[3], values[i]);
	}
	assert_int_equal(CALL_4(SYS_rt_sigtimedwait, &set, info, &none, 8), -EAGAIN);
}

static void ignoring_a_signal_forgets_it(void **state)
{
	unsigned long set = 1ul << (SIGUSR1 - 1), pending = 0;
	CALL_4(SYS_rt_sigprocmask, SIG_BLOCK, &set, 0, 8);
	set_action(SIGUSR1, handler, 0);
	raise_signal(SIGUSR1);
	CALL_2(SYS_kill, 1000, SIGUSR1);
	set_action(SIGUSR1, SIG_IGN, 0);
	CALL_2(SYS_rt_sigpending, &pending, 8);
	assert_int_equal(pending, 0);
	raise_signal(SIGUSR1); /* blocked: it is kept, the action may be another one later */
	CALL_2(SYS_rt_sigpending, &pending, 8);
	assert_int_equal(pending, set);
}

static void timers_tell_what_is_left(void **state)
{
	long spec[4] = {0, 0, 5, 0}, left[4];
	int id = -1;
	u32 number[ALT_TIMERS];
	u64 deadline[ALT_TIMERS];
	set_action(SIGALRM, handler, 0);
	assert_int_equal(CALL_1(SYS_alarm, 3), 0);
	fake.now = 1000000000;
	assert_int_equal(CALL_1(SYS_alarm, 0), 2);
	assert_int_equal(vk_timers_ready(false, number, deadline), 0);
	assert_int_equal(CALL_3(SYS_timer_create, CLOCK_MONOTONIC, 0, &id), 0);
	assert_int_equal(id, 0);
	assert_int_equal(CALL_4(SYS_timer_settime, id, 0, spec, 0), 0);
	fake.now += 2000000000;
	assert_int_equal(CALL_2(SYS_timer_gettime, id, left), 0);
	assert_int_equal(left[2], 3);
	assert_int_equal(vk_timers_ready(false, number, deadline), 1);
	assert_int_equal(number[0], 1);
	assert_int_equal(CALL_1(SYS_timer_delete, id), 0);
	assert_int_equal(CALL_1(SYS_timer_delete, id), -EINVAL);
}

static void a_new_fiber_inherits_the_mask(void **state)
{
	unsigned long set = 1ul << (SIGUSR1 - 1), mask = 0;
	struct model_copy *before = model_copy();
	CALL_4(SYS_rt_sigprocmask, SIG_SETMASK, &set, 0, 8);
	vk_fiber_start(1, 0);
	fake.slot = 1;
	CALL_4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &mask, 8);
	assert_int_equal(mask, set);
	vk_fiber_end(1);
	vk_fiber_end(0);
	assert_model_is(before);
}

/* ---- the table ---- */

static void refused_calls_have_names(void **state)
{
	assert_int_equal(CALL_1(SYS_ptrace, 0), -ENOSYS);
	assert_string_equal(fake.refused_call, "ptrace");
	CALL_1(SYS_clone, SIGCHLD);
	assert_string_equal(fake.refused_call, "fork");
	CALL_1(SYS_execve, 0);
	assert_string_equal(fake.refused_call, "execve");
	CALL_1(SYS_inotify_init1, 0);
	assert_string_equal(fake.refused_call, "inotify_init1");
	CALL_1(1234, 0);
	assert_string_equal(fake.refused_call, "syscall 1234");
	CALL_1(-1, 0);
	assert_string_equal(fake.refused_call, "syscall -1");
}

/* Numbers that Linux uses are all in the table: none is refused by number. */
static void every_call_is_classified(void **state)
{
	for (long nr = 0; nr <= SYS_set_mempolicy_home_node; nr++) {
		if (nr > SYS_rseq && nr < SYS_pidfd_send_signal)
			continue; /* a gap in Linux's own numbering */
		if (nr == SYS_exit || nr == SYS_exit_group || nr == SYS_pause)
			continue;
		fake.refused = 0;
		fake_call(nr, -1, -1, -1, -1, -1, -1);
		if (fake.refused)
			assert_int_not_equal(strncmp(fake.refused_call, "syscall ", 8), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(clocks_start_at_the_epoch),
		WORLD_TEST(sleeping_moves_the_clock),
		WORLD_TEST(numbers_are_constant),
		WORLD_TEST(yielding_is_a_step),
		WORLD_TEST(exit_group_ends_the_process),
		WORLD_TEST(random_numbers_depend_on_the_fiber_alone),
		WORLD_TEST(urandom_is_the_same_stream),
		WORLD_TEST(abort_is_its_own_kind),
		WORLD_TEST(ignored_signals_do_nothing),
		WORLD_TEST(a_handler_runs_with_its_signal_blocked),
		WORLD_TEST(a_blocked_signal_waits),
		WORLD_TEST(a_signal_to_another_thread_is_sent_by_a_step_and_waits_there),
		WORLD_TEST(what_waits_is_in_the_order_of_numbers_and_real_time_signals_queue),
		WORLD_TEST(ignoring_a_signal_forgets_it),
		WORLD_TEST(timers_tell_what_is_left),
		WORLD_TEST(a_new_fiber_inherits_the_mask),
		WORLD_TEST(refused_calls_have_names),
		WORLD_TEST(every_call_is_classified),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
