/*
 * A signal is sent to a thread, or to the process, when the thread that might take it is at its end. What it does last may
 * be part of an earlier step only as long as nobody sends signals: its handler runs (1) or comes too late (0; in a
 * process, main takes it).
 *
 * heddle: verdict=verified outcomes=0,1 args=thread
 * heddle: verdict=verified outcomes=0,1 args=process
 * pthread_sigqueue tells that the thread has ended (2), pthread_kill does not.
 * heddle: verdict=verified outcomes=0,1,2 args=queue
 */
#include "guest.h"

#include <signal.h>

static sem_t ready;
static volatile sig_atomic_t handled;
static __thread int worker;

static void handler(int sig)
{
	(void)sig;
	handled = worker;
}

static void *work(void *arg)
{
	worker = 1;
	OK(sem_post(&ready));
	sigset_t all;
	sigfillset(&all);
	OK(pthread_sigmask(SIG_BLOCK, &all, NULL));
	return arg;
}

int main(int argc, char **argv)
{
	int to_process = argc > 1 && argv[1][0] == 'p';
	signal(SIGUSR1, handler);
	OK(sem_init(&ready, 0, 0));
	pthread_t t = spawn(work, NULL);
	while (sem_wait(&ready))
		;
	int ended = 0;
	if (to_process)
		OK(kill(getpid(), SIGUSR1));
	else if (argc > 1 && argv[1][0] == 'q')
		ended = pthread_sigqueue(t, SIGUSR1, (union sigval){.sival_int = 1}) == ESRCH;
	else
		OK(pthread_kill(t, SIGUSR1));
	join(t);
	heddle_outcome(ended ? 2 : handled);
	return 0;
}
