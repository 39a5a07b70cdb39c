/* fake_guest.c: a program for the fake runtime: known functions and variables, one call of sched_yield. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

struct queue {
	int length;
	struct {
		long pad[2];
		pthread_mutex_t lock[3];
	} inner;
};

struct queue queues[4];
void *fake_object = &queues[2].inner.lock[1];

/* Places in the code: behind a call, its line, and where a function begins. */
void *fake_caller, *fake_function;
int fake_line;

__attribute__((noinline)) static void guest_called(void)
{
	fake_caller = __builtin_return_address(0);
	fake_function = guest_called;
}

/* Stands for one of libheddle-hooks.a: never in a backtrace. */
__attribute__((noinline, section("heddle_hooks"))) static int guest_hook(void)
{
	int ret = sched_yield(); /* fake_rt.c takes over here */

	return ret ? -1 : 0;
}

__attribute__((noinline)) static int guest_inner(int depth)
{
	int ret = guest_hook();

	return ret + depth;
}

__attribute__((noinline)) static int guest_outer(int depth)
{
	return guest_inner(depth + 1) + 1;
}

/* Without the fake runtime: prints what the launcher is to keep constant. */
int main(int argc, char **argv)
{
	fake_line = __LINE__ + 1;
	guest_called();
	for (int i = 1; i < argc; i++)
		printf("%s=%s\n", argv[i], getenv(argv[i]) ? getenv(argv[i]) : "(unset)");
	return guest_outer(argc) > 100;
}
