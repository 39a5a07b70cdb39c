/*
 * both_wake.c: two threads poll one listener. Both may be told of the one connection; only one gets it. The faulty
 * version counts on it.
 *
 * heddle: verdict=verified args=right clients=1 client="@peer connect {port} line"
 * heddle: verdict=violation kind=assert args=wrong clients=1 client="@peer connect {port} line"
 * native: skip
 */
#include "event.h"

static int listener, wrong;

static void *loop(void *arg)
{
	for (;;) {
		struct pollfd p = {.fd = listener, .events = POLLIN};
		CHECK(poll(&p, 1, -1) == 1);
		int c = accept(listener, NULL, NULL);
		if (c < 0) {
			CHECK(!wrong && errno == EAGAIN);
			continue;
		}
		say(c, "hello\n");
		OK(close(c));
	}
	return arg;
}

int main(int argc, char **argv)
{
	wrong = story(argc, argv, "wrong");
	listener = nonblocking(listen_on(PORT));
	spawn(loop, NULL);
	loop(NULL);
}
