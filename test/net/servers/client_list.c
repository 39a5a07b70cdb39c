/*
 * A list of clients: handlers enter themselves, and leave when their client does; each arrival is announced to all that are in the list.
 * `racy` closes its connection before it leaves the list: an announcement may meet a closed descriptor.
 *
 * heddle: verdict=verified outcomes=1,2 clients=2 args=right client="@peer connect {port} line close"
 * heddle: verdict=violation kind=assert message~="sent" clients=2 args=racy client="@peer connect {port} line close"
 * heddle: verdict=violation kind=assert message~="sent" cache=none clients=2 args=racy client="@peer connect {port} line close"
 * native: args=right
 */
#include "net.h"

static int list[4], count, racy;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void enter(int fd)
{
	OK(pthread_mutex_lock(&lock));
	list[count++] = fd;
	heddle_outcome(count);
	for (int i = 0; i < count; i++) {
		ssize_t sent = send(list[i], "new\n", 4, MSG_NOSIGNAL);
		CHECK(sent == 4 || errno == EPIPE || errno == ECONNRESET);
	}
	OK(pthread_mutex_unlock(&lock));
}

static void leave(int fd)
{
	OK(pthread_mutex_lock(&lock));
	for (int i = 0; i < count; i++)
		if (list[i] == fd)
			list[i--] = list[--count];
	OK(pthread_mutex_unlock(&lock));
}

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char c;
	enter(fd);
	while (read(fd, &c, 1) > 0)
		continue;
	if (racy)
		OK(close(fd));
	leave(fd);
	if (!racy)
		OK(close(fd));
	return NULL;
}

int main(int argc, char **argv)
{
	racy = story(argc, argv, "racy");
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
