/*
 * A daytime server whose clock stands still: a peer has to be deterministic.
 *
 *     daytime-server [PORT]        until it is killed
 */
#include "../net.h"
#include "daytime.h"

#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int listener = net_listen(net_arg(argc, argv, 1, 1313, 0, 65535));

	for (;;) {
		int fd = net_accept(listener);

		net_send(fd, DAYTIME, strlen(DAYTIME));
		close(fd);
	}
}
