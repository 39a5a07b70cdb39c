/*
 * A client that keeps its connection open and says no more: the handler waits in read, the client for more, too (eof). All it
 * asked was answered, so it is idle, and that is a normal end, unless the user is strict.
 *
 * heddle: verdict=verified clients=1 client="@peer connect {port} send:hello~ want:hello eof" text~="keeps its connection open"
 * heddle: verdict=violation kind=comm-deadlock options="--strict-idle" clients=1 client="@peer connect {port} send:hello~ want:hello eof"
 * heddle: verdict=verified options="--no-deadlock" clients=1 client="@peer connect {port} send:hello~ want:hello eof"
 * native: skip
 */
#include "net.h"

int main(void)
{
	char line[16];
	for (int listener = listen_on(PORT);;) {
		int fd = take_client(listener);
		while (hear_line(fd, line, sizeof(line)))
			dprintf(fd, "%s\n", line);
		OK(close(fd));
	}
}
