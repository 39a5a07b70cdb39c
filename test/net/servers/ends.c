/*
 * A server that ends when a client says "quit": the handler shuts the listener down, and main, which may be waiting in accept, is
 * told EINVAL and leaves.
 *
 * heddle: verdict=verified outcomes=1,2 args=two client1="@peer connect {port} send:quit~ line" client2="@peer connect {port} send:quit~ line"
 * heddle: verdict=verified outcomes=1 args=one client="@peer connect {port} send:quit~ line" clients=1
 * native: args=one
 */
#include "net.h"

static int listener;

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char line[8];
	if (hear_line(fd, line, sizeof(line)) && !strcmp(line, "quit"))
		shutdown(listener, SHUT_RD);
	say(fd, "bye\n");
	OK(close(fd));
	return NULL;
}

int main(void)
{
	pthread_t t[4];
	int n = 0;
	listener = listen_on(PORT);
	for (int fd; (fd = accept(listener, NULL, NULL)) >= 0;)
		t[n++] = spawn(serve, (void *)(long)fd);
	CHECK(errno == EINVAL);
	heddle_outcome(n);
	while (n--)
		join(t[n]);
	return 0;
}
