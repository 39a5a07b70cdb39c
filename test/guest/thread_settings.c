/*
 * What each thread sets for itself is read back, inherited by the threads it makes, and no business of others: cancel
 * state, signal mask, alternate stack, personality, timer slack, I/O priority, errno, locale of the thread.
 *
 * heddle: verdict=verified states<=10
 */
#include <locale.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "guest.h"

enum { THIS_PROCESS = 1, BEST_EFFORT = 2 << 13 };

static int cancel_state(void)
{
	int old;
	OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
	OK(pthread_setcancelstate(old, NULL));
	return old;
}

static int blocks(int sig)
{
	sigset_t set;
	OK(pthread_sigmask(SIG_BLOCK, NULL, &set));
	return sigismember(&set, sig);
}

static void *other(void *arg)
{
	stack_t stack;
	CHECK(blocks(SIGUSR1)); /* inherited */
	CHECK(prctl(PR_GET_TIMERSLACK) == 1234);
	CHECK(personality(0xffffffff) & ADDR_NO_RANDOMIZE);
	CHECK(cancel_state() == PTHREAD_CANCEL_ENABLE); /* not inherited */
	OK(sigaltstack(NULL, &stack));
	CHECK(stack.ss_flags & SS_DISABLE);
	errno = 5;
	OK(prctl(PR_SET_TIMERSLACK, 99));
	personality(0);
	sigset_t none;
	sigemptyset(&none);
	OK(pthread_sigmask(SIG_SETMASK, &none, NULL));
	OK((int)syscall(SYS_ioprio_set, THIS_PROCESS, 0, BEST_EFFORT | 1));
	uselocale(newlocale(LC_ALL_MASK, "C", NULL));
	return arg;
}

int main(void)
{
	static char room[16384];
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)}, found;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
	OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	OK(sigaltstack(&stack, NULL));
	OK(prctl(PR_SET_TIMERSLACK, 1234));
	CHECK(personality(ADDR_NO_RANDOMIZE) >= 0);
	OK((int)syscall(SYS_ioprio_set, THIS_PROCESS, 0, BEST_EFFORT | 3));
	pthread_t t = spawn(other, NULL);
	errno = 77;
	join(t);
	CHECK(errno == 77);
	CHECK(blocks(SIGUSR1));
	CHECK(cancel_state() == PTHREAD_CANCEL_DISABLE);
	CHECK(prctl(PR_GET_TIMERSLACK) == 1234);
	CHECK(personality(0xffffffff) & ADDR_NO_RANDOMIZE);
	CHECK(syscall(SYS_ioprio_get, THIS_PROCESS, 0) == (BEST_EFFORT | 3));
	OK(sigaltstack(NULL, &found));
	CHECK(found.ss_sp == room);
	CHECK(uselocale(NULL) == LC_GLOBAL_LOCALE);
	return 0;
}
