/*
 * All kinds of synchronisation objects in memory that was freed, and what looks like it and is right.
 *
 * The release that is merged into a longer step: the worker says "done" while it holds the pool's mutex.
 * heddle: args=window verdict=violation kind=lock-misuse message~="a mutex in freed memory.*allocated at.*freed at" where=@window
 * heddle: args=window_realloc verdict=violation kind=lock-misuse message~="mutex in freed memory" where=@window
 * heddle: args=window_rwlock verdict=violation kind=lock-misuse message~="a rwlock in freed memory"
 * heddle: args=window_spin verdict=violation kind=lock-misuse message~="a spin lock in freed memory"
 * heddle: args=window_sem verdict=violation kind=lock-misuse message~="a semaphore in freed memory"
 * heddle: args=wakes verdict=violation kind=lock-misuse message~="a mutex in freed memory"
 * heddle: args=atomic verdict=violation kind=lock-misuse message~="an atomic variable in freed memory" where=@atomic
 *
 * One thread alone:
 * heddle: args="plain lock" verdict=violation kind=lock-misuse message~="a mutex in freed memory"
 * heddle: args="plain init" verdict=violation kind=lock-misuse message~="a mutex in freed memory"
 * heddle: args="plain destroy" verdict=violation kind=lock-misuse message~="a mutex in freed memory"
 * heddle: args="plain try" verdict=violation kind=lock-misuse message~="a mutex in freed memory"
 * heddle: args="plain signal" verdict=violation kind=lock-misuse message~="a condition variable in freed memory"
 * heddle: args="plain broadcast" verdict=violation kind=lock-misuse message~="a condition variable in freed memory"
 * heddle: args="plain wait" verdict=violation kind=lock-misuse message~="a condition variable in freed memory"
 * heddle: args="plain post" verdict=violation kind=lock-misuse message~="a semaphore in freed memory"
 * heddle: args="plain getvalue" verdict=violation kind=lock-misuse message~="a semaphore in freed memory"
 * heddle: args="plain rdlock" verdict=violation kind=lock-misuse message~="a rwlock in freed memory"
 * heddle: args="plain once" verdict=violation kind=lock-misuse message~="a once control in freed memory"
 * heddle: args=window_once verdict=violation kind=lock-misuse message~="a once control in freed memory"
 * heddle: args="plain barrier" verdict=violation kind=lock-misuse message~="a barrier in freed memory"
 *
 * No mistakes: the last who drops a reference frees, the object is destroyed by who woke up last, a block is
 * used again.
 * heddle: args=refcount verdict=verified options="--sanity 2"
 * heddle: args=refcount_free verdict=verified options="--sanity 2"
 * heddle: args=handshake verdict=verified options="--sanity 2"
 * heddle: args=again verdict=verified options="--sanity 2"
 * build: -Wno-use-after-free
 * native: skip
 */
#include <stdatomic.h>

#include "guest.h"

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_rwlock_t rw;
	pthread_spinlock_t spin;
	pthread_barrier_t barrier;
	sem_t sem;
	pthread_once_t once;
	atomic_int count;
	int references;
};
static const char *how;
static sem_t done;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static struct pool *pool_new(void)
{
	struct pool *p = calloc(1, sizeof(*p));
	OK(pthread_mutex_init(&p->lock, NULL));
	OK(pthread_cond_init(&p->changed, NULL));
	OK(pthread_rwlock_init(&p->rw, NULL));
	OK(pthread_spin_init(&p->spin, 0));
	OK(pthread_barrier_init(&p->barrier, NULL, 1));
	OK(sem_init(&p->sem, 0, 1));
	return p;
}

static void nothing(void)
{
}

static void *finishes(void *arg)
{
	struct pool *p = arg;
	if (is("window_rwlock"))
		OK(pthread_rwlock_wrlock(&p->rw));
	else if (is("window_spin"))
		OK(pthread_spin_lock(&p->spin));
	else if (is("window_once"))
		OK(pthread_once(&p->once, nothing));
	else if (!is("window_sem"))
		OK(pthread_mutex_lock(&p->lock));
	OK(sem_post(&done));
	if (is("window_rwlock"))
		OK(pthread_rwlock_unlock(&p->rw));
	else if (is("window_spin"))
		OK(pthread_spin_unlock(&p->spin));
	else if (is("window_once"))
		OK(pthread_once(&p->once, nothing)); /* which was done before */
	else if (is("window_sem"))
		OK(sem_post(&p->sem));
	else
		OK(pthread_mutex_unlock(&p->lock)); /* @window */
	return NULL;
}

