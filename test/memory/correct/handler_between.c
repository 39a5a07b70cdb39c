/*
 * handler_between.c: a handler comes between two plain accesses of its own thread, also inside a critical
 * section, and if there is no other thread: what it adds may be lost (1 instead of 11).
 *
 * heddle: args=thread verdict=verified outcomes=1,11
 * heddle: args=lock verdict=verified outcomes=1,11
 * heddle: args=alone verdict=verified outcomes=1,11
 * heddle: args=blocked verdict=verified outcomes=11
 * heddle: args=two verdict=violation kind=race
 */
#include <sched.h>
#include <signal.h>
#include <sys/time.h>

#include "guest.h"

static int n;
static volatile int came;
static pthread_t main_thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void adds(int sig)
{
	(void)sig;
	n += 10;
	came = 1;
}

static void *kills(void *arg)
{
	OK(pthread_kill(main_thread, SIGALRM));
	return arg;
}

static void *kills_itself(void *arg)
{
	OK(pthread_kill(pthread_self(), SIGALRM));
	return arg;
}

int main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = adds};
	struct itimerval soon = {.it_value.tv_sec = 1};
	sigset_t set;
	OK(sigaction(SIGALRM, &act, NULL));
	OK(sigemptyset(&set));
	OK(sigaddset(&set, SIGALRM));
	main_thread = pthread_self();
	if (story(argc, argv, "two")) { /* handlers of two threads at once */
		pthread_t a = spawn(kills_itself, NULL), b = spawn(kills_itself, NULL);
		kills(NULL);
		join(a);
		join(b);
		return 0;
	}
	if (story(argc, argv, "alone"))
		OK(setitimer(ITIMER_REAL, &soon, NULL));
	else
		OK(pthread_detach(spawn(kills, NULL)));
	if (story(argc, argv, "lock"))
		OK(pthread_mutex_lock(&lock));
	if (story(argc, argv, "blocked"))
		OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
	n = n + 1;
	if (story(argc, argv, "lock"))
		OK(pthread_mutex_unlock(&lock));
	OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
	while (!came)
		sched_yield();
	heddle_outcome(n);
	return 0;
}
