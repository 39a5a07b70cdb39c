// Two threads take one mutex: either order is possible, not both at once.
// plant: memory * acquire
// names: memory|mutex
#include "audit.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void work(void)
{
	pthread_mutex_lock(&m);
	pause_here();
	pthread_mutex_unlock(&m);
}
PROGRAM(work, work)
