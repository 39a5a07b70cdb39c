/*
 * bounded_spin.c: looks three times and gives up.
 *
 * heddle: verdict=verified outcomes=0,1,2,3
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int flag;

static void *setter(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(setter, NULL);
	int looks = 0;

	while (looks < 3 && !atomic_load(&flag))
		looks++;
	join(t);
	heddle_outcome(looks);
	return 0;
}
