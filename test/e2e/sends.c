/* Sends a datagram to a port, and waits for the answer: sends PORT TEXT. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
	struct sockaddr_in to = {.sin_family = AF_INET};
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	char answer[64];

	if (argc != 3)
		return 2;
	to.sin_port = htons((unsigned short)atoi(argv[1]));
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (sendto(s, argv[2], strlen(argv[2]), 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		return 1;
	return recv(s, answer, sizeof(answer), 0) < 0;
}
