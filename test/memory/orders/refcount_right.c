/*
 * refcount_right.c: a reference count as in shared pointers: release to count down, an acquire fence before the end.
 *
 * heddle: verdict=verified
 */
#include <stdatomic.h>

#include "guest.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan" /* fences */
#endif

struct object {
	atomic_int users;
	int value;
};

static void put(struct object *o)
{
	if (atomic_fetch_sub_explicit(&o->users, 1, memory_order_release) != 1)
		return;
	atomic_thread_fence(memory_order_acquire);
	o->value = -1;
	free(o);
}

static void *body(void *arg)
{
	struct object *o = arg;

	heddle_assert(o->value == 7);
	put(o);
	return NULL;
}

int main(void)
{
	struct object *o = malloc(sizeof(*o));
	pthread_t a, b;

	atomic_init(&o->users, 2);
	o->value = 7;
	a = spawn(body, o);
	b = spawn(body, o);
	join(a);
	join(b);
	return 0;
}
