/*
 * heddle_choose.c: choose tries all values, in one thread and in two at once; assume
 * drops what does not matter; nothing of that is needed natively.
 *
 * heddle: verdict=verified outcomes=0,1,2,10,12,20,21
 */
#include "guest.h"

static int pick[2];

static void *body(void *arg)
{
	pick[(long)arg] = (int)heddle_choose(3);
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(body, (void *)1);
	body((void *)0);
	join(t);
	heddle_assume(pick[0] != pick[1] || pick[0] == 0);
	heddle_outcome(pick[0] * 10 + pick[1]);
	return 0;
}
