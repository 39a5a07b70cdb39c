/*
 * thread_detach.c: a thread detached at birth, one by its parent, one by itself;
 * each still does its work, nobody joins, and joining a detached thread is EINVAL.
 *
 * heddle: verdict=verified outcomes=3
 */
#include "guest.h"

static sem_t done, keep;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *body(void *detach_self)
{
	if (detach_self)
		OK(pthread_detach(pthread_self()));
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	sem_post(&done);
	sem_wait(&keep);
	return NULL;
}

int main(void)
{
	sem_init(&done, 0, 0);
	sem_init(&keep, 0, 0);
	pthread_attr_t attr;
	OK(pthread_attr_init(&attr));
	OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
	pthread_t born, later;
	OK(pthread_create(&born, &attr, body, NULL));
	OK(pthread_attr_destroy(&attr));
	sem_wait(&done);
	later = spawn(body, NULL);
	OK(pthread_detach(later));
	CHECK(pthread_join(later, NULL) == EINVAL);
	CHECK(pthread_detach(later) == EINVAL);
	sem_wait(&done);
	spawn(body, &keep);
	sem_wait(&done);
	heddle_outcome(count);
	return 0;
}
