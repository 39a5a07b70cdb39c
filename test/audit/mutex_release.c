// A mutex is released, merged into a step, and another thread can tell by trying.
// plant: memory * release
// names: memory|mutex
#include "audit.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void owner(void)
{
	pthread_mutex_lock(&m);
	pause_here();
	pthread_mutex_unlock(&m);
}
static void other(void)
{
	pause_here();
	if (!pthread_mutex_trylock(&m))
		pthread_mutex_unlock(&m);
}
PROGRAM(owner, other)
