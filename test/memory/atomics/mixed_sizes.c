/*
 * mixed_sizes.c: an atomic word and atomic bytes of it: no race, and every mixture of the two bytes and the
 * word shows.
 *
 * heddle: verdict=verified outcomes=0x0000,0x0001,0x0201,0x0403
 */
#include <stdint.h>

#include "guest.h"

static union {
	uint16_t word;
	uint8_t bytes[2];
} u;

static void *body(void *arg)
{
	__atomic_store_n(&u.bytes[0], 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&u.bytes[1], 2, __ATOMIC_SEQ_CST);
	__atomic_store_n(&u.word, 0x0403, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	int seen = __atomic_load_n(&u.word, __ATOMIC_SEQ_CST);

	join(t);
	heddle_outcome(seen);
	return 0;
}
