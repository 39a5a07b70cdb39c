/*
 * A lock, semaphore or condition variable in memory that was freed: the last worker unlocks the pool's mutex after
 * the owner, who saw "all done" under it, has freed the pool.
 *
 * heddle: args=unlock verdict=violation message~="freed"
 * heddle: args=post verdict=violation message~="freed"
 * heddle: args=signal verdict=violation message~="freed"
 * heddle: args=lock verdict=violation message~="freed"
 * heddle: args=right verdict=verified
 * native: skip
 */
#include <sched.h>
#include <stdbool.h>

#include "guest.h"

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t idle;
	sem_t done;
	int busy;
};
static const char *how;
static sem_t bye;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static void *worker(void *arg)
{
	struct pool *p = arg;
	if (is("post")) {
		OK(pthread_mutex_lock(&p->lock));
		p->busy = 0;
		OK(pthread_mutex_unlock(&p->lock));
		OK(sem_post(&p->done));
		return NULL;
	}
	OK(pthread_mutex_lock(&p->lock));
	p->busy = 0;
	if (!is("signal"))
		pthread_cond_signal(&p->idle);
	OK(pthread_mutex_unlock(&p->lock));
	if (is("signal"))
		pthread_cond_signal(&p->idle);
	if (is("lock")) {
		OK(pthread_mutex_lock(&p->lock));
		OK(pthread_mutex_unlock(&p->lock));
	}
	if (is("right"))
		OK(sem_post(&bye));
	return NULL;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "unlock";
	struct pool *p = malloc(sizeof(*p));
	OK(pthread_mutex_init(&p->lock, NULL));
	OK(pthread_cond_init(&p->idle, NULL));
	OK(sem_init(&p->done, 0, 0));
	p->busy = 1;
	pthread_t t = spawn(worker, p);
	for (int busy = 1; busy;) {
		bool quick = is("unlock"); /* looks without the lock: the worker may be about to unlock it */
		if (!quick)
			OK(pthread_mutex_lock(&p->lock));
		busy = p->busy;
		if (!quick)
			OK(pthread_mutex_unlock(&p->lock));
		if (busy)
			sched_yield();
	}
	if (is("right"))
		OK(sem_wait(&bye));
	free(p);
	join(t);
	return 0;
}
