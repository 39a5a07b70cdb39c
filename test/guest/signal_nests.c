/*
 * signal_nests.c: the handler of a periodic timer waits for a lock that its thread holds, and does not block
 * its own signal: it is interrupted again and again, to any depth. heddle follows some dozens, and says so.
 *
 * heddle: verdict=incomplete refused~="handlers that interrupt handlers"
 * heddle: options="--por off" verdict=incomplete refused~="handlers that interrupt handlers"
 */
#include <signal.h>
#include <sys/time.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t stage;

static void handler(int sig)
{
	(void)sig;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	struct sigaction a = {.sa_handler = handler, .sa_flags = SA_NODEFER};
	struct itimerval often = {{0, 1000}, {0, 1000}};
	OK(sem_init(&stage, 0, 0));
	OK(sigaction(SIGALRM, &a, NULL));
	OK(pthread_mutex_lock(&lock));
	OK(setitimer(ITIMER_REAL, &often, NULL));
	OK(sem_trywait(&stage) != -1);
	OK(pthread_mutex_unlock(&lock));
	return 0;
}
