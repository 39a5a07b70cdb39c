/* Connects to each of the ports it is given, and does not mind where nobody is. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct sockaddr_in to = {.sin_family = AF_INET,
					 .sin_port = htons((unsigned short)atoi(argv[i]))};
		int s = socket(AF_INET, SOCK_STREAM, 0);

		to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		(void)connect(s, (struct sockaddr *)&to, sizeof(to));
		close(s);
	}
	return 0;
}
