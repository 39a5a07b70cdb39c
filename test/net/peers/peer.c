/*
 * peer.c: a peer that plays a script, as server or client, so that each test says in its own header what the other side
 * does.
 *
 *	peer listen|connect|datagrams|send ADDRESS WORD…
 *
 * ADDRESS is a port of 127.0.0.1, 6:PORT of ::1, or a path. A server plays the script on every connection, each in a thread
 * of its own (first word `serial`: one after the other in the main thread; `fork`: in a process of its own). `datagrams` answers
 * each with send: words; `send` is a client that sends a datagram for each such word. In texts ~ is the end of a line and _ a space.
 *
 *	line            read a line and remember it; where the SUT has closed, the script ends
 *	take:N          read N bytes and forget them                eof    read until the SUT shuts down
 *	echo            send the line back                          shut   shut down our writing side
 *	send:TEXT       %l the line, %n how many lines yet, %b how many bytes yet,
 *	                %c a counter of all connections, %t the same without adding, %r a random number,
 *	                %d the time as 12:34:56.123456, %e nanoseconds since 1970
 *	letter          the line is a number n: send the n-th letter of the alphabet
 *	big:N           send N bytes, in pieces of 1000
 *	others:TEXT     send it on all other connections
 *	want:TEXT       read a line; a wrong one ends this process with status 1
 *	sleep:MS        sleep                                       jitter:US   sleep up to so long
 *	after:HOW:MS    let a timer expire: itimer, posix-timer, timerfd, timerfd-epoll, rcvtimeo; with `serial`
 *	patience:MS     wait for input, that long at most           idle   never read nor write any more
 *	close, reset    end the connection, reset: with a RST       die:N  end the process
 *	unless:TEXT     skip the next word if the line is TEXT      when:TEXT  … if it is not
 *	loop            go on behind the word `mark`, or with the first word
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "delay.h"
#include "endpoint.h"

struct talk {
	int fd;
	size_t have, taken, lines;
	unsigned long bytes;
	char line[4096], buffer[65536];
};

static char **script;
static int counter, connections[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fail(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* -1: the SUT has closed. */
static int next_byte(struct talk *t)
{
	if (t->taken == t->have) {
		ssize_t n = read(t->fd, t->buffer, sizeof(t->buffer));
		if (n <= 0)
			return -1;
		t->have = (size_t)n;
		t->taken = 0;
	}
	t->bytes++;
	return (unsigned char)t->buffer[t->taken++];
}

static int read_line(struct talk *t)
{
	size_t n = 0;
	for (int c; (c = next_byte(t)) != '\n';) {
		if (c < 0)
			return 0;
		if (c != '\r' && n + 1 < sizeof(t->line))
			t->line[n++] = (char)c;
	}
	t->line[n] = 0;
	t->lines++;
	return 1;
}

static int skip_bytes(struct talk *t, unsigned long n)
{
	while (n--)
		if (next_byte(t) < 0)
			return 0;
	return 1;
}

static int send_all(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, data, n, MSG_NOSIGNAL);
		if (sent <= 0)
			return 0;
		data += sent;
		n -= (size_t)sent;
	}
	return 1;
}

static int count_up(int step)
{
	pthread_mutex_lock(&lock);
	int value = counter += step;
	pthread_mutex_unlock(&lock);
	return value;
}

static void put_value(FILE *out, struct talk *t, char what)
{
	struct timespec now;
	switch (what) {
	case 'l':
		fputs(t->line, out);
		break;
	case 'n':
		fprintf(out, "%zu", t->lines);
		break;
	case 'b':
		fprintf(out, "%lu", t->bytes);
		break;
	case 'c':
		fprintf(out, "%d", count_up(1));
		break;
	case 't':
		fprintf(out, "%d", count_up(0));
		break;
	case 'r':
		clock_gettime(CLOCK_MONOTONIC, &now);
		fprintf(out, "%09ld", now.tv_nsec);
		break;
	case 'd':
		clock_gettime(CLOCK_REALTIME, &now);
		fprintf(out, "%02ld:%02ld:%02ld.%06ld", now.tv_sec / 3600 % 24, now.tv_sec / 60 % 60,
			now.tv_sec % 60, now.tv_nsec / 1000);
		break;
	case 'e':
		clock_gettime(CLOCK_REALTIME, &now);
		fprintf(out, "%ld%09ld", now.tv_sec, now.tv_nsec);
		break;
	default:
		fail("unknown %%%c", what);
	}
}

