// A reader lets go, and a writer who only tries can tell.
// plant: memory * release
// names: memory|lock
#include "audit.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void reader(void)
{
	pthread_rwlock_rdlock(&l);
	pause_here();
	pthread_rwlock_unlock(&l);
}
static void writer(void)
{
	pause_here();
	if (!pthread_rwlock_trywrlock(&l))
		pthread_rwlock_unlock(&l);
}
PROGRAM(reader, writer)
