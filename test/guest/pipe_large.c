/*
 * pipe_large.c: pipes that are made larger, and smaller again, with bytes in them.
 *
 * heddle: args=sizes verdict=verified
 * heddle: args=writer verdict=verified outcomes=1
 * heddle: args=stuck verdict=violation kind=deadlock
 * native: args=sizes
 * native: args=writer
 */
#include <fcntl.h>

#include "guest.h"

#define MANY 200000

static int ends[2];
static char bytes[MANY];

static void sizes(void)
{
	CHECK(fcntl(ends[1], F_GETPIPE_SZ) == 65536);
	CHECK(write(ends[1], "first", 5) == 5);
	CHECK(fcntl(ends[1], F_SETPIPE_SZ, 70000) == 131072);
	CHECK(fcntl(ends[0], F_GETPIPE_SZ) == 131072);
	CHECK(write(ends[1], bytes, 100000) == 100000);
	FAILS(fcntl(ends[1], F_SETPIPE_SZ, 65536), EBUSY);
	CHECK(read(ends[0], bytes, 5) == 5 && !memcmp(bytes, "first", 5));
	for (int left = 100000; left;) {
		ssize_t n = read(ends[0], bytes, MANY);
		CHECK(n > 0);
		left -= (int)n;
	}
	CHECK(write(ends[1], "last", 4) == 4);
	CHECK(fcntl(ends[0], F_SETPIPE_SZ, 1) == 4096);
	CHECK(read(ends[0], bytes, MANY) == 4 && !memcmp(bytes, "last", 4));
}

static void *writes(void *arg)
{
	CHECK(write(ends[1], bytes, MANY) == MANY);
	return arg;
}

int main(int argc, char **argv)
{
	OK(pipe(ends));
	if (story(argc, argv, "sizes")) {
		sizes();
		return 0;
	}
	if (story(argc, argv, "writer")) /* room for all: nobody has to read */
		CHECK(fcntl(ends[1], F_SETPIPE_SZ, MANY) == 262144);
	join(spawn(writes, NULL));
	heddle_outcome(1);
	return 0;
}
