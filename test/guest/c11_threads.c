/*
 * c11_threads.c: threads.h: thrd, mtx (plain, recursive, timed, try), cnd, tss with
 * destructors, call_once.
 *
 * heddle: verdict=verified outcomes=13
 */
#include <threads.h>

#include "guest.h"

static mtx_t lock, deep, timed;
static cnd_t cond;
static tss_t key;
static once_flag once = ONCE_FLAG_INIT;
static int ready, inits, destroyed;

static void init(void)
{
	inits++;
}

static void destroy(void *value)
{
	destroyed += *(int *)value;
	free(value);
}

static int body(void *arg)
{
	call_once(&once, init);
	int *mine = malloc(sizeof(*mine));
	*mine = 10;
	CHECK(tss_set(key, mine) == thrd_success);
	CHECK(tss_get(key) == mine);
	mtx_lock(&lock);
	while (!ready)
		cnd_wait(&cond, &lock);
	mtx_unlock(&lock);
	thrd_exit(*(int *)arg);
}

static void recursive_and_timed(void)
{
	CHECK(mtx_init(&deep, mtx_plain | mtx_recursive) == thrd_success);
	CHECK(mtx_lock(&deep) == thrd_success && mtx_trylock(&deep) == thrd_success);
	CHECK(mtx_unlock(&deep) == thrd_success && mtx_unlock(&deep) == thrd_success);
	mtx_destroy(&deep);
	struct timespec past = {1, 0};
	CHECK(mtx_init(&timed, mtx_timed) == thrd_success);
	CHECK(mtx_timedlock(&timed, &past) == thrd_success);
	CHECK(mtx_trylock(&timed) == thrd_busy);
	CHECK(mtx_timedlock(&timed, &past) == thrd_timedout);
	mtx_unlock(&timed);
	mtx_destroy(&timed);
}

int main(void)
{
	int two = 2, result = 0;
	thrd_t t;
	CHECK(mtx_init(&lock, mtx_plain) == thrd_success);
	CHECK(cnd_init(&cond) == thrd_success);
	CHECK(tss_create(&key, destroy) == thrd_success);
	recursive_and_timed();
	CHECK(thrd_create(&t, body, &two) == thrd_success);
	call_once(&once, init);
	CHECK(!thrd_equal(t, thrd_current()));
	mtx_lock(&lock);
	ready = 1;
	cnd_broadcast(&cond);
	mtx_unlock(&lock);
	CHECK(thrd_join(t, &result) == thrd_success);
	CHECK(tss_get(key) == NULL);
	tss_delete(key);
	cnd_destroy(&cond);
	mtx_destroy(&lock);
	heddle_outcome(inits + result + destroyed);
	return 0;
}
