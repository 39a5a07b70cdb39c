/*
 * A client that keeps its connection open and says no more: the handler waits in read, the client for more, too (eof). Nobody is
 * wrong, but nobody goes on either: it is told as a communication deadlock, unless such waits are declared normal.
 *
 * heddle: verdict=violation kind=comm-deadlock clients=1 client="@peer connect {port} send:hello~ want:hello eof"
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
