/*
 * Asks an alphabet server (../net/alphabet/alphabet-server.c) for a few letters; how many is chance: a client that cannot be
 * replayed.
 *
 *     letters-peer HOST PORT [MOST]
 */
#include "../net/net.h"

#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned char chance = 0;
	int most = net_arg(argc, argv, 3, 3, 1, 26);
	int fd = net_connect(argc > 1 ? argv[1] : "127.0.0.1", net_arg(argc, argv, 2, 2626, 1, 65535));
	net_must(getrandom(&chance, 1, 0) == 1, "getrandom");
	for (int k = 1; k <= 1 + chance % most; k++) {
		char request[8], answer[2];
		size_t len = (size_t)snprintf(request, sizeof request, "%d\n", k);
		bool answered = net_send(fd, request, len) && net_receive(fd, answer, sizeof answer);
		assert(answered);
		assert(answer[0] == 'a' + k - 1);
	}
	close(fd);
	return 0;
}
