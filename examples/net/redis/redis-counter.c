/*
 * Two threads add one to a counter in a redis-server, each over a connection of its own:
 *
 *   get     GET, then SET: between the two the other thread may have added, too, and that is lost
 *   incr    INCR, which redis does at once
 *   watch   WATCH and GET, then MULTI, SET, EXEC: in vain if somebody changed the counter meanwhile, and done again
 *
 * usage: redis-counter get|incr|watch [PORT]
 */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *how;
static int port = 6379;

static int dial(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((unsigned short)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to))) {
		perror("redis-counter: connect");
		exit(2);
	}
	return fd;
}

/* Sends commands, and reads their answers up to so many ends of line. */
static void command(int fd, const char *text, int lines, char *answer, size_t cap)
{
	size_t len = strlen(text), have = 0;
	if (write(fd, text, len) != (ssize_t)len)
		exit(2);
	while (lines > 0) {
		ssize_t n = read(fd, answer + have, cap - have - 1);
		if (n <= 0)
			exit(2);
		for (ssize_t i = 0; i < n; i++)
			lines -= answer[have + (size_t)i] == '\n';
		have += (size_t)n;
		answer[have] = 0;
		if (!strncmp(answer, "$-1", 3) || strstr(answer, "\n$-1") || strstr(answer, "*-1"))
			break; /* there is no value, and so one line less */
	}
}

static int get(int fd)
{
	char answer[200], *value;
	command(fd, "GET counter\r\n", 2, answer, sizeof(answer));
	value = strchr(answer, '\n');
	return value ? atoi(value + 1) : 0;
}

static void add_by_set(int fd)
{
	char text[100], answer[200];
	snprintf(text, sizeof(text), "SET counter %d\r\n", get(fd) + 1);
	command(fd, text, 1, answer, sizeof(answer));
}

/* False: somebody else was faster. */
static int add_by_watch(int fd)
{
	char text[100], answer[200], *value;
	command(fd, "WATCH counter\r\nGET counter\r\n", 3, answer, sizeof(answer));
	value = strstr(answer, "\r\n$");
	value = value ? strchr(value + 2, '\n') : NULL;
	snprintf(text, sizeof(text), "MULTI\r\nSET counter %d\r\nEXEC\r\n", value ? atoi(value + 1) + 1 : 1);
	command(fd, text, 4, answer, sizeof(answer));
	return strstr(answer, "*1") != NULL;
}

static void *add(void *arg)
{
	char answer[200];
	int fd = dial();
	if (!strcmp(how, "get"))
		add_by_set(fd);
	else if (!strcmp(how, "incr"))
		command(fd, "INCR counter\r\n", 1, answer, sizeof(answer));
	else
		while (!add_by_watch(fd))
			;
	close(fd);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[2];
	if (argc < 2) {
		fprintf(stderr, "usage: redis-counter get|incr|watch [PORT]\n");
		return 2;
	}
	how = argv[1];
	if (argc > 2)
		port = atoi(argv[2]);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	int fd = dial();
	assert(get(fd) == 2);
	close(fd);
	return 0;
}
