// Which key number is the lowest free one.
// plant: process keys *
// names: key
#include "audit.h"
static pthread_key_t key[2];
static void first(void)
{
	pause_here();
	pthread_key_create(&key[0], NULL);
}
static void second(void)
{
	pause_here();
	pthread_key_create(&key[1], NULL);
}
PROGRAM(first, second)
