/*
 * rwlock_preference.c: a reader locks twice while a writer may wait. The default lock
 * prefers readers, so that is fine; one that prefers writers (non-recursively) lets the waiting
 * writer block the second read lock: deadlock.
 *
 * heddle: verdict=verified args=reader
 * heddle: verdict=verified args=default
 * heddle: verdict=violation kind=deadlock args=writer message~="(?i)rwlock|read"
 * native: args=reader
 * native: args=default
 * native: args=writer any
 */
#include "guest.h"

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&rw);
	pthread_rwlock_unlock(&rw);
	return arg;
}

static void make(int kind)
{
	pthread_rwlockattr_t attr;
	OK(pthread_rwlockattr_init(&attr));
	OK(pthread_rwlockattr_setkind_np(&attr, kind));
	OK(pthread_rwlock_init(&rw, &attr));
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "reader"))
		make(PTHREAD_RWLOCK_PREFER_READER_NP);
	else if (story(argc, argv, "writer"))
		make(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_t t = spawn(writer, NULL);
	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_unlock(&rw);
	pthread_rwlock_unlock(&rw);
	join(t);
	return 0;
}
