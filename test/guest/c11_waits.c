/*
 * c11_waits.c: C11 timed waits, sleep, yield and detach: the time-out is a choice.
 *
 * heddle: verdict=verified outcomes=0,1
 */
#include <threads.h>

#include "guest.h"

static mtx_t lock;
static cnd_t cond;
static int ready;

static int setter(void *arg)
{
	(void)arg;
	thrd_yield();
	thrd_sleep(&(struct timespec){0, 1000}, NULL);
	mtx_lock(&lock);
	ready = 1;
	cnd_signal(&cond);
	mtx_unlock(&lock);
	return 0;
}

int main(void)
{
	thrd_t t;
	mtx_init(&lock, mtx_plain);
	cnd_init(&cond);
	CHECK(thrd_create(&t, setter, NULL) == thrd_success);
	CHECK(thrd_detach(t) == thrd_success);
	mtx_lock(&lock);
	struct timespec until;
	timespec_get(&until, TIME_UTC);
	until.tv_sec += 2;
	int rc = thrd_success;
	while (!ready && rc == thrd_success)
		rc = cnd_timedwait(&cond, &lock, &until);
	CHECK(rc == thrd_success || rc == thrd_timedout);
	heddle_outcome(ready);
	mtx_unlock(&lock);
	return 0;
}
