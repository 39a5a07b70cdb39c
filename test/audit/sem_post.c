// A post, merged into a step, lets another thread's sem_trywait succeed.
// plant: memory * release
// names: memory|semaphore
#include "audit.h"
static sem_t s;
static void init(void)
{
	sem_init(&s, 0, 0);
}
static void poster(void)
{
	pause_here();
	sem_post(&s);
}
static void taker(void)
{
	pause_here();
	sem_trywait(&s);
}
PROGRAM_AFTER(init, poster, taker)
