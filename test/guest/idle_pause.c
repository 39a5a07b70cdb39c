/*
 * Idle is not stuck: all work is done, and main waits for a signal that nobody in the program sends, as daemons do.
 * heddle: verdict=verified args=pause text~="wait for a signal which the program never sends"
 * heddle: verdict=violation kind=deadlock args=pause options="--strict-idle"
 * heddle: verdict=verified args=suspend text~="wait for a signal which the program never sends"
 * heddle: verdict=verified args=sigwait text~="wait for a signal which the program never sends"
 * heddle: verdict=verified args=signalfd text~="wait for a signal which the program never sends"
 *
 * But a signal that comes from one of its threads, or from its timer, before main waits for it, is lost for ever;
 * heddle: verdict=violation kind=deadlock args=lost
 * heddle: verdict=violation kind=deadlock args=alarm
 *
 * and who waits for a condition is not helped by a signal.
 * heddle: verdict=violation kind=deadlock args=beside
 * native: skip
 */
#include "guest.h"

#include <signal.h>
#include <sys/signalfd.h>

static volatile sig_atomic_t come;
static pthread_t first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void handler(int sig)
{
	(void)sig;
	come = 1;
}

static void *work(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void *sends(void *arg)
{
	OK(pthread_kill(first, SIGUSR1));
	return arg;
}

static void *waits(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	OK(pthread_cond_wait(&cond, &lock));
	return arg;
}

static void *takes(void *arg)
{
	sigset_t set;
	int sig;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	OK(sigwait(&set, &sig));
	return arg;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "pause";
	sigset_t none, term;
	sigemptyset(&none);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	first = pthread_self();
	signal(SIGUSR1, handler);
	signal(SIGALRM, handler);
	if (!strcmp(what, "lost")) {
		spawn(sends, NULL);
		if (!come)
			pause();
		return 0;
	}
	if (!strcmp(what, "alarm")) {
		alarm(1);
		if (!come)
			pause();
		return 0;
	}
	if (!strcmp(what, "beside")) {
		spawn(waits, NULL);
		pause();
	}
	pthread_t a = spawn(work, NULL), b = spawn(work, NULL);
	join(a);
	join(b);
	if (!strcmp(what, "signalfd")) {
		struct signalfd_siginfo info;
		OK(pthread_sigmask(SIG_BLOCK, &term, NULL));
		int fd = signalfd(-1, &term, 0);
		CHECK(read(fd, &info, sizeof(info)) == sizeof(info));
	}
	if (!strcmp(what, "sigwait"))
		join(spawn(takes, NULL));
	for (;;)
		!strcmp(what, "suspend") ? sigsuspend(&none) : pause();
}
