/*
 * object_destroyed_last.c: a counted object with its own mutex; who drops it to zero destroys and frees
 * it, after everybody else is out.
 *
 * heddle: verdict=verified outcomes=1
 */
#include "guest.h"

struct object {
	pthread_mutex_t lock;
	int references;
};

static int freed;

static void *drop(void *arg)
{
	struct object *o = arg;

	pthread_mutex_lock(&o->lock);
	int left = --o->references;
	pthread_mutex_unlock(&o->lock);
	if (!left) {
		OK(pthread_mutex_destroy(&o->lock));
		free(o);
		freed++;
	}
	return NULL;
}

int main(void)
{
	struct object *o = malloc(sizeof *o);

	CHECK(o);
	OK(pthread_mutex_init(&o->lock, NULL));
	o->references = 2;
	pthread_t a = spawn(drop, o), b = spawn(drop, o);
	join(a);
	join(b);
	heddle_outcome(freed);
	return 0;
}
