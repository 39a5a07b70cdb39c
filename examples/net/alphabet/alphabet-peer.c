/*
 * One connection and one thread: asks an alphabet server for letters, one after the other. It is
 * the client against which the server is checked.
 *
 *     alphabet-peer HOST PORT [MESSAGES]
 */
#include "../net.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int messages = net_arg(argc, argv, 3, 1, 1, 26);
	int fd = net_connect(argc > 1 ? argv[1] : "127.0.0.1", net_arg(argc, argv, 2, 2626, 1, 65535));

	for (int k = 1; k <= messages; k++) {
		char request[8], answer[2];
		size_t len = (size_t)snprintf(request, sizeof request, "%d\n", k);
		bool answered = net_send(fd, request, len) && net_receive(fd, answer, sizeof answer);

		assert(answered);
		assert(answer[0] == 'a' + k - 1 && answer[1] == '\n');
	}
	close(fd);
	printf("%d letters\n", messages);
	return 0;
}
