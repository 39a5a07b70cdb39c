/*
 * clock_ticks.c: a loop that waits for an event with a time-out, and looks at the clock after it, has a new state with every
 * tick. A search that did not end says so, and what to do; then it ends.
 *
 * heddle: verdict=bounded options="--max-states 200" text~="reads the clock.*--timeouts never"
 * heddle: verdict=violation kind=deadlock options="--timeouts never"
 * native: skip
 */
#include <poll.h>

#include "guest.h"

int main(void)
{
	int end[2];
	OK(pipe(end));
	for (long last = 0;;) {
		struct pollfd p = {.fd = end[0], .events = POLLIN};
		CHECK(poll(&p, 1, 1000) == 0);
		CHECK(time(NULL) > last);
		last = time(NULL);
	}
}
