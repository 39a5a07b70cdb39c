/*
 * overlap.c: a word on one side, half of it on the other; and two words that overlap unaligned.
 *
 * heddle: verdict=violation kind=race args=half
 * heddle: verdict=violation kind=race args=unaligned
 * heddle: verdict=verified args=apart
 * native: args=half
 * native: args=unaligned
 */
#include <stdint.h>

#include "guest.h"

static union {
	uint32_t word;
	uint16_t halves[2];
	char bytes[16];
} u;

struct __attribute__((packed)) unaligned {
	uint64_t value;
};

static char **args;

static void *body(void *arg)
{
	if (story(2, args, "half"))
		u.word = 1;
	else if (story(2, args, "apart"))
		u.halves[0] = 1;
	else
		((struct unaligned *)(u.bytes + 3))->value = 1;
	return arg;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	args = argv;
	pthread_t t = spawn(body, NULL);
	if (story(argc, argv, "unaligned"))
		u.bytes[10] = 2;
	else
		u.halves[1] = 2;
	join(t);
	heddle_outcome(u.bytes[10] + u.halves[1]);
	return 0;
}
