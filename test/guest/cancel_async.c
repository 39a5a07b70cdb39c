/*
 * cancel_async.c: with asynchronous cancellation a thread ends at any operation, not only at cancellation points:
 * also between lock and unlock. A cleanup handler, or a moment of deferred cancellation, protects it.
 *
 * heddle: args=naked verdict=violation kind=deadlock
 * heddle: args=cleanup verdict=verified
 * heddle: args=deferred verdict=verified
 * heddle: args=disabled verdict=verified
 * heddle: args=where verdict=verified outcomes=0,1,2,3
 * heddle: args=types verdict=verified
 * native: args=types
 */
#include <sched.h>

#include "guest.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int how;
static volatile int done;

static void unlock(void *lock)
{
	OK(pthread_mutex_unlock(lock));
}

static void *naked(void *arg)
{
	int old;
	OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
	if (how == 'd')
		OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
	if (how == 'o')
		OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
	OK(pthread_mutex_lock(&first));
	OK(pthread_mutex_unlock(&first));
	if (how == 'd')
		OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
	if (how == 'o')
		OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
	return arg;
}

static void *cleanup(void *arg)
{
	int old;
	pthread_cleanup_push(unlock, &first);
	OK(pthread_mutex_lock(&first)); /* while cancellation is deferred */
	OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
	OK(pthread_mutex_lock(&second));
	OK(pthread_mutex_unlock(&second));
	OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
	pthread_cleanup_pop(1);
	return arg;
}

static void *where(void *arg)
{
	int old;
	OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
	for (int i = 0; i < 2; i++) {
		done++;
		sched_yield();
	}
	done++;
	return arg;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? !strcmp(argv[1], "disabled") ? 'o' : argv[1][0] : 'n';
	if (how == 't') {
		int old = 9;
		OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
		CHECK(old == PTHREAD_CANCEL_DEFERRED);
		OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
		CHECK(old == PTHREAD_CANCEL_ASYNCHRONOUS);
		CHECK(pthread_setcanceltype(7, &old) == EINVAL);
		return 0;
	}
	pthread_t t = spawn(how == 'c' ? cleanup : how == 'w' ? where : naked, NULL);
	OK(pthread_cancel(t));
	join(t);
	if (how == 'w') {
		heddle_outcome(done);
		return 0;
	}
	OK(pthread_mutex_lock(&first));
	OK(pthread_mutex_unlock(&first));
	return 0;
}
