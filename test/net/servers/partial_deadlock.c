/*
 * One handler forgets to unlock when its client says "bad"; a second one then waits for ever, holding its client in the
 * dark, while main sits in accept. The waiting thread is stuck: nobody who is left will unlock.
 *
 * heddle: verdict=violation kind=deadlock where=@wait client1="@peer connect {port} send:bad~ want:ok" client2="@peer connect {port} send:good~ want:ok"
 * heddle: verdict=verified client1="@peer connect {port} send:good~ want:ok" client2="@peer connect {port} send:good~ want:ok"
 * native: skip
 */
#include "net.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char line[8];
	CHECK(hear_line(fd, line, sizeof(line)));
	OK(pthread_mutex_lock(&lock)); /* @wait */
	say(fd, "ok\n");
	if (strcmp(line, "bad"))
		OK(pthread_mutex_unlock(&lock));
	OK(close(fd));
	return NULL;
}

int main(void)
{
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
