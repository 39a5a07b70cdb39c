/*
 * tick_hides.c: a loop with a tick repairs a lost wake-up; without the tick it is a deadlock.
 *
 * heddle: verdict=verified args=right options="--timeouts never"
 * heddle: verdict=verified args=wrong
 * heddle: verdict=violation kind=deadlock args=wrong options="--timeouts never"
 * native: skip
 */
#include <sched.h>

#include "event.h"

static int wake, wrong;
static volatile int done;

static void *works(void *arg)
{
	uint64_t one = 1;
	if (wrong) /* too early */
		CHECK(write(wake, &one, 8) == 8);
	sched_yield();
	done = 1;
	if (!wrong)
		CHECK(write(wake, &one, 8) == 8);
	return arg;
}

int main(int argc, char **argv)
{
	wrong = story(argc, argv, "wrong");
	wake = eventfd(0, EFD_NONBLOCK);
	pthread_t t = spawn(works, NULL);
	while (!done) {
		struct pollfd p = {.fd = wake, .events = POLLIN};
		uint64_t n;
		int r = poll(&p, 1, 1000);
		CHECK(r >= 0);
		if (r)
			CHECK(read(wake, &n, 8) == 8);
	}
	join(t);
	return 0;
}
