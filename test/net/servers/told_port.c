/*
 * Clients that tell the port which they connect to, as HTTP's Host does; the server is first to close, and the counter of the
 * hits is wrong only when both have gone. To play that again with fresh clients, they must find the same port, though
 * connections of the last ones still linger there.
 *
 * heddle: verdict=verified args=locked clients=2 client="@peer connect {port} send:{port}~ line eof"
 * heddle: verdict=violation kind=assert message~="hits" args=racy clients=2 client="@peer connect {port} send:{port}~ line eof"
 * heddle: verdict=violation kind=assert message~="hits" args=racy client1="@peer connect {port} send:{port}~ line eof" client2="@peer connect {port} send:{port}~ line"
 * native: skip
 */
#include "net.h"

static int hits, locked;
static pthread_mutex_t whole = PTHREAD_MUTEX_INITIALIZER, part = PTHREAD_MUTEX_INITIALIZER;

static int get(void)
{
	OK(pthread_mutex_lock(&part));
	int now = hits;
	OK(pthread_mutex_unlock(&part));
	return now;
}

static void set(int now)
{
	OK(pthread_mutex_lock(&part));
	hits = now;
	OK(pthread_mutex_unlock(&part));
}

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char line[16];
	CHECK(hear_line(fd, line, sizeof(line)) && atoi(line) > 0);
	if (locked)
		OK(pthread_mutex_lock(&whole));
	set(get() + 1);
	if (locked)
		OK(pthread_mutex_unlock(&whole));
	say(fd, "thanks\n");
	OK(close(fd));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	int listener = listen_on(PORT);
	locked = argc > 1 && !strcmp(argv[1], "locked");
	for (int i = 0; i < 2; i++)
		OK(pthread_create(&t[i], NULL, serve, (void *)(long)take_client(listener)));
	for (int i = 0; i < 2; i++)
		OK(pthread_join(t[i], NULL));
	CHECK(hits == 2);
	return 0;
}
