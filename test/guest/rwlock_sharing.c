/*
 * rwlock_sharing.c: two readers meet inside the lock (each waits there for the other),
 * a writer is alone there; the writer's work shows before, or after, each reader.
 *
 * heddle: verdict=verified outcomes=0,22
 */
#include "guest.h"

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t met[2];
static int value, seen[2], inside;

static void *reader(void *arg)
{
	long me = (long)arg;
	pthread_rwlock_rdlock(&rw);
	sem_post(&met[1 - me]);
	sem_wait(&met[me]);
	seen[me] = value;
	CHECK(!inside);
	pthread_rwlock_unlock(&rw);
	return NULL;
}

static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&rw);
	inside = 1;
	value = 1;
	sched_yield();
	value = 2;
	inside = 0;
	pthread_rwlock_unlock(&rw);
	return arg;
}

int main(void)
{
	sem_init(&met[0], 0, 0);
	sem_init(&met[1], 0, 0);
	pthread_t a = spawn(reader, (void *)0), b = spawn(reader, (void *)1), w = spawn(writer, NULL);
	join(a);
	join(b);
	join(w);
	heddle_outcome(seen[0] * 10 + seen[1]);
	return 0;
}
