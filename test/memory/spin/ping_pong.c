/*
 * ping_pong.c: two threads take turns; plain data goes to and fro with the turn.
 *
 * heddle: verdict=verified outcomes=6 states<=150
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int turn;
static int ball;

static void *body(void *arg)
{
	int me = (int)(long)arg;

	for (int i = 0; i < 3; i++) {
		while (atomic_load(&turn) != me)
			;
		CHECK(ball % 2 == me);
		ball++;
		atomic_store(&turn, 1 - me);
	}
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(body, (void *)0), b = spawn(body, (void *)1);

	join(a);
	join(b);
	heddle_outcome(ball);
	return 0;
}
