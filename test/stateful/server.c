/*
 * Servers that remember, roll dice or tell the time, one for each manner: server MANNER PORT [PORT OF A BACK END].
 * One thread, poll; requests are lines.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 32

static struct pollfd at[MOST];
static char part[MOST][512]; /* of a line */
static int conns = 1, served, tickets, account = 10, queued, held = -1, back = -1;
static unsigned secret;
static int *common; /* tickets of all processes */
static char value[8][32], queue[16][32], name[MOST][32], told[64];
static const char *manner;

static int is(const char *m)
{
	return !strcmp(manner, m);
}

static unsigned dice(unsigned sides)
{
	unsigned n = 0;
	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		exit(1);
	return n % sides;
}

/* Nobody sees that. */
__attribute__((target("rdrnd"))) static unsigned unseen_dice(void)
{
	unsigned n = 0;
	while (!__builtin_ia32_rdrand32_step(&n))
		;
	return n % 1000000;
}

static void to_all(int but, const char *text)
{
	for (int i = 1; i < conns; i++)
		if (i != but)
			dprintf(at[i].fd, "%s\n", text);
}

static unsigned port_of(int fd)
{
	struct sockaddr_in a = {0};
	socklen_t len = sizeof(a);
	if (getpeername(fd, (void *)&a, &len))
		exit(1);
	return ntohs(a.sin_port);
}

/* Datagrams: udp-ticket, udp-secret (drawn when it is first asked), udp-token (a new one for "?", told back once). */
static void serve_datagrams(const char *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char text[100];
	unsigned token[64] = {0};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	a.sin_port = htons((unsigned short)atoi(port));
	if (bind(fd, (void *)&a, sizeof(a)))
		exit(1);
	for (;;) {
		socklen_t len = sizeof(a);
		ssize_t got = recvfrom(fd, text, sizeof(text) - 1, 0, (void *)&a, &len);
		if (got < 0)
			exit(1);
		text[got] = 0;
		if (is("udp-token")) {
			unsigned told = (unsigned)atol(text), i = 0;
			while (i < 63 && token[i] != told)
				i++;
			int known = told && token[i] == told;
			if (!told)
				told = token[i] = 1 + dice(1000000);
			else
				token[i] = 0;
			snprintf(text, sizeof(text), text[0] == '?' ? "%u" : known ? "yes" : "no", told);
			sendto(fd, text, strlen(text), 0, (void *)&a, len);
			continue;
		}
		if (is("udp-secret") && !secret)
			secret = 1 + dice(1000000);
		int n = snprintf(text, sizeof(text), "%u", is("udp-secret") ? secret : (unsigned)++tickets);
		sendto(fd, text, (size_t)n, 0, (void *)&a, len);
	}
}

/* get K, set K V, add K (atomic). */
static void store(int fd, char *line)
{
	char *k = line + 4, *slot = value[*k % 8];
	if (!strncmp(line, "get ", 4)) {
		dprintf(fd, "%s\n", slot[0] ? slot : "0");
	} else if (!strncmp(line, "set ", 4)) {
		snprintf(slot, 32, "%.20s", k + 2);
		dprintf(fd, "ok\n");
	} else {
		snprintf(slot, 32, "%d", atoi(slot) + 1);
		dprintf(fd, "%s\n", slot);
	}
}

/* balance, withdraw N: refused (no) below zero; take N: not checked. */
static void bank(int fd, const char *line)
{
	if (!strncmp(line, "withdraw ", 9) && account < atoi(line + 9)) {
		dprintf(fd, "no\n");
		return;
	}
	if (!strncmp(line, "withdraw ", 9) || !strncmp(line, "take ", 5))
		account -= atoi(strchr(line, ' '));
	dprintf(fd, "%d\n", account);
}

static void lock_server(int i, const char *line)
{
	if (!strcmp(line, "unlock"))
		held = -1;
	else if (held < 0)
		held = i;
	dprintf(at[i].fd, "%s\n", held == i || !strcmp(line, "unlock") ? "yes" : "busy");
}

static void fifo(int fd, const char *line)
{
	if (!strncmp(line, "put ", 4) && queued < 16) {
		snprintf(queue[queued++], 32, "%.20s", line + 4);
		dprintf(fd, "ok\n");
	} else if (queued) {
		dprintf(fd, "%s\n", queue[0]);
		memmove(queue, queue + 1, sizeof(queue[0]) * (size_t)--queued);
	} else {
		dprintf(fd, "empty\n");
	}
}

static void ask_back_end(int fd, const char *line)
{
	char answer[512];
	dprintf(back, "%s\n", line);
	ssize_t n = read(back, answer, sizeof(answer));
	if (n > 0 && write(fd, answer, (size_t)n) != n)
		exit(1);
}

