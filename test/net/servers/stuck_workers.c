/*
 * Two handlers take two locks in opposite order. When they meet, main still sits in accept, waiting for nobody: that is a deadlock all the
 * same, and it must be found. With one order for both it is not there.
 *
 * heddle: verdict=violation kind=deadlock where=@second clients=2 args=crossed client="@peer connect {port} send:{n}~ want:done"
 * heddle: verdict=violation kind=deadlock cache=none clients=2 args=crossed client="@peer connect {port} send:{n}~ want:done"
 * heddle: verdict=verified clients=2 args=ordered client="@peer connect {port} send:{n}~ want:done"
 * native: args=ordered
 */
#include "net.h"

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int crossed;

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char line[8];
	CHECK(hear_line(fd, line, sizeof(line)));
	int first = crossed ? atoi(line) % 2 : 0;
	OK(pthread_mutex_lock(&lock[first]));
	OK(pthread_mutex_lock(&lock[!first])); /* @second */
	say(fd, "done\n");
	OK(pthread_mutex_unlock(&lock[!first]));
	OK(pthread_mutex_unlock(&lock[first]));
	OK(close(fd));
	return NULL;
}

int main(int argc, char **argv)
{
	crossed = story(argc, argv, "crossed");
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
