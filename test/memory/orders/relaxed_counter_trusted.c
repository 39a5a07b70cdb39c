/*
 * relaxed_counter_trusted.c: who finds the relaxed counter at its end reads what the others wrote before they counted.
 *
 * heddle: verdict=violation kind=race message~="don't order"
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int count;
static int result[2];

static void *body(void *arg)
{
	int me = *(int *)arg;

	result[me] = 1;
	if (atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) == 1)
		heddle_outcome(result[!me]);
	return NULL;
}

int main(void)
{
	int number[2] = {0, 1};
	pthread_t a = spawn(body, &number[0]), b = spawn(body, &number[1]);

	join(a);
	join(b);
	return 0;
}
