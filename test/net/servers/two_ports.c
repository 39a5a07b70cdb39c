/*
 * Two listening ports, a thread each, and clients that say which one they want.
 *
 * heddle: verdict=verified outcomes=70001,70012 client1="@peer connect {port:7000} send:1~ want:1" client2="@peer connect {port:7001} send:2~ want:2"
 * heddle: verdict=verified outcomes=70002,70011 client1="@peer connect {port:7001} send:1~ want:1" client2="@peer connect {port:7000} send:2~ want:2"
 */
#include "net.h"

static void *serve(void *arg)
{
	int port = (int)(long)arg;
	for (int listener = listen_on(port);;) {
		char line[8];
		int fd = take_client(listener);
		CHECK(hear_line(fd, line, sizeof(line)));
		dprintf(fd, "%s\n", line);
		OK(close(fd));
		heddle_outcome(port * 10 + atoi(line));
	}
	return NULL;
}

int main(void)
{
	spawn(serve, (void *)7000l);
	serve((void *)7001l);
	return 0;
}
