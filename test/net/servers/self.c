/*
 * A server that connects to itself, as some do to wake up who accepts, and has clients, too: either may be first in the
 * queue. All orders of one connection from inside and two clients.
 *
 * heddle: verdict=verified outcomes=1,2,3 clients=2 client="@peer connect {port} eof"
 * heddle: verdict=verified outcomes=1,2,3 clients=2 client="@peer connect {port} eof" cache=none options="--strategy bfs --sanity 3"
 * heddle: verdict=verified outcomes=1
 * native: skip
 */
#include "net.h"

/* Which of those accepted is the connection from inside? */
int main(void)
{
	int listener = listen_on(PORT), inside = dial(PORT);
	struct sockaddr_in mine, other;
	socklen_t len = sizeof(mine);
	OK(getsockname(inside, (struct sockaddr *)&mine, &len));
	for (long n = 1;; n++) {
		int fd = accept(listener, (struct sockaddr *)&other, &len);
		CHECK(fd >= 0);
		if (other.sin_port == mine.sin_port) {
			heddle_outcome(n);
			return 0;
		}
	}
}
