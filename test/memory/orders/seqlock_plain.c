/*
 * seqlock_plain.c: a reader of a sequence lock whose data are plain: it reads while the writer writes, and throws it away.
 *
 * heddle: verdict=violation kind=race
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_uint sequence;
static int left, right;

static void *writer(void *arg)
{
	atomic_fetch_add_explicit(&sequence, 1, memory_order_acq_rel);
	left = right = 1;
	atomic_fetch_add_explicit(&sequence, 1, memory_order_release);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
	int l = left, r = right;

	if (!(before & 1) && before == atomic_load_explicit(&sequence, memory_order_relaxed))
		heddle_assert(l == r);
	join(t);
	return 0;
}
