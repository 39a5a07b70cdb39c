/*
 * Handlers that take two semaphores in opposite order may get stuck while main waits for more clients. Anybody may post a
 * semaphore, so they look like idle workers; but their clients are answered in other executions, and leave: here they wait for
 * ever. Where a client stays in any case, that can't be told, and is worth a note. Taken in one order, all clients are served and
 * gone in the end.
 *
 * heddle: verdict=violation kind=comm-deadlock message~="waits for more" clients=2 args=crossed client="@peer connect {port} send:{n}~ want:done"
 * heddle: verdict=verified text~="taken for idle workers" clients=2 args=crossed client="@peer connect {port} send:{n}~ want:done idle"
 * heddle: verdict=verified text~="(?s)\\A(?!.*idle workers)" clients=2 args=ordered client="@peer connect {port} send:{n}~ want:done"
 * native: args=ordered
 */
#include "net.h"

static sem_t both[2];
static int crossed;

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char line[8];
	CHECK(hear_line(fd, line, sizeof(line)));
	int first = crossed ? atoi(line) % 2 : 0;
	OK(sem_wait(&both[first]));
	OK(sem_wait(&both[!first]));
	say(fd, "done\n");
	OK(sem_post(&both[!first]));
	OK(sem_post(&both[first]));
	OK(close(fd));
	return NULL;
}

int main(int argc, char **argv)
{
	crossed = story(argc, argv, "crossed");
	for (int i = 0; i < 2; i++)
		OK(sem_init(&both[i], 0, 1));
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