/* The text of a word with values filled in. */
static size_t expand(struct talk *t, const char *text, char *to, size_t room)
{
	FILE *out = fmemopen(to, room, "w");
	for (; *text; text++) {
		if (*text == '%' && text[1])
			put_value(out, t, *++text);
		else
			fputc(*text == '~' ? '\n' : *text == '_' ? ' ' : *text, out);
	}
	fflush(out);
	size_t n = (size_t)ftell(out);
	fclose(out);
	return n;
}

static int send_text(struct talk *t, int fd, const char *text)
{
	char out[8192];
	return send_all(fd, out, expand(t, text, out, sizeof(out)));
}

/* connections[fd]: is it one of ours? */
static void note_connection(int fd, int open)
{
	pthread_mutex_lock(&lock);
	if (fd < (int)(sizeof(connections) / sizeof(*connections)))
		connections[fd] = open;
	pthread_mutex_unlock(&lock);
}

static int send_others(struct talk *t, const char *text)
{
	for (int fd = 0; fd < (int)(sizeof(connections) / sizeof(*connections)); fd++)
		if (connections[fd] && fd != t->fd)
			send_text(t, fd, text);
	return 1;
}

static int send_big(int fd, long n)
{
	char piece[1000];
	memset(piece, '.', sizeof(piece));
	piece[sizeof(piece) - 1] = '\n';
	for (; n > 0; n -= (long)sizeof(piece))
		if (!send_all(fd, piece, n < (long)sizeof(piece) ? (size_t)n : sizeof(piece)))
			return 0;
	return 1;
}

static int want(struct talk *t, const char *text)
{
	char expected[8192];
	expected[expand(t, text, expected, sizeof(expected) - 1)] = 0;
	if (!read_line(t))
		fail("the connection ended where \"%s\" was wanted", expected);
	if (strcmp(t->line, expected))
		fail("got \"%s\", wanted \"%s\"", t->line, expected);
	return 1;
}

static int send_letter(struct talk *t)
{
	char letter[2] = {(char)('a' + (atoi(t->line) + 25) % 26), '\n'};
	return send_all(t->fd, letter, 2);
}

