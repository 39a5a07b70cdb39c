/*
 * Signals between threads: who gets them, when handlers run, what waits for them.
 *
 * heddle: args=process verdict=verified outcomes=1,2,3
 * heddle: args=blocked verdict=verified outcomes=2
 * heddle: args=kill verdict=verified outcomes=2
 * heddle: args=unrelated verdict=verified outcomes=0,1,2
 * heddle: args=unrelated-kill verdict=verified outcomes=0,1,2
 * heddle: args=unrelated-raise verdict=verified outcomes=0,1,2
 * heddle: args=unrelated-write verdict=verified outcomes=0,1,2
 * heddle: args=when verdict=verified outcomes=0,1,2
 * heddle: args=sigwait verdict=verified outcomes=10
 * heddle: args=sigwaitinfo verdict=verified outcomes=77
 * heddle: args=timedwait verdict=verified outcomes=10,11
 * heddle: args=sigsuspend verdict=verified outcomes=1
 * heddle: args=pause verdict=violation kind=deadlock
 * heddle: args=alarm verdict=verified outcomes=1
 * heddle: args=itimer verdict=verified outcomes=1
 * heddle: args=armed verdict=verified outcomes=0,1
 * heddle: args=timer verdict=verified outcomes=1
 * heddle: args=ignored verdict=verified outcomes=0
 * heddle: args=pending verdict=verified outcomes=0,1
 * heddle: args=action verdict=verified outcomes=0,1
 * heddle: args=eintr verdict=verified outcomes=1,4
 * heddle: args=restart verdict=verified outcomes=1
 * heddle: args=older verdict=verified outcomes=1
 * heddle: args=onstack verdict=verified outcomes=1
 * heddle: args=fatal verdict=violation kind=crash
 * heddle: args=inherit verdict=verified outcomes=1
 * native: skip
 */
#include <sched.h>
#include <signal.h>
#include <sys/time.h>

#include "guest.h"

static const char *how;
static volatile sig_atomic_t hit, stage;
static pthread_t thread[3];
static int ends[2];
static char other_stack[65536];

static int is(const char *name)
{
	return !strcmp(how, name);
}

static int who(void)
{
	for (int i = 0; i < 3; i++)
		if (thread[i] == pthread_self())
			return i + 1;
	return 0;
}

static void handler(int sig)
{
	(void)sig;
	char here;
	if (is("process") || is("blocked") || is("kill"))
		heddle_outcome(who());
	if (is("when"))
		heddle_outcome(stage);
	if (!strncmp(how, "unrelated", 9))
		stage = who() == 0;
	if (is("onstack"))
		heddle_outcome(&here >= other_stack && &here < other_stack + sizeof(other_stack));
	hit = 1;
}

static void *reads_end(void *arg)
{
	char c;
	CHECK(read(ends[0], &c, 1) == 1);
	return arg;
}

static void with_handler(int flags)
{
	struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};
	OK(sigaction(SIGUSR1, &sa, NULL));
}

/* A call that sends a signal which is blocked or ignored delivers no other. */
static void sends_in_vain(void)
{
	int broken[2];
	if (is("unrelated")) {
		OK(kill(getpid(), SIGUSR2));
	} else if (is("unrelated-kill")) {
		OK(kill(getpid(), SIGPIPE));
	} else if (is("unrelated-raise")) {
		OK(raise(SIGPIPE));
	} else {
		OK(pipe(broken));
		OK(close(broken[0]));
		CHECK(write(broken[1], "x", 1) < 0 && errno == EPIPE);
	}
}

static void mask(int way)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	OK(pthread_sigmask(way, &set, NULL));
}

static sem_t go, ready;

static void *sleeper(void *arg)
{
	(void)arg;
	if (is("blocked"))
		mask(SIG_UNBLOCK);
	OK(sem_post(&ready));
	while (sem_wait(&go))
		;
	return NULL;
}

static void *stepper(void *arg)
{
	stage = 1;
	sched_yield();
	stage = 2;
	return arg;
}

