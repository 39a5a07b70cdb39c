/*
 * A thread has been cancelled, and does not know yet: which of libc's functions act on the request (1), and which don't
 * (0), although the same system call is behind them. Where it depends, both happen: pthread_join acts if it has to wait.
 *
 * heddle: args=getrandom verdict=verified outcomes=1
 * heddle: args=getentropy verdict=verified outcomes=0
 * heddle: args=arc4random verdict=verified outcomes=0
 * heddle: args=fallocate verdict=verified outcomes=1
 * heddle: args=posix_fallocate verdict=verified outcomes=0
 * heddle: args=tcdrain verdict=verified outcomes=1
 * heddle: args=join verdict=verified outcomes=0,1
 * heddle: args=getaddrinfo verdict=verified outcomes=0,1
 * heddle: args=nothing verdict=verified outcomes=0
 */
#include "guest.h"

#include <fcntl.h>
#include <netdb.h>
#include <sys/random.h>
#include <termios.h>

static sem_t ready, asked;
static pthread_t other;
static const char *what;
static char buf[8];
static int file;

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void call(void)
{
	struct addrinfo *found;
	if (is("getrandom"))
		(void)!getrandom(buf, 1, 0);
	else if (is("getentropy"))
		(void)!getentropy(buf, 1);
	else if (is("arc4random"))
		arc4random();
	else if (is("fallocate"))
		fallocate(file, 0, 0, 1);
	else if (is("posix_fallocate"))
		posix_fallocate(file, 0, 1);
	else if (is("tcdrain"))
		tcdrain(file);
	else if (is("join"))
		pthread_join(other, NULL);
	else if (is("getaddrinfo") && !getaddrinfo("127.0.0.1", NULL, NULL, &found))
		freeaddrinfo(found);
}

static void *nothing(void *arg)
{
	return arg;
}

static void *run(void *arg)
{
	int old;
	OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
	OK(sem_post(&ready));
	OK(sem_wait(&asked));
	OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
	call();
	OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
	return arg;
}

int main(int argc, char **argv)
{
	char name[] = "/tmp/pendingXXXXXX";
	void *result;
	what = argc > 1 ? argv[1] : "nothing";
	file = mkstemp(name);
	OK(unlink(name));
	OK(sem_init(&ready, 0, 0));
	OK(sem_init(&asked, 0, 0));
	other = spawn(nothing, NULL);
	pthread_t t = spawn(run, NULL);
	OK(sem_wait(&ready));
	OK(pthread_cancel(t));
	OK(sem_post(&asked));
	OK(pthread_join(t, &result));
	heddle_outcome(result == PTHREAD_CANCELED);
	return 0;
}