static void close_with_reset(int fd)
{
	struct linger now = {.l_onoff = 1, .l_linger = 0};
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

static void sleep_us(long us)
{
	struct timespec time = {us / 1000000, us % 1000000 * 1000};
	nanosleep(&time, NULL);
}

static const char *argument(const char *word, const char *name)
{
	size_t n = strlen(name);
	return !strncmp(word, name, n) && word[n] == ':' ? word + n + 1 : NULL;
}

static int after(const char *words)
{
	char how[32] = "";
	long ms = 0;
	if (sscanf(words, "%31[^:]:%ld", how, &ms) != 2 || !delay(how, ms))
		fail("after:%s is unknown", words);
	return 1;
}

/* 0: the connection is over. */
static int play_text(struct talk *t, const char *word)
{
	const char *a;
	if ((a = argument(word, "send")))
		return send_text(t, t->fd, a);
	if ((a = argument(word, "others")))
		return send_others(t, a);
	if ((a = argument(word, "want")))
		return want(t, a);
	if ((a = argument(word, "take")))
		return skip_bytes(t, strtoul(a, NULL, 10));
	if ((a = argument(word, "big")))
		return send_big(t->fd, atol(a));
	if ((a = argument(word, "sleep")))
		sleep_us(atol(a) * 1000);
	else if ((a = argument(word, "patience")))
		poll(&(struct pollfd){.fd = t->fd, .events = POLLIN}, 1, atoi(a));
	else if ((a = argument(word, "after")))
		return after(a);
	else if (!strcmp(word, "idle"))
		for (;;)
			pause();
	else if ((a = argument(word, "jitter")))
		sleep_us(random() % atol(a));
	else if ((a = argument(word, "die")))
		exit(atoi(a));
	else
		fail("unknown word %s", word);
	return 1;
}

static int play_word(struct talk *t, const char *word)
{
	if (!strcmp(word, "line"))
		return read_line(t);
	if (!strcmp(word, "echo"))
		return send_text(t, t->fd, "%l~");
	if (!strcmp(word, "letter"))
		return send_letter(t);
	if (!strcmp(word, "close"))
		return 0;
	if (!strcmp(word, "reset"))
		return close_with_reset(t->fd), 0;
	if (!strcmp(word, "shut"))
		return shutdown(t->fd, SHUT_WR), 1;
	if (!strcmp(word, "eof")) {
		while (next_byte(t) >= 0)
			continue;
		return 1;
	}
	return play_text(t, word);
}

/* Does the line let the next word be played? */
static int skips(const struct talk *t, const char *word)
{
	const char *a;
	if ((a = argument(word, "unless")))
		return !strcmp(t->line, a);
	if ((a = argument(word, "when")))
		return strcmp(t->line, a) != 0;
	return 0;
}

static void play(int fd)
{
	struct talk *t = calloc(1, sizeof(*t));
	t->fd = fd;
	char **start = script;
	for (char **word = script; *word; word++) {
		if (!strcmp(*word, "loop"))
			word = start;
		if (!strcmp(*word, "mark"))
			start = word + 1;
		else if (argument(*word, "when") || argument(*word, "unless"))
			word += skips(t, *word);
		else if (!play_word(t, *word))
			break;
	}
	note_connection(fd, 0);
	close(fd);
	free(t);
}

static void *play_thread(void *arg)
{
	play((int)(long)arg);
	return NULL;
}

static void serve_in_thread(int fd)
{
	pthread_t t;
	if (pthread_create(&t, NULL, play_thread, (void *)(long)fd))
		fail("no thread");
	pthread_detach(t);
}

static void serve_in_process(int fd)
{
	pid_t child = fork();
	if (child == 0) {
		play(fd);
		exit(0);
	}
	close(fd);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
}

static void serve(int listener)
{
	void (*how)(int) = serve_in_thread;
	if (*script && !strcmp(*script, "serial"))
		how = play, script++;
	else if (*script && !strcmp(*script, "fork"))
		how = serve_in_process, script++;
	for (int fd; (fd = accept(listener, NULL, NULL)) >= 0;) {
		note_connection(fd, 1);
		how(fd);
	}
	fail("accept: %s", strerror(errno));
}

/* Datagrams: each one is a line; the script is played once for each. */
static void answer_datagrams(int fd)
{
	struct sockaddr_storage from;
	struct talk *t = calloc(1, sizeof(*t));
	for (;;) {
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(fd, t->line, sizeof(t->line) - 1, 0, (struct sockaddr *)&from, &len);
		if (n < 0)
			fail("recvfrom: %s", strerror(errno));
		t->line[n] = 0;
		t->lines++;
		for (char **word = script; *word; word++) {
			char out[8192];
			const char *a = argument(*word, "send");
			if (!a)
				fail("datagrams are answered with send: only");
			sendto(fd, out, expand(t, a, out, sizeof(out)), 0, (struct sockaddr *)&from, len);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc < 3)
		fail("usage: peer listen|connect|datagrams|send ADDRESS WORD…");
	signal(SIGPIPE, SIG_IGN);
	srandom((unsigned)getpid());
	script = argv + 3;
	if (!strcmp(argv[1], "listen"))
		serve(endpoint_listen(argv[2], SOCK_STREAM));
	else if (!strcmp(argv[1], "datagrams"))
		answer_datagrams(endpoint_listen(argv[2], SOCK_DGRAM));
	else if (!strcmp(argv[1], "send"))
		play(endpoint_connect(argv[2], SOCK_DGRAM));
	else
		play(endpoint_connect(argv[2], SOCK_STREAM));
	return 0;
}
