/* A server: answers each letter by its capital, the end by a full stop. Takes connections one beside the other. */
#include <arpa/inet.h>
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void serve(int connection)
{
	char letter;

	while (read(connection, &letter, 1) == 1) {
		letter = (char)toupper(letter);
		if (write(connection, &letter, 1) != 1)
			return;
	}
	if (write(connection, ".", 1) != 1)
		return;
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((unsigned short)atoi(argv[argc - 1]))};
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	signal(SIGCHLD, SIG_IGN);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (struct sockaddr *)&at, sizeof(at)) || listen(listener, 16))
		return 1;
	for (;;) {
		int connection = accept(listener, NULL, NULL);

		if (connection >= 0 && fork() == 0) {
			serve(connection);
			_exit(0);
		}
		close(connection);
	}
}
