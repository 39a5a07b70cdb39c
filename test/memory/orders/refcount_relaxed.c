/*
 * refcount_relaxed.c: the same counted down with relaxed: the last one destroys what others may still read.
 *
 * heddle: verdict=violation kind=race message~="don't order"
 */
#include <stdatomic.h>

#include "guest.h"

struct object {
	atomic_int users;
	int value;
};

static void *body(void *arg)
{
	struct object *o = arg;

	heddle_assert(o->value == 7);
	if (atomic_fetch_sub_explicit(&o->users, 1, memory_order_relaxed) == 1)
		o->value = -1;
	return NULL;
}

int main(void)
{
	static struct object o = {2, 7};
	pthread_t a = spawn(body, &o), b = spawn(body, &o);

	join(a);
	join(b);
	return 0;
}