static void *waiter(void *arg)
{
	sigset_t set;
	int sig = 0;
	siginfo_t info = {0};
	struct timespec soon = {0, 1000000};
	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (is("sigwait"))
		OK(sigwait(&set, &sig));
	else if (is("sigwaitinfo"))
		sigwaitinfo(&set, &info), sig = info.si_pid == getpid() ? info.si_value.sival_int : 0;
	else
		sig = sigtimedwait(&set, NULL, &soon) < 0 ? errno : SIGUSR1;
	heddle_outcome(sig);
	return NULL;
}

static void *reader(void *arg)
{
	char c;
	OK(sem_post(&ready));
	long n = read(ends[0], &c, 1);
	heddle_outcome(n == 1 ? 1 : errno);
	return arg;
}

static void *reads_later(void *arg)
{
	char c;
	CHECK(read(ends[0], &c, 1) == 1);
	heddle_outcome((unsigned long)hit);
	return arg;
}

static void *pauser(void *arg)
{
	pause();
	return arg;
}

static void *pends(void *arg)
{
	OK(pthread_kill(thread[0], SIGUSR1));
	return arg;
}

static void *ignores(void *arg)
{
	signal(SIGUSR1, SIG_IGN);
	return arg;
}

static void *asks_mask(void *arg)
{
	sigset_t set;
	OK(pthread_sigmask(SIG_SETMASK, NULL, &set));
	heddle_outcome(sigismember(&set, SIGUSR1));
	return arg;
}

