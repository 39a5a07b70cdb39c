/*
 * A signal that the process ignores is lost, unless all who could take it block it when it is sent: then it waits, and
 * sigpending() tells (1, else 0). So who blocks it meanwhile decides, though nothing ever takes such a signal. And one that
 * waits is gone for everybody when somebody unblocks it.
 *
 * heddle: verdict=verified outcomes=0,1 args=process
 * heddle: verdict=verified outcomes=0,1 args=thread
 * heddle: verdict=verified outcomes=0,1 args=unblock
 */
#include "guest.h"

#include <errno.h>
#include <signal.h>

static sem_t go, sent;
static sigset_t usr1;
static unsigned found;

static unsigned pending(void)
{
	sigset_t set;
	OK(sigpending(&set));
	return (unsigned)sigismember(&set, SIGUSR1);
}

/* The one that blocks it only now. */
static void *block(void *arg)
{
	OK(sem_wait(&go));
	OK(pthread_sigmask(SIG_BLOCK, &usr1, NULL));
	OK(sem_wait(&sent));
	found = pending();
	return arg;
}

/* The same for a moment only. */
static void *look(void *arg)
{
	OK(sem_wait(&go));
	OK(pthread_sigmask(SIG_BLOCK, &usr1, NULL));
	found = pending();
	OK(pthread_sigmask(SIG_UNBLOCK, &usr1, NULL));
	return arg;
}

static void *send(void *arg)
{
	OK(kill(getpid(), SIGUSR1));
	return arg;
}

int main(int argc, char **argv)
{
	char how = argc > 1 ? argv[1][0] : 'p';
	OK(sem_init(&go, 0, 0));
	OK(sem_init(&sent, 0, 0));
	signal(SIGUSR1, SIG_IGN);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_t t;
	if (how == 'u') { /* sent, and forgotten or not */
		OK(pthread_sigmask(SIG_BLOCK, &usr1, NULL));
		t = spawn(send, NULL);
		OK(pthread_sigmask(SIG_UNBLOCK, &usr1, NULL));
		OK(pthread_sigmask(SIG_BLOCK, &usr1, NULL));
		join(t);
		found = pending();
	} else if (how == 't') {
		t = spawn(look, NULL);
		OK(sem_post(&go));
		int err = pthread_kill(t, SIGUSR1);
		CHECK(!err || err == ESRCH);
		join(t);
	} else {
		t = spawn(block, NULL);
		OK(pthread_sigmask(SIG_BLOCK, &usr1, NULL));
		OK(sem_post(&go));
		OK(kill(getpid(), SIGUSR1));
		OK(sem_post(&sent));
		join(t);
	}
	heddle_outcome(found);
	return 0;
}
