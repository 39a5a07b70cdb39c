/*
 * asker PORT N [TEXT]: one connection, N requests "TEXT<i>\r\n" one after the other, each of them new, each answered by a
 * line. Natively it tells how many microseconds a round trip took; in the model there is one path, and each request is a miss.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int dial(int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at))) {
		perror("connect");
		exit(1);
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	return fd;
}

static void ask(int fd, const char *text, long number)
{
	char line[256];
	int len = snprintf(line, sizeof(line), "%s%ld\r\n", text, number);
	ssize_t n;

	if (write(fd, line, (size_t)len) != len)
		exit(1);
	do
		n = read(fd, line, sizeof(line));
	while (n > 0 && line[n - 1] != '\n');
	if (n <= 0)
		exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	const char *text = argc > 3 ? argv[3] : "request ";
	long n = argc > 2 ? atol(argv[2]) : 0, i;
	double start;
	int fd;

	if (n < 1)
		return 2;
	fd = dial(atoi(argv[1]));
	start = getenv("ASKER_TIMES") ? now() : 0;
	for (i = 0; i < n; i++)
		ask(fd, text, i);
	if (getenv("ASKER_TIMES"))
		printf("%.3f\n", (now() - start) / (double)n);
	close(fd);
	return 0;
}
