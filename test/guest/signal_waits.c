/*
 * What a handler interrupts, and what goes on waiting; in which order handlers run; timers.
 *
 * heddle: args=cond verdict=verified outcomes=1
 * heddle: args=barrier verdict=verified outcomes=1
 * heddle: args=sem verdict=verified outcomes=0,4
 * heddle: args=sem-restart verdict=verified outcomes=0
 * heddle: args=sleep verdict=verified outcomes=0,1
 * heddle: args=poll verdict=verified outcomes=0,4
 * heddle: args=ppoll verdict=verified outcomes=4
 * heddle: args=self-lock verdict=violation kind=deadlock
 * heddle: args=between verdict=verified outcomes=2,3,4
 * heddle: args=order verdict=verified outcomes=21
 * heddle: args=queue verdict=verified outcomes=123
 * heddle: args=one-each verdict=verified outcomes=3
 * heddle: args=once verdict=violation kind=crash
 * heddle: args=nodefer verdict=verified outcomes=2
 * heddle: args=periodic verdict=verified outcomes=3
 * heddle: args=watchdog verdict=verified outcomes=5
 * heddle: args=hung verdict=violation kind=crash
 * heddle: args=futex verdict=verified outcomes=0,4,11
 * heddle: args=ignore verdict=verified outcomes=0,1
 * heddle: args=server verdict=verified outcomes=7
 * native: args=order
 * native: args=queue
 * native: args=one-each
 * native: args=cond any
 */
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "guest.h"

static const char *how;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem, go;
static volatile int hits, ready, trail, where;
static volatile int word;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static void handler(int sig)
{
	if (hits < 3) /* a timer may tick without end */
		hits++;
	if (is("self-lock")) {
		OK(pthread_mutex_lock(&lock));
		OK(pthread_mutex_unlock(&lock));
	} else if (is("between")) {
		where = pthread_mutex_trylock(&other) ? 1 : 2; /* is the first one still held? */
		if (where == 2)
			OK(pthread_mutex_unlock(&other));
	} else if (is("order")) {
		trail = trail * 10 + (sig == SIGUSR1 ? 1 : 2);
	} else if (is("nodefer") && hits < 2) {
		raise(sig);
	}
}

static void value_handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	trail = trail * 10 + info->si_value.sival_int;
}

static void set(int sig, int flags)
{
	struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};
	OK(sigaction(sig, &sa, NULL));
}

static sigset_t set_of(int a, int b)
{
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, a);
	if (b)
		sigaddset(&s, b);
	return s;
}

static void *waits(void *arg)
{
	if (is("cond")) {
		OK(pthread_mutex_lock(&lock));
		while (!ready)
			OK(pthread_cond_wait(&cond, &lock));
		OK(pthread_mutex_unlock(&lock));
		heddle_outcome(1);
	} else if (is("barrier")) {
		pthread_barrier_wait(&barrier);
		heddle_outcome(1);
	} else if (is("sem") || is("sem-restart")) {
		heddle_outcome(sem_wait(&sem) ? errno : 0);
	} else if (is("sleep")) {
		heddle_outcome(sleep(1));
	} else if (is("poll")) {
		heddle_outcome(poll(NULL, 0, 1000) < 0 ? errno : 0);
	} else if (is("ppoll")) {
		sigset_t none;
		sigemptyset(&none);
		heddle_outcome(ppoll(NULL, 0, NULL, &none) < 0 ? errno : 0);
	} else if (is("self-lock")) {
		OK(pthread_mutex_lock(&lock));
		OK(pthread_mutex_unlock(&lock));
	} else if (is("between")) {
		OK(pthread_mutex_lock(&lock));
		OK(pthread_mutex_lock(&other));
		OK(pthread_mutex_unlock(&other));
		OK(pthread_mutex_unlock(&lock));
		heddle_outcome(where + 2);
	} else if (is("futex")) {
		heddle_outcome(syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL) ? errno : 0);
	} else if (is("ignore")) {
		OK(raise(SIGUSR1)); /* blocked */
		sigset_t pending;
		OK(sigpending(&pending));
		heddle_outcome(sigismember(&pending, SIGUSR1));
	} else if (is("server")) {
		int sig;
		sigset_t s = set_of(SIGUSR1, 0);
		OK(sigwait(&s, &sig));
		heddle_outcome(7);
	}
	return arg;
}

