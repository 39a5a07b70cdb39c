/*
 * several.c: a client with several connections at a time, to a port of 127.0.0.1.
 *
 *	several PORT WORD…
 *
 * K is a connection, 1 to 9. In texts ~ is the end of a line.
 *	open:K   send:K:TEXT   line:K   want:K:TEXT (a line; another one ends it with status 1)   eof:K   close:K
 *	any      wait for a line on any connection; on the same one "seen N~" is sent, N: how many there were
 *	wait:K:MS   for input, that long at most   mood:K   send "late~" if such a wait came to its end, else "early~"
 *	ticks:K:MS  read lines; whenever nothing has come for so long, send "t~"
 *	threads:N   N threads, each with a connection of its own: send "tI~", read a line
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int port, fds[10], seen, late;

static int dial(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)))
		exit(2);
	return fd;
}

static void say(int fd, const char *text)
{
	char line[256];
	snprintf(line, sizeof(line), "%s", text);
	for (char *p = line; *p; p++)
		*p = *p == '~' ? '\n' : *p;
	if (write(fd, line, strlen(line)) < 0)
		exit(3);
}

/* Without its end; NULL: the connection has ended. */
static const char *hear(int fd, char *line, size_t room)
{
	size_t n = 0;
	while (n + 1 < room && read(fd, line + n, 1) == 1 && line[n] != '\n')
		n++;
	int whole = line[n] == '\n';
	line[n] = 0;
	return n || whole ? line : NULL;
}

static void hear_any(void)
{
	struct pollfd p[10];
	char line[256], answer[32];
	for (int i = 0; i < 10; i++)
		p[i] = (struct pollfd){.fd = fds[i] ? fds[i] : -1, .events = POLLIN};
	if (poll(p, 10, -1) <= 0)
		exit(4);
	for (int i = 0; i < 10; i++)
		if (p[i].revents) {
			hear(p[i].fd, line, sizeof(line));
			snprintf(answer, sizeof(answer), "seen %d~", ++seen);
			say(p[i].fd, answer);
			return;
		}
}

static void *talk(void *number)
{
	char line[256], text[32];
	int fd = dial();
	snprintf(text, sizeof(text), "t%d~", (int)(long)number);
	say(fd, text);
	hear(fd, line, sizeof(line));
	close(fd);
	return NULL;
}

static void run_threads(int n)
{
	pthread_t t[10];
	for (long i = 0; i < n; i++)
		pthread_create(&t[i], NULL, talk, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static void want(int fd, const char *text)
{
	char line[256];
	const char *got = hear(fd, line, sizeof(line));
	if (!got || strcmp(got, text) != 0)
		exit(1);
}

static void tick(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char line[256];
	for (;;) {
		int n = poll(&p, 1, ms);
		if (n == 0)
			say(fd, "t~");
		else if (n < 0 || !hear(fd, line, sizeof(line)))
			return;
	}
}

static void play(const char *word)
{
	char line[256];
	const char *colon = strchr(word, ':');
	int k = colon ? atoi(colon + 1) : 0;
	const char *text = colon ? strchr(colon + 1, ':') : NULL;
	if (!strncmp(word, "open:", 5))
		fds[k] = dial();
	else if (!strncmp(word, "send:", 5) && text)
		say(fds[k], text + 1);
	else if (!strncmp(word, "line:", 5))
		hear(fds[k], line, sizeof(line));
	else if (!strncmp(word, "want:", 5) && text)
		want(fds[k], text + 1);
	else if (!strncmp(word, "wait:", 5) && text)
		late |= poll(&(struct pollfd){.fd = fds[k], .events = POLLIN}, 1, atoi(text + 1)) == 0;
	else if (!strncmp(word, "ticks:", 6) && text)
		tick(fds[k], atoi(text + 1));
	else if (!strncmp(word, "mood:", 5))
		say(fds[k], late ? "late~" : "early~");
	else if (!strncmp(word, "eof:", 4))
		while (read(fds[k], line, sizeof(line)) > 0)
			;
	else if (!strncmp(word, "close:", 6)) {
		close(fds[k]);
		fds[k] = 0;
	} else if (!strcmp(word, "any"))
		hear_any();
	else if (!strncmp(word, "threads:", 8))
		run_threads(k);
	else
		exit(5);
}

int main(int argc, char **argv)
{
	port = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 2; i < argc; i++)
		play(argv[i]);
	return 0;
}
