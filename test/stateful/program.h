/* What the programs here share: connections, lines, two threads. */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

__attribute__((unused)) static int dial_port(int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons((unsigned short)port),
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (void *)&a, sizeof(a))) {
		close(fd);
		return -1;
	}
	return fd;
}

__attribute__((unused)) static int dial(void)
{
	int fd = dial_port(7000);
	assert(fd >= 0);
	return fd;
}

__attribute__((unused)) static void say(int fd, const char *line)
{
	char text[100];
	int n = snprintf(text, sizeof(text), "%s\n", line);
	assert(write(fd, text, (size_t)n) == n);
}

/* A line without its end; answers are short, and come in one piece (--short-io off). */
__attribute__((unused)) static char *hear(int fd, char *line, size_t cap)
{
	ssize_t n = read(fd, line, cap - 1);
	assert(n > 0);
	line[n] = 0;
	line[strcspn(line, "\n")] = 0;
	return line;
}

__attribute__((unused)) static int ask(int fd, const char *question)
{
	char line[100];
	say(fd, question);
	return atoi(hear(fd, line, sizeof(line)));
}

__attribute__((unused)) static void both(void *(*one)(void *), void *(*two)(void *))
{
	pthread_t a, b;
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
