/*
 * rare_branch.c: the unlocked access happens only if three threads came in one order of six, and only for
 * one of the choices.
 *
 * heddle: verdict=violation kind=race message~="victim"
 * heddle: verdict=verified options="--races ignore" outcomes=0,1,2
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order, victim;

static void *body(void *arg)
{
	pthread_mutex_lock(&lock);
	order = order * 10 + (int)(long)arg;
	int seen = order;
	pthread_mutex_unlock(&lock);
	if ((seen == 312 || seen == 31) && heddle_choose(3) == 1)
		victim++;
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(body, (void *)1), b = spawn(body, (void *)2), c = spawn(body, (void *)3);

	join(a);
	join(b);
	join(c);
	heddle_outcome(victim);
	return 0;
}
