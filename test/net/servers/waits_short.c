/*
 * A client that says the rest after a short time-out: it is not silent. One that waits in a loop with a tick is.
 *
 * heddle: verdict=verified outcomes=1 clients=1 client="@peer connect {port} send:a~ patience:1 send:b~ eof"
 * heddle: verdict=verified outcomes=1 clients=1 client="@peer connect {port} send:a~ patience:300 send:b~ eof"
 * heddle: verdict=verified outcomes=1 clients=1 client="@peer connect {port} send:a~ patience:500 send:b~ eof"
 * heddle: verdict=violation kind=comm-deadlock clients=1 client="@peer connect {port} send:a~ eof"
 * heddle: verdict=violation kind=comm-deadlock clients=1 client="@peer connect {port} send:a~ mark patience:50 loop" options="--peer-timeout 1s"
 * native: skip
 */
#include "net.h"

int main(void)
{
	int listener = listen_on(PORT), fd = take_client(listener);
	hear_text(fd, "a\n");
	hear_text(fd, "b\n");
	OK(close(fd));
	heddle_outcome(1);
	return 0;
}
