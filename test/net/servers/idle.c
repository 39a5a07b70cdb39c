/*
 * Idle is not stuck: main sleeps for ever beside the thread that serves, or joins it, and there are no more clients.
 *
 * heddle: args=sleep verdict=verified clients=1 client="@peer connect {port} send:hello~ want:hello" text~="taken for idle"
 * heddle: args=sleep verdict=violation kind=livelock options="--strict-idle" clients=1 client="@peer connect {port} send:hello~ want:hello"
 * heddle: args=join verdict=verified clients=1 client="@peer connect {port} send:hello~ want:hello" text~="waits for another one"
 *
 * The client was not answered, or has asked once more: that is no idleness.
 * heddle: args=silent verdict=violation kind=comm-deadlock clients=1 client="@peer connect {port} send:hello~ want:hello"
 * heddle: args=once verdict=violation kind=comm-deadlock clients=1 client="@peer connect {port} send:hello~ want:hello send:more~ want:more"
 * heddle: args=greeting verdict=violation kind=comm-deadlock clients=1 client="@peer connect {port} want:welcome"
 * native: skip
 */
#include "net.h"

static const char *how;
static int listener;

static void *serves(void *arg)
{
	char line[16];
	(void)arg;
	for (;;) {
		int fd = take_client(listener);
		for (int n = 0; hear_line(fd, line, sizeof(line)); n++)
			if (strcmp(how, "silent") && (strcmp(how, "once") || !n))
				dprintf(fd, "%s\n", line);
		OK(close(fd));
	}
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "sleep";
	listener = listen_on(PORT);
	pthread_t t = spawn(serves, NULL);
	for (; !strcmp(how, "sleep");)
		sleep(1);
	join(t);
	return 0;
}
