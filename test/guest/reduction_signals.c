/*
 * reduction_signals.c: N threads, M times a lock of their own, beside signals and timers. What nobody else
 * can notice is explored in one order.
 * watchdog N M: an alarm that would kill the process. It expires when nothing else can happen.
 * stuck N M: the same, and in the end nobody can go on: the alarm comes.
 * sigwait N M: one thread waits for a signal that all others block, another sends it.
 * thread N M: one thread has a handler, and is sent a signal by another.
 * timerfd N M: one thread waits for a timer.
 * expires N M: a timer calls a handler in the first thread, which all others block; meanwhile it joins them.
 * meets: so it does, in the middle of the join: the handler sees how far the thread has come.
 * restores: the handler comes to be while the other unlocks: then it can run in between.
 * interrupts: one who does not take the signal itself sends it, and posts the semaphore that the other waits
 * for: that is interrupted in between, or not.
 *
 * heddle: args="watchdog 4 4" options="--por on" verdict=verified states<=80
 * heddle: args="watchdog 2 2" verdict=verified states<=120
 * heddle: args="stuck 4 4" options="--por on" verdict=violation kind=crash states<=80
 * heddle: args="sigwait 4 4" options="--por on" verdict=verified states<=120
 * heddle: args="thread 4 4" options="--por on" verdict=verified states<=160
 * heddle: args="timerfd 4 4" options="--por on" verdict=verified states<=120
 * heddle: args="expires 4 4" options="--por on" verdict=verified states<=160
 * heddle: args="meets" options="--por on" verdict=verified outcomes=0,1,2
 * heddle: args="meets" options="--por off" verdict=verified outcomes=0,1,2
 * heddle: args="restores" options="--por on" verdict=verified outcomes=0,1,2
 * heddle: args="restores" options="--por off" verdict=verified outcomes=0,1,2
 * heddle: args="interrupts" options="--por on" verdict=verified outcomes=10,14
 * heddle: args="interrupts" options="--por off" verdict=verified outcomes=10,14
 * native: args="sigwait 4 4"
 * native: args="timerfd 4 4"
 */
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#include "guest.h"

#define MOST 16

static long threads, rounds;
static pthread_mutex_t lock[MOST + 1];
static int used[MOST];
static volatile sig_atomic_t hits;
static sem_t never, stage;

static void *independent(void *arg)
{
	long me = (long)arg;
	for (long i = 0; i < rounds; i++) {
		OK(pthread_mutex_lock(&lock[me]));
		used[me]++;
		OK(pthread_mutex_unlock(&lock[me]));
	}
	return NULL;
}

static sigset_t usr1(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGALRM);
	return set;
}

static void block(int way)
{
	sigset_t set = usr1();
	OK(pthread_sigmask(way, &set, NULL));
}

static void handler(int sig)
{
	int far;
	(void)sig;
	hits = 1;
	if (threads > 0)
		OK(sem_post(&never));
	if (threads)
		return;
	OK(sem_getvalue(&stage, &far));
	heddle_outcome(far);
}

static void handle(int sig)
{
	struct sigaction sa = {.sa_handler = handler};
	OK(sigaction(sig, &sa, NULL));
}

static void *waits(void *arg)
{
	sigset_t set = usr1();
	int sig;
	OK(sigwait(&set, &sig));
	return arg;
}

static void *has_handler(void *arg)
{
	block(SIG_UNBLOCK);
	while (sem_wait(&never))
		CHECK(errno == EINTR);
	return arg;
}

static void *reads_timer(void *arg)
{
	struct itimerspec soon = {.it_value.tv_nsec = 1000};
	unsigned long count;
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	CHECK(fd >= 0 && !timerfd_settime(fd, 0, &soon, NULL));
	CHECK(read(fd, &count, sizeof(count)) == sizeof(count));
	return arg;
}

static void *in_two_steps(void *arg)
{
	OK(sem_post(&stage));
	OK(sem_post(&stage));
	return arg;
}

static void *sets_handler(void *arg)
{
	block(SIG_BLOCK);
	handle(SIGUSR1);
	OK(pthread_kill(*(pthread_t *)arg, SIGUSR1));
	return NULL;
}

/* The first thread takes the alarm while it waits for the other. */
static void meets(void)
{
	block(SIG_BLOCK);
	pthread_t t = spawn(in_two_steps, NULL);
	handle(SIGALRM);
	block(SIG_UNBLOCK);
	struct itimerval soon = {.it_value.tv_usec = 1};
	OK(setitimer(ITIMER_REAL, &soon, NULL));
	join(t);
}

static void restores(void)
{
	pthread_t me = pthread_self();
	signal(SIGUSR1, SIG_IGN);
	pthread_t t = spawn(sets_handler, &me);
	in_two_steps(NULL);
	join(t);
	if (!hits)
		heddle_outcome(0);
}

static void *is_interrupted(void *arg)
{
	block(SIG_UNBLOCK);
	heddle_outcome(10 + (sem_wait(&never) ? errno : 0));
	return arg;
}

static void interrupts(void)
{
	threads = -1;
	block(SIG_BLOCK);
	handle(SIGUSR1);
	pthread_t t = spawn(is_interrupted, NULL);
	OK(pthread_kill(t, SIGUSR1));
	OK(sem_post(&never));
	join(t);
}

static void with_others(int argc, char **argv)
{
	pthread_t t[MOST], extra = 0;
	int sends = story(argc, argv, "thread"), waiting = story(argc, argv, "sigwait");
	block(SIG_BLOCK);
	if (sends)
		handle(SIGUSR1);
	if (story(argc, argv, "watchdog") || story(argc, argv, "stuck")) {
		block(SIG_UNBLOCK);
		alarm(10);
	}
	for (long i = 0; i < threads; i++)
		t[i] = spawn(independent, (void *)i);
	if (sends || waiting || story(argc, argv, "timerfd"))
		extra = spawn(sends ? has_handler : waiting ? waits : reads_timer, NULL);
	if (sends)
		OK(pthread_kill(extra, SIGUSR1));
	if (waiting)
		OK(kill(getpid(), SIGUSR1));
	if (story(argc, argv, "expires")) {
		struct itimerval soon = {.it_value.tv_usec = 1};
		handle(SIGALRM);
		block(SIG_UNBLOCK);
		OK(setitimer(ITIMER_REAL, &soon, NULL));
	}
	for (long i = 0; i < threads; i++)
		join(t[i]);
	if (extra)
		join(extra);
	if (story(argc, argv, "stuck"))
		OK(sem_wait(&never));
	for (long i = 0; i < threads; i++) {
		CHECK(used[i] == rounds);
		OK(pthread_mutex_destroy(&lock[i]));
	}
}

int main(int argc, char **argv)
{
	OK(sem_init(&never, 0, 0));
	OK(sem_init(&stage, 0, 0));
	for (long i = 0; i <= MOST; i++)
		OK(pthread_mutex_init(&lock[i], NULL));
	if (story(argc, argv, "meets")) {
		meets();
		return 0;
	}
	if (story(argc, argv, "restores")) {
		restores();
		return 0;
	}
	if (story(argc, argv, "interrupts")) {
		interrupts();
		return 0;
	}
	threads = atol(argv[2]);
	rounds = atol(argv[3]);
	CHECK(threads <= MOST);
	with_others(argc, argv);
	return 0;
}
