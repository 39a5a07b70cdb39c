/* A server of one client that may say anything but tails: heads PORT. */
#include "program.h"

int main(int argc, char **argv)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char line[100];
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	a.sin_port = htons((unsigned short)atoi(argv[argc - 1]));
	assert(!bind(fd, (void *)&a, sizeof(a)) && !listen(fd, 1));
	fd = accept(fd, NULL, NULL);
	assert(strcmp(hear(fd, line, sizeof(line)), "tails"));
	return 0;
}
