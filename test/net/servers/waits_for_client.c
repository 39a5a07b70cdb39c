/*
 * Server and client both wait for the other to speak: a communication deadlock, although main is still ready to accept others.
 *
 * heddle: verdict=violation kind=comm-deadlock where=@read clients=1 client="@peer connect {port} want:welcome send:hello~"
 * heddle: verdict=violation kind=comm-deadlock clients=2 client="@peer connect {port} want:welcome send:hello~"
 * heddle: verdict=verified clients=1 client="@peer connect {port} send:hello~"
 * native: skip
 */
#include "net.h"

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char buffer[16];
	CHECK(read(fd, buffer, sizeof(buffer)) == 6); /* @read */
	OK(close(fd));
	return NULL;
}

int main(void)
{
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
