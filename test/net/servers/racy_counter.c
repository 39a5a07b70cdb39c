/*
 * Handlers count their clients in a plain variable, without a lock: a data race, which only a program built by heddle cc can show. The
 * counter of bytes is atomic, and is not reported.
 *
 * compiler: heddle
 * heddle: verdict=violation kind=race message~="visitors" clients=2 client="@peer connect {port} send:{n}~ want:ok"
 * heddle: verdict=violation kind=race message~="visitors" cache=none clients=2 client="@peer connect {port} send:{n}~ want:ok"
 * heddle: verdict=verified clients=1 client="@peer connect {port} send:{n}~ want:ok"
 * heddle: verdict=verified outcomes=1,2 options="--races ignore" clients=2 client="@peer connect {port} send:{n}~ want:ok"
 */
#include <stdatomic.h>

#include "net.h"

static int visitors;
static atomic_int bytes;

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char line[8];
	CHECK(hear_line(fd, line, sizeof(line)));
	atomic_fetch_add(&bytes, 2);
	int mine = ++visitors;
	heddle_outcome(mine);
	say(fd, "ok\n");
	OK(close(fd));
	return NULL;
}

int main(void)
{
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
