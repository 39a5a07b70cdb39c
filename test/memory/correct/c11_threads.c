/*
 * c11_threads.c: mtx_t, cnd_t and thrd_join of C11.
 *
 * heddle: verdict=verified outcomes=3
 */
#include <threads.h>

#include "guest.h"

static mtx_t lock;
static cnd_t changed;
static int stage;

static int body(void *arg)
{
	(void)arg;
	mtx_lock(&lock);
	while (stage == 0)
		cnd_wait(&changed, &lock);
	stage++;
	mtx_unlock(&lock);
	return 0;
}

int main(void)
{
	thrd_t t;

	CHECK(mtx_init(&lock, mtx_plain) == thrd_success);
	CHECK(cnd_init(&changed) == thrd_success);
	CHECK(thrd_create(&t, body, NULL) == thrd_success);
	mtx_lock(&lock);
	stage = 1;
	cnd_signal(&changed);
	mtx_unlock(&lock);
	CHECK(thrd_join(t, NULL) == thrd_success);
	stage++;
	heddle_outcome(stage);
	return 0;
}
