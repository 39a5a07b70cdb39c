/*
 * random_numbers.c: all sources of random numbers give the same stream in every
 * execution: one outcome, though two threads race for the first number.
 *
 * heddle: verdict=verified outcomes#=1 args=one
 * heddle: verdict=verified args=two outcomes=1
 * native: args=one
 * native: args=two
 */
#include <fcntl.h>
#include <sys/random.h>

#include "guest.h"

static unsigned long number(void)
{
	unsigned long a = 0, b = 0;
	CHECK(getrandom(&a, sizeof(a), 0) == sizeof(a));
	int fd = open("/dev/urandom", O_RDONLY);
	CHECK(fd >= 0 && read(fd, &b, sizeof(b)) == sizeof(b));
	OK(close(fd));
	CHECK(getentropy(&b, 4) == 0);
	return a ^ b ^ arc4random() ^ (unsigned long)rand() ^ (unsigned long)random();
}

static void *taker(void *into)
{
	CHECK(getrandom(into, sizeof(long), GRND_NONBLOCK) == sizeof(long));
	return NULL;
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "one")) {
		heddle_outcome((long)number());
		return 0;
	}
	long x[2];
	pthread_t a = spawn(taker, &x[0]), b = spawn(taker, &x[1]);
	join(a);
	join(b);
	heddle_outcome(x[0] != x[1]);
	return 0;
}