/* Of two timers one has expired: the other is armed still, or its signal is there. */
static void armed_or_sent(void)
{
	struct itimerval it = {.it_value = {5, 0}}, now;
	struct itimerspec ts = {.it_value = {5, 0}};
	sigset_t set;
	timer_t timer;
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	siginfo_t info;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGUSR1);
	OK(sigprocmask(SIG_BLOCK, &set, NULL));
	OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
	OK(timer_settime(timer, 0, &ts, NULL));
	OK(setitimer(ITIMER_REAL, &it, NULL));
	sigdelset(&set, SIGALRM);
	CHECK(sigwaitinfo(&set, &info) == SIGUSR1);
	OK(getitimer(ITIMER_REAL, &now));
	OK(sigpending(&set));
	int armed = now.it_value.tv_sec || now.it_value.tv_usec;
	CHECK(armed || sigismember(&set, SIGALRM));
	heddle_outcome((unsigned long)armed);
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "process";
	sigset_t set;
	thread[0] = pthread_self();
	with_handler(is("restart") ? SA_RESTART : is("onstack") ? SA_ONSTACK : 0);
	OK(pipe(ends));
	if (is("process") || is("blocked")) {
		if (is("blocked"))
			mask(SIG_BLOCK);
		thread[1] = spawn(sleeper, NULL);
		OK(sem_wait(&ready));
		if (is("blocked"))
			thread[2] = thread[1];
		else
			thread[2] = spawn(sleeper, NULL), sem_wait(&ready);
		OK(kill(getpid(), SIGUSR1));
		while (!hit)
			sched_yield();
		OK(sem_post(&go));
		OK(sem_post(&go));
		join(thread[1]);
		if (!is("blocked"))
			join(thread[2]);
	} else if (is("kill")) {
		thread[1] = spawn(sleeper, NULL);
		OK(pthread_kill(thread[1], SIGUSR1));
		OK(sem_post(&go));
		join(thread[1]);
	} else if (!strncmp(how, "unrelated", 9)) {
		sigemptyset(&set);
		sigaddset(&set, SIGUSR2);
		OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
		signal(SIGPIPE, SIG_IGN);
		with_handler(SA_RESTART);
		thread[0] = spawn(reads_end, NULL);
		OK(kill(getpid(), SIGUSR1));
		sends_in_vain();
		heddle_outcome(!hit ? 2 : (unsigned long)stage);
		CHECK(write(ends[1], "x", 1) == 1);
		join(thread[0]);
	} else if (is("when")) {
		thread[1] = spawn(stepper, NULL);
		OK(pthread_kill(thread[1], SIGUSR1));
		join(thread[1]);
	} else if (is("sigwait") || is("sigwaitinfo") || is("timedwait")) {
		mask(SIG_BLOCK);
		thread[1] = spawn(waiter, NULL);
		if (is("sigwaitinfo"))
			OK(pthread_sigqueue(thread[1], SIGUSR1, (union sigval){.sival_int = 77}));
		else
			OK(kill(getpid(), SIGUSR1));
		join(thread[1]);
	} else if (is("sigsuspend")) {
		mask(SIG_BLOCK);
		thread[1] = spawn(pends, NULL);
		sigemptyset(&set);
		while (!hit)
			sigsuspend(&set);
		join(thread[1]);
		heddle_outcome(hit);
	} else if (is("pause")) {
		/* The classic: the signal may come before pause() and is lost. */
		thread[1] = spawn(pauser, NULL);
		OK(pthread_kill(thread[1], SIGUSR1));
		join(thread[1]);
	} else if (is("alarm") || is("itimer") || is("timer")) {
		struct sigaction sa = {.sa_handler = handler};
		struct itimerval it = {.it_value = {0, 1000}};
		struct itimerspec ts = {.it_value = {0, 1000000}};
		timer_t timer;
		OK(sigaction(SIGALRM, &sa, NULL));
		sigemptyset(&set);
		sigaddset(&set, SIGALRM);
		OK(sigprocmask(SIG_BLOCK, &set, NULL));
		if (is("alarm"))
			alarm(1);
		else if (is("itimer"))
			OK(setitimer(ITIMER_REAL, &it, NULL));
		else
			timer_create(CLOCK_MONOTONIC, NULL, &timer), timer_settime(timer, 0, &ts, NULL);
		sigemptyset(&set);
		while (!hit)
			sigsuspend(&set);
		heddle_outcome(hit);
	} else if (is("armed")) {
		armed_or_sent();
	} else if (is("ignored")) {
		mask(SIG_BLOCK);
		OK(raise(SIGUSR1));
		signal(SIGUSR1, SIG_IGN);
		with_handler(0);
		mask(SIG_UNBLOCK);
		heddle_outcome(hit);
	} else if (is("pending")) {
		mask(SIG_BLOCK);
		thread[1] = spawn(pends, NULL);
		OK(sigpending(&set));
		heddle_outcome(sigismember(&set, SIGUSR1));
		join(thread[1]);
	} else if (is("action")) {
		thread[1] = spawn(ignores, NULL);
		raise(SIGUSR1);
		heddle_outcome(hit);
		join(thread[1]);
	} else if (is("eintr") || is("restart")) {
		/* The signal comes before the read, while it waits, or after it. */
		thread[1] = spawn(reader, NULL);
		OK(sem_wait(&ready));
		OK(pthread_kill(thread[1], SIGUSR1));
		CHECK(write(ends[1], "x", 1) == 1);
		join(thread[1]);
	} else if (is("older")) { /* than what the call returns: its handler has run by then */
		with_handler(SA_RESTART);
		thread[1] = spawn(reads_later, NULL);
		OK(pthread_kill(thread[1], SIGUSR1));
		CHECK(write(ends[1], "x", 1) == 1);
		join(thread[1]);
	} else if (is("onstack")) {
		stack_t ss = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)};
		OK(sigaltstack(&ss, NULL));
		raise(SIGUSR1);
	} else if (is("fatal")) {
		signal(SIGUSR1, SIG_DFL);
		thread[1] = spawn(sleeper, NULL);
		pthread_kill(thread[1], SIGUSR1);
		OK(sem_post(&go));
		join(thread[1]);
	} else if (is("inherit")) {
		mask(SIG_BLOCK);
		join(spawn(asks_mask, NULL));
	}
	return 0;
}
