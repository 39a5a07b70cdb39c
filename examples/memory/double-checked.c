/*
 * Double-checked initialisation: look without the lock, and only if nothing is
 * there take the lock and look again. Right with an atomic pointer; the fault
 * is the classic one, a plain pointer: another thread reads it while it is written.
 */
#include "common.h"

struct config {
	int width, height;
};

#if FAULT
static struct config *shared;
#define LOOK() shared
#define PUBLISH(c) (shared = (c))
#else
static _Atomic(struct config *) shared;
#define LOOK() atomic_load_explicit(&shared, memory_order_acquire)
#define PUBLISH(c) atomic_store_explicit(&shared, c, memory_order_release)
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int built; /* under the lock */

static struct config *build(void)
{
	struct config *c = malloc(sizeof *c);

	assert(c);
	*c = (struct config){.width = 80, .height = 25};
	built++;
	return c;
}

static struct config *get(void)
{
	struct config *c = LOOK();

	if (c)
		return c;
	pthread_mutex_lock(&lock);
	c = LOOK();
	if (!c) {
		c = build();
		PUBLISH(c);
	}
	pthread_mutex_unlock(&lock);
	return c;
}

static void *body(void *arg)
{
	struct config *c = get();

	assert(c->width == 80 && c->height == 25);
	return arg;
}

int main(void)
{
	pthread_t a = start(body, NULL), b = start(body, NULL), c = start(body, NULL);

	finish(a);
	finish(b);
	finish(c);
	assert(built == 1);
	free(LOOK());
	return 0;
}
