/*
 * echo-peer PORT [THREADS]: a server that sends every byte back. THREADS of them wait in accept; each serves one connection
 * at a time.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_THREADS 64

static int listening;

static void serve(int fd)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		if (write(fd, bytes, (size_t)n) != n)
			break;
	close(fd);
}

static void *work(void *unused)
{
	int fd;

	while ((fd = accept(listening, NULL, NULL)) >= 0)
		serve(fd);
	perror("accept");
	return unused;
}

int main(int argc, char **argv)
{
	int port = argc > 1 ? atoi(argv[1]) : 0, threads = argc > 2 ? atoi(argv[2]) : 1, i;
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	pthread_t id;

	if (threads < 1 || threads > MAX_THREADS)
		return 2;
	listening = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	if (listening < 0 || bind(listening, (struct sockaddr *)&at, sizeof(at)) || listen(listening, 64)) {
		perror("echo-peer");
		return 1;
	}
	for (i = 1; i < threads; i++)
		if (pthread_create(&id, NULL, work, NULL))
			return 1;
	work(NULL);
	return 1;
}