static void window(void)
{
	struct pool *p = pool_new();
	pthread_t t = spawn(finishes, p);
	OK(sem_wait(&done));
	if (is("window_realloc"))
		CHECK(realloc(p, 1 << 20));
	else
		free(p);
	join(t);
}

static void *sleeps(void *arg)
{
	struct pool *p = arg;
	OK(pthread_mutex_lock(&p->lock));
	while (!p->references)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void wakes(void)
{
	struct pool *p = pool_new();
	pthread_t t = spawn(sleeps, p);
	OK(pthread_mutex_lock(&p->lock));
	p->references = 1;
	OK(pthread_cond_signal(&p->changed));
	OK(pthread_mutex_unlock(&p->lock));
	free(p); /* the thread may not have its mutex back yet */
	join(t);
}

static void *counts(void *arg)
{
	struct pool *p = arg;
	atomic_fetch_add(&p->count, 1);
	atomic_fetch_add(&p->count, 1); /* @atomic */
	return NULL;
}

static void atomics(void)
{
	struct pool *p = pool_new();
	pthread_t t = spawn(counts, p);
	if (atomic_fetch_add(&p->count, 1))
		free(p);
	join(t);
}

static void plain(const char *what)
{
	struct pool *p = pool_new();
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	struct timespec soon = {0};
	int value;
	free(p);
	if (!strcmp(what, "lock"))
		pthread_mutex_lock(&p->lock);
	if (!strcmp(what, "init"))
		pthread_mutex_init(&p->lock, NULL);
	if (!strcmp(what, "destroy"))
		pthread_mutex_destroy(&p->lock);
	if (!strcmp(what, "try"))
		pthread_mutex_trylock(&p->lock);
	if (!strcmp(what, "signal"))
		pthread_cond_signal(&p->changed);
	if (!strcmp(what, "broadcast"))
		pthread_cond_broadcast(&p->changed);
	if (!strcmp(what, "wait")) {
		pthread_mutex_lock(&own);
		pthread_cond_timedwait(&p->changed, &own, &soon);
	}
	if (!strcmp(what, "post"))
		sem_post(&p->sem);
	if (!strcmp(what, "getvalue"))
		sem_getvalue(&p->sem, &value);
	if (!strcmp(what, "rdlock"))
		pthread_rwlock_rdlock(&p->rw);
	if (!strcmp(what, "once"))
		pthread_once(&p->once, nothing);
	if (!strcmp(what, "barrier"))
		pthread_barrier_wait(&p->barrier);
}

/* POSIX: a mutex may be destroyed as soon as it is unlocked. */
static void *drops(void *arg)
{
	struct pool *p = arg;
	OK(pthread_mutex_lock(&p->lock));
	int last = --p->references == 0;
	OK(pthread_mutex_unlock(&p->lock));
	if (last && is("refcount"))
		OK(pthread_mutex_destroy(&p->lock));
	if (last)
		free(p);
	return NULL;
}

static void refcount(void)
{
	struct pool *p = pool_new();
	p->references = 2;
	pthread_t t = spawn(drops, p);
	drops(p);
	join(t);
}

static void *answers(void *arg)
{
	struct pool *p = arg;
	OK(pthread_mutex_lock(&p->lock));
	p->references = 1;
	OK(pthread_cond_signal(&p->changed));
	OK(pthread_mutex_unlock(&p->lock));
	return NULL;
}

static void handshake(void)
{
	struct pool *p = pool_new();
	pthread_t t = spawn(answers, p);
	OK(pthread_mutex_lock(&p->lock));
	while (!p->references)
		OK(pthread_cond_wait(&p->changed, &p->lock));
	OK(pthread_mutex_unlock(&p->lock));
	OK(pthread_cond_destroy(&p->changed));
	OK(pthread_mutex_destroy(&p->lock));
	free(p);
	join(t);
}

static void again(void)
{
	for (int i = 0; i < 3; i++) {
		struct pool *p = pool_new();
		pthread_t t = spawn(finishes, p);
		OK(sem_wait(&done));
		join(t);
		free(p);
	}
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "window";
	OK(sem_init(&done, 0, 0));
	if (!strncmp(how, "window", 6))
		window();
	if (is("wakes"))
		wakes();
	if (is("atomic"))
		atomics();
	if (is("plain"))
		plain(argv[2]);
	if (is("refcount") || is("refcount_free"))
		refcount();
	if (is("handshake"))
		handshake();
	if (is("again"))
		again();
	return 0;
}