/* One thread waits, this one signals it and then lets it go. */
static void pairs(void)
{
	sigset_t usr1 = set_of(SIGUSR1, 0);
	OK(pthread_barrier_init(&barrier, NULL, 2));
	if (is("ppoll") || is("ignore") || is("server"))
		OK(pthread_sigmask(SIG_BLOCK, &usr1, NULL));
	set(SIGUSR1, is("sem-restart") ? SA_RESTART : 0);
	pthread_t t = spawn(waits, NULL);
	if (is("ignore"))
		signal(SIGUSR1, SIG_IGN);
	else
		OK(pthread_kill(t, SIGUSR1));
	if (is("cond")) {
		OK(pthread_mutex_lock(&lock));
		ready = 1;
		OK(pthread_cond_signal(&cond));
		OK(pthread_mutex_unlock(&lock));
	} else if (is("barrier")) {
		pthread_barrier_wait(&barrier);
	} else if (is("futex")) {
		word = 1;
		syscall(SYS_futex, &word, FUTEX_WAKE, 1);
	}
	OK(sem_post(&sem));
	join(t);
}

static void alone(void)
{
	sigset_t both = set_of(SIGUSR1, SIGUSR2), rt = set_of(SIGRTMIN, SIGRTMIN + 1), none;
	struct itimerval often = {{0, 1000}, {0, 1000}};
	sigemptyset(&none);
	if (is("order")) {
		set(SIGUSR1, 0);
		set(SIGUSR2, 0);
		OK(sigprocmask(SIG_BLOCK, &both, NULL));
		raise(SIGUSR2);
		raise(SIGUSR1);
		OK(sigprocmask(SIG_UNBLOCK, &both, NULL));
		heddle_outcome(
			trail); /* frames are stacked up from the lowest number on: the highest runs first */
		CHECK(trail == 21);
	} else if (is("queue")) {
		struct sigaction sa = {.sa_sigaction = value_handler, .sa_flags = SA_SIGINFO, .sa_mask = rt};
		OK(sigaction(SIGRTMIN, &sa, NULL));
		OK(sigaction(SIGRTMIN + 1, &sa, NULL));
		OK(sigprocmask(SIG_BLOCK, &rt, NULL));
		OK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 3}));
		OK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1}));
		OK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 2}));
		OK(sigprocmask(SIG_UNBLOCK, &rt, NULL));
		heddle_outcome(trail);
		CHECK(trail == 123);
	} else if (is("one-each")) { /* of several with one number a wait takes one: its mask is gone then */
		sigset_t none;
		sigemptyset(&none);
		set(SIGRTMIN, 0);
		OK(sigprocmask(SIG_BLOCK, &rt, NULL));
		for (int i = 0; i < 3; i++)
			OK(sigqueue(getpid(), SIGRTMIN, (union sigval){0}));
		sigsuspend(&none);
		CHECK(hits == 1);
		CHECK(ppoll(NULL, 0, NULL, &none) < 0 && hits == 2);
		sigsuspend(&none);
		heddle_outcome((unsigned long)hits);
	} else if (is("once")) {
		set(SIGUSR1, SA_RESETHAND);
		raise(SIGUSR1);
		raise(SIGUSR1);
	} else if (is("nodefer")) {
		set(SIGUSR1, SA_NODEFER);
		raise(SIGUSR1);
		heddle_outcome(hits);
	} else if (is("periodic")) {
		set(SIGALRM, 0);
		OK(setitimer(ITIMER_REAL, &often, NULL));
		while (hits < 3)
			sigsuspend(&none);
		often = (struct itimerval){{0, 0}, {0, 0}};
		OK(setitimer(ITIMER_REAL, &often, NULL));
		heddle_outcome(3);
	} else if (is("watchdog")) {
		alarm(60);
		OK(sem_post(&go));
		OK(sem_wait(&go));
		heddle_outcome(5);
	} else if (is("hung")) {
		alarm(60);
		sem_wait(&go);
	}
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "order";
	static const char *const single[] = {"order",   "queue",    "one-each", "once",
					     "nodefer", "periodic", "watchdog", "hung"};
	for (unsigned i = 0; i < sizeof(single) / sizeof(single[0]); i++)
		if (is(single[i]))
			return alone(), 0;
	pairs();
	return 0;
}
