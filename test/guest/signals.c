/*
 * signals.c: handlers run at raise, on the thread that raised, with siginfo; masks hold
 * signals back; sigsetjmp out of a handler works; an ignored signal does nothing.
 *
 * heddle: verdict=verified outcomes=131
 */
#include <setjmp.h>
#include <signal.h>

#include "guest.h"

static volatile sig_atomic_t got, who;
static sigjmp_buf back;

static void handler(int signo, siginfo_t *info, void *context)
{
	CHECK(signo == SIGUSR1 && info->si_signo == SIGUSR1 && context);
	got++;
}

static void jumper(int signo)
{
	siglongjmp(back, signo);
}

static void *body(void *arg)
{
	who = (int)(long)arg;
	OK(raise(SIGUSR1));
	return NULL;
}

int main(void)
{
	struct sigaction sa = {0}, old;
	sa.sa_sigaction = handler;
	sa.sa_flags = SA_SIGINFO | SA_RESTART;
	OK(sigaction(SIGUSR1, &sa, NULL));
	OK(sigaction(SIGUSR1, NULL, &old));
	CHECK(old.sa_sigaction == handler);
	OK(raise(SIGUSR1));
	join(spawn(body, (void *)1));
	sigset_t set, was, pending;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	OK(pthread_sigmask(SIG_BLOCK, &set, &was));
	CHECK(!sigismember(&was, SIGUSR1));
	OK(raise(SIGUSR1));
	CHECK(got == 2);
	OK(sigpending(&pending));
	CHECK(sigismember(&pending, SIGUSR1));
	OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
	CHECK(got == 3);
	CHECK(signal(SIGUSR2, SIG_IGN) == SIG_DFL);
	OK(raise(SIGUSR2));
	signal(SIGUSR2, jumper);
	if (sigsetjmp(back, 1) == 0)
		raise(SIGUSR2);
	heddle_outcome(100 + got * 10 + who);
	return 0;
}
