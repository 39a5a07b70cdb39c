/*
 * A page with a hit counter: what a client gets depends on who came first, so that a client's connection has several
 * courses. The branching cache follows each; the linear one says which two answers of the server differ.
 *
 * heddle: verdict=verified outcomes=11,12,21,22 connections=4 peer_starts=4 clients=2 client="@peer connect {port} send:GET_/{n}~ line"
 * heddle: verdict=incomplete cache=linear text~="after .hits: .: recorded is .[12].*now it sends .[12].*--cache branching" clients=2 client="@peer connect {port} send:GET_/{n}~ line"
 */
#include "net.h"

static int hits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char line[16];
	CHECK(hear_line(fd, line, sizeof(line)) && !strncmp(line, "GET /", 5));
	OK(pthread_mutex_lock(&lock));
	int mine = ++hits;
	OK(pthread_mutex_unlock(&lock));
	dprintf(fd, "hits: %d\n", mine);
	hear_end(fd);
	OK(close(fd));
	heddle_outcome(atoi(line + 5) * 10 + mine);
	return NULL;
}

int main(void)
{
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
