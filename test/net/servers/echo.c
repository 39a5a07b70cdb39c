/*
 * A thread for each connection, until no client is left: main waits in accept, and that is the end.
 *
 * heddle: verdict=verified outcomes=1 connections=1 peer_starts=1 clients=1 client="@peer connect {port} send:hello{n}~ want:hello{n}"
 * heddle: verdict=verified outcomes=1,2 connections=2 peer_starts=2 trees=2 clients=2 client="@peer connect {port} send:hello{n}~ want:hello{n}"
 * heddle: verdict=verified outcomes=1,2,3 connections=3 peer_starts=3 trees=3 clients=3 client="@peer connect {port} send:hello{n}~ want:hello{n}"
 * heddle: verdict=verified outcomes=1,2 cache=linear connections=2 clients=2 client="@peer connect {port} send:hello{n}~ want:hello{n}"
 * heddle: verdict=verified outcomes=1,2 options="--strategy bfs" connections=2 clients=2 client="@peer connect {port} send:hello{n}~ want:hello{n}"
 * heddle: verdict=verified outcomes=1,2,3 trees=1 options="--identical-clients" clients=3 client="@peer connect {port} send:hello~ want:hello"
 */
#include "net.h"

static int served;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char line[32];
	CHECK(hear_line(fd, line, sizeof(line)) && !strncmp(line, "hello", 5));
	dprintf(fd, "%s\n", line);
	hear_end(fd);
	OK(close(fd));
	OK(pthread_mutex_lock(&lock));
	heddle_outcome(++served);
	OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(void)
{
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