/*
 * "SECRET DRAWN SUM": one secret for all, a number that is drawn for each answer, and a sum over all that were drawn on this
 * connection: answers of two behaviours don't fit together.
 */
static unsigned sum[MOST];

static void chain(int fd, int i)
{
	unsigned drawn = dice(1000000);
	if (!secret)
		secret = 1 + dice(1000000);
	sum[i] = sum[i] * 31 + drawn;
	dprintf(fd, "%u %u %u\n", secret, drawn, sum[i]);
}

/* cgi: a program of its own answers, for each request anew. */
static void run_helper(int fd)
{
	pid_t child = fork();
	if (child == 0) {
		dup2(fd, 1);
		execl("/proc/self/exe", "server", "helper", "0", (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

static void request(int i, char *line)
{
	int fd = at[i].fd;
	char text[600];
	if (is("ticket"))
		dprintf(fd, "%d\n", ++tickets);
	else if (is("cgi"))
		run_helper(fd);
	else if (is("shared"))
		dprintf(fd, "%d\n", ++*common);
	else if (is("store"))
		store(fd, line);
	else if (is("bank"))
		bank(fd, line);
	else if (is("lock"))
		lock_server(i, line);
	else if (is("fifo"))
		fifo(fd, line);
	else if (is("proxy") || (is("slow-proxy") && !usleep(50000)))
		ask_back_end(fd, line);
	else if (is("sequence")) { /* only one order of requests gets another answer */
		size_t n = strlen(told);
		snprintf(told + n, sizeof(told) - n, "%c", line[0]);
		dprintf(fd, "%s\n", strstr(told, "abbab") ? "no" : "yes");
	} else if (is("dice")) /* another number each time */
		dprintf(fd, "%u\n", dice(1000000));
	else if (is("secret")) /* one number, when it is first asked */
		dprintf(fd, "%u\n", secret ? secret : (secret = 1 + dice(1000000)));
	else if (is("quitting")) { /* a behind b is too much for it */
		told[0] = told[0] == 'b' && line[0] == 'a' ? 'q' : line[0];
		if (told[0] == 'q')
			exit(7);
		dprintf(fd, "%d\n", ++tickets);
	} else if (is("chain") || is("threads-chain"))
		chain(fd, i);
	else if (is("session")) { /* login gives a token, which opens everything else */
		if (!strcmp(line, "login"))
			dprintf(fd, "%u\n", secret = 1 + dice(1000000));
		else
			dprintf(fd, "%s\n", secret && (unsigned)atol(line) == secret ? "welcome" : "denied");
	} else if (is("case")) /* letters in random case */
		dprintf(fd, "%c\n", (dice(2) ? 'A' : 'a') + atoi(line));
	else if (is("letters")) /* the same without chance */
		dprintf(fd, "%c\n", 'a' + atoi(line));
	else if (is("unseen")) /* one number, when it is first asked, by rdrand */
		dprintf(fd, "%u\n", secret ? secret : (secret = 1 + unseen_dice()));
	else if (is("port")) /* whose it is */
		dprintf(fd, "%u\n", port_of(fd));
	else if (is("slow")) { /* a ticket, after much thought */
		volatile unsigned long thought = 0;
		while (thought < 60000000)
			thought++;
		dprintf(fd, "%d\n", ++tickets);
	} else if (is("expiring")) { /* login opens a session; after a second without a word it is over */
		int open = !strcmp(line, "login") || (served && time(NULL) - served < 1);
		served = open ? (int)time(NULL) : 0;
		dprintf(fd, "%s\n", open ? "welcome" : "expired");
	} else if (is("clock"))
		dprintf(fd, "%ld\n", (long)time(NULL));
	else if (is("who")) {
		snprintf(name[i], 32, "%.30s", line);
		dprintf(fd, "%d here\n", conns - 1);
	} else { /* chat */
		snprintf(text, sizeof(text), "%s", line);
		to_all(is("others") ? i : 0, text);
	}
}

static void leave(int i)
{
	close(at[i].fd);
	if (held == i)
		held = -1;
	at[i] = at[--conns];
	sum[i] = sum[conns];
	memcpy(part[i], part[conns], sizeof(part[i]));
	if (is("leaving"))
		to_all(0, "left");
	if (is("three") && ++served == 3)
		exit(0);
}

/* False: it has left. */
static int hear(int i)
{
	size_t have = strlen(part[i]);
	ssize_t n = read(at[i].fd, part[i] + have, sizeof(part[i]) - have - 1);
	char *end, line[512];
	if (n <= 0)
		return leave(i), 0;
	part[i][have + (size_t)n] = 0;
	while ((end = strchr(part[i], '\n'))) {
		*end = 0;
		strcpy(line, part[i]);
		memmove(part[i], end + 1, strlen(end + 1) + 1);
		request(i, line);
	}
	return 1;
}

static int place(const char *port, int listening);

/* A process for each connection: fork-NAME. */
static void serve_by_processes(const char *port)
{
	int l = place(port, 1);
	char text[100];
	signal(SIGCHLD, SIG_IGN);
	manner += strlen("fork-");
	common = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	while ((at[1].fd = accept(l, NULL, NULL)) >= 0) {
		if (fork()) {
			close(at[1].fd);
			continue;
		}
		close(l);
		for (ssize_t n; (n = read(at[1].fd, text, sizeof(text) - 1)) > 0;) {
			text[n - 1] = 0;
			request(1, text);
		}
		exit(0);
	}
}

/* A thread for each connection: threads-chain. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve_thread(void *arg)
{
	char text[100];
	int i = (int)(long)arg;
	while (read(at[i].fd, text, sizeof(text)) > 0) {
		pthread_mutex_lock(&lock);
		request(i, text);
		pthread_mutex_unlock(&lock);
	}
	close(at[i].fd);
	return arg;
}

static void serve_by_threads(const char *port)
{
	int l = place(port, 1);
	while (conns < MOST && (at[conns].fd = accept(l, NULL, NULL)) >= 0) {
		pthread_t t;
		if (pthread_create(&t, NULL, serve_thread, (void *)(long)conns++))
			exit(1);
	}
	pause();
}

/* One after another: who comes second waits until the first has left. one-secret, one-ticket. */
static void serve_one_by_one(const char *port)
{
	int l = place(port, 1), fd;
	char text[100];
	while ((fd = accept(l, NULL, NULL)) >= 0) {
		while (read(fd, text, sizeof(text)) > 0) {
			if (is("one-secret") && !secret)
				secret = 1 + dice(1000000);
			dprintf(fd, "%u\n", is("one-secret") ? secret : (unsigned)++tickets);
		}
		close(fd);
	}
}

/* A worker serves all connections, and asks its parent, who knows everything: kin-NAME. */
static void serve_with_worker(void)
{
	int pair[2];
	char text[100];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		exit(1);
	if (fork() == 0) {
		close(pair[0]);
		back = pair[1];
		manner = "proxy";
		return;
	}
	close(pair[1]);
	manner += strlen("kin-");
	at[1].fd = pair[0];
	for (ssize_t n; (n = read(pair[0], text, sizeof(text) - 1)) > 0;) {
		text[n - 1] = 0;
		request(1, text);
	}
	exit(0);
}

static int place(const char *port, int listening)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	a.sin_port = htons((unsigned short)atoi(port));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	for (int i = 0; !listening && i < 500 && connect(fd, (void *)&a, sizeof(a)); i++)
		usleep(10000); /* the back end is not there yet */
	if (listening && (bind(fd, (void *)&a, sizeof(a)) || listen(fd, 8)))
		exit(1);
	return fd;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	manner = argv[1];
	void *volatile first = malloc(
		1); /* libc draws a key for its heap, once: not in the middle of a conversation */
	free(first);
	if (!strcmp(manner, "helper"))
		return printf("%u\n", 1 + dice(1000000)) < 0;
	if (!strncmp(manner, "udp", 3))
		serve_datagrams(argv[2]);
	if (!strncmp(manner, "one-", 4))
		serve_one_by_one(argv[2]);
	if (!strncmp(manner, "fork-", 5))
		serve_by_processes(argv[2]);
	if (!strncmp(manner, "threads-", 8))
		serve_by_threads(argv[2]);
	if (!strncmp(manner, "kin-", 4))
		serve_with_worker();
	if (!strncmp(manner, "start-", 6)) { /* its secret is drawn before anybody asks */
		manner += 6;
		secret = 1 + dice(1000000);
	}
	int timed = !strncmp(manner, "timed-", 6); /* it looks around now and then, and does nothing */
	manner += timed ? 6 : 0;
	at[0] = (struct pollfd){place(argv[2], 1), POLLIN, 0};
	if (argc > 3)
		back = place(argv[3], 0);
	for (;;) {
		int ready = poll(at, (nfds_t)conns, is("idle") && conns > 1 ? 1000 : timed ? 300 : -1);
		if (ready < 0)
			return 1;
		while (!ready && !timed && conns > 1) /* who has said nothing for a second has to go */
			leave(conns - 1);
		for (int i = conns - 1; i > 0; i--)
			if (at[i].revents)
				hear(i);
		if (at[0].revents && conns < MOST) {
			at[conns] = (struct pollfd){accept(at[0].fd, NULL, NULL), POLLIN, 0};
			part[conns][0] = 0;
			sum[conns] = 0;
			if (is("greets"))
				dprintf(at[conns].fd, "you are %d\n", ++tickets);
			conns++;
		}
	}
}
