/*
 * A reference count: who drops the last reference frees the object. Right: the
 * decrement tells what it left. The fault: decrement and look are two
 * operations, so two threads may both see zero, or look at freed memory.
 */
#include "common.h"

struct object {
	atomic_int references;
	int payload;
};

static void drop(struct object *o)
{
	if (FAULT) {
		atomic_fetch_sub(&o->references, 1);
		if (atomic_load(&o->references) == 0)
			free(o);
	} else if (atomic_fetch_sub(&o->references, 1) == 1) {
		free(o);
	}
}

static void *body(void *arg)
{
	struct object *o = arg;

	assert(o->payload == 42);
	drop(o);
	return NULL;
}

int main(void)
{
	struct object *o = malloc(sizeof *o);

	assert(o);
	atomic_init(&o->references, 2);
	o->payload = 42;
	pthread_t a = start(body, o), b = start(body, o);
	finish(a);
	finish(b);
	return 0;
}
