/*
 * Thread functions that return nothing: what is left in the register is no part of the state as long as nobody
 * joins with a place for it. Who does look sees the value.
 *
 * heddle: verdict=verified states=29
 * heddle: args=same verdict=verified states=22
 * heddle: args=look verdict=verified outcomes=1,2 states=33
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn, garbage;

/* Leaves what it saw in rax. */
static void *leaves(void *arg)
{
	(void)arg;
	OK(pthread_mutex_lock(&lock));
	long mine = garbage ? ++turn : 0;
	turn = garbage ? turn : 0;
	OK(pthread_mutex_unlock(&lock));
	OK(pthread_mutex_lock(&lock));
	turn = 0;
	OK(pthread_mutex_unlock(&lock));
	return (void *)mine;
}

int main(int argc, char **argv)
{
	garbage = !story(argc, argv, "same");
	pthread_t a = spawn(leaves, NULL), b = spawn(leaves, NULL);
	if (story(argc, argv, "look")) {
		void *value;
		OK(pthread_join(a, &value));
		OK(pthread_join(b, NULL));
		heddle_outcome((long)value);
		return 0;
	}
	OK(pthread_join(a, NULL));
	OK(pthread_join(b, NULL));
	return 0;
}
