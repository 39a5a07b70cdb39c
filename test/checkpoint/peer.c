/*
 * peer.c: a server with something of everything that is shared or lost across fork.
 *
 *   checkpoint-peer LOOP PORT [MEGABYTES]      LOOP: block, poll, select, epoll, edge, oneshot, thread
 *
 * Each byte it reads is a question, each answer a line:
 *   n  how many questions it was asked, on all connections
 *   r  a random number, which it remembers     g  the one that it remembers
 *   u  the same from /dev/urandom
 *   t  the time                                d  the time by rdtsc
 *   i  its pid, and its thread's number
 *   o  the next byte of a file                 e  adds one to an eventfd, and tells its count
 *   s  adds one to memory that is shared       w  puts two bytes into a pipe of its own, and takes one out
 *   a  sets an alarm, and tells what is left of the last one (minutes)
 *   m  the same with timer_create
 *   h  shuts its writing side down             q  closes the connection
 *   f  adds one to a number in a file          v  makes a file, or removes it: was it there?
 *   p  locks a file with fcntl, y: another one with flock
 *   x  has a child process                     l  watches a file
 *   k  starts to leave what it is sent unread
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define CONNS 64

static int listener, conn[CONNS], event, file, own_pipe[2], epoll;
static unsigned asked, remembered;
static unsigned *shared;
static const char *loop;
static char writable[1024]; /* this edge was seen */

static unsigned from_urandom(void)
{
	unsigned r = 0;
	int fd = open("/dev/urandom", O_RDONLY);
	if (read(fd, &r, sizeof(r)) != (ssize_t)sizeof(r))
		abort();
	close(fd);
	return r;
}

static unsigned next_byte(void)
{
	unsigned char c = 0;
	return read(file, &c, 1) == 1 ? c : 0;
}

static unsigned add_event(void)
{
	uint64_t n = 1;
	if (write(event, &n, 8) != 8 || read(event, &n, 8) != 8)
		abort();
	unsigned was = (unsigned)n;
	n++;
	return write(event, &n, 8) == 8 ? was : 0;
}

/* Two go in and one out: what is left grows. */
static unsigned use_pipe(void)
{
	static unsigned char c;
	unsigned char got = 0, two[2] = {c + 1, c + 2};
	c += 2;
	if (write(own_pipe[1], two, 2) != 2 || read(own_pipe[0], &got, 1) != 1)
		abort();
	return got;
}

static unsigned set_timer(void)
{
	static timer_t timer;
	static int made;
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec t = {.it_value = {3600 * 10 + (time_t)asked * 3600, 0}}, old;
	clockid_t of_thread;
	if (!made && (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
		      pthread_getcpuclockid(pthread_self(), &of_thread) ||
		      timer_create(of_thread, &event, &(timer_t){0}) ||
		      clock_gettime(of_thread, &(struct timespec){0})))
		abort();
	made = 1;
	if (timer_gettime(timer, &old) || timer_settime(timer, 0, &t, NULL))
		abort();
	return (unsigned)(old.it_value.tv_sec + 1800) / 3600;
}

/* Read and written by name each time. */
static unsigned add_to_file(void)
{
	unsigned n = 0;
	FILE *f = fopen("written", "r");
	if (f && fscanf(f, "%u", &n) != 1)
		abort();
	if (f)
		fclose(f);
	f = fopen("written", "w");
	if (!f || fprintf(f, "%u\n", n + 1) < 0 || fclose(f))
		abort();
	return n + 1;
}

static unsigned make_or_remove(void)
{
	if (!unlink("there"))
		return 1;
	int fd = open("there", O_CREAT | O_WRONLY, 0600);
	return close(fd) != 0;
}

static int lock_file(const char *name, int whole)
{
	int fd = open(name, O_CREAT | O_RDWR, 0600);
	struct flock l = {.l_type = F_WRLCK, .l_start = 3, .l_len = 1};
	return whole ? flock(fd, LOCK_EX | LOCK_NB) : fcntl(fd, F_SETLK, &l);
}

static unsigned set_alarm(void)
{
	struct itimerval t = {.it_value = {3600 * 10 + (time_t)asked * 3600, 0}}, old;
	setitimer(ITIMER_REAL, &t, &old);
	return (unsigned)(old.it_value.tv_sec + 1800) / 3600;
}

static int answer(int fd, char question, char *out, size_t cap)
{
	struct timespec now;
	asked++;
	switch (question) {
	case 'r':
		if (getrandom(&remembered, sizeof(remembered), 0) < 0)
			abort();
		return snprintf(out, cap, "r%u\n", remembered);
	case 'g':
		return snprintf(out, cap, "g%u\n", remembered);
	case 'u':
		return snprintf(out, cap, "u%u\n", remembered = from_urandom());
	case 't':
		clock_gettime(CLOCK_REALTIME, &now);
		return snprintf(out, cap, "t%ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
	case 'd':
		return snprintf(out, cap, "d%llu\n", (unsigned long long)__builtin_ia32_rdtsc());
	case 'i':
		return snprintf(out, cap, "i%d %d\n", getpid(), gettid() - getpid());
	case 'o':
		return snprintf(out, cap, "o%u\n", next_byte());
	case 'e':
		return snprintf(out, cap, "e%u\n", add_event());
	case 's':
		return snprintf(out, cap, "s%u\n", ++*shared);
	case 'w':
		return snprintf(out, cap, "w%u\n", use_pipe());
	case 'a':
		return snprintf(out, cap, "a%u\n", set_alarm());
	case 'f':
		return snprintf(out, cap, "f%u\n", add_to_file());
	case 'v':
		return snprintf(out, cap, "v%u\n", make_or_remove());
	case 'p':
	case 'y':
		return snprintf(out, cap, "%c%d\n", question,
				lock_file(question == 'p' ? "locked" : "flocked", question == 'y'));
	case 'm':
		return snprintf(out, cap, "m%u\n", set_timer());
	case 'h':
		shutdown(fd, SHUT_WR);
		return 0;
	case 'x':
		if (!fork()) {
			pause();
			_exit(0);
		}
		return snprintf(out, cap, "x\n");
	case 'l':
		return snprintf(out, cap, "l%d\n", inotify_init() >= 0);
	default:
		return snprintf(out, cap, "%c%u\n", question, asked);
	}
}

/* False: the connection has ended. */
static int serve(int fd, int all)
{
	char line[64];
	do {
		char c;
		ssize_t n = recv(fd, &c, 1, all ? MSG_DONTWAIT : 0);
		if (n < 0)
			return 1;
		if (n == 0 || c == 'q')
			return 0;
		if (c == 'k') {
			static volatile int never;
			while (!never)
				pause();
		}
		int len = answer(fd, c, line, sizeof(line));
		if (len > 0 && send(fd, line, (size_t)len, MSG_NOSIGNAL) != len)
			return 0;
	} while (all);
	return 1;
}

static int add(void)
{
	int fd = accept(listener, NULL, NULL);
	for (int i = 0; i < CONNS; i++)
		if (!conn[i]) {
			conn[i] = fd;
			break;
		}
	return fd;
}

static void end(int fd)
{
	for (int i = 0; i < CONNS; i++)
		if (conn[i] == fd)
			conn[i] = 0;
	close(fd);
}

static void by_poll(void)
{
	struct pollfd p[CONNS + 1];
	for (;;) {
		int n = 0;
		p[n++] = (struct pollfd){.fd = listener, .events = POLLIN};
		for (int i = 0; i < CONNS; i++)
			if (conn[i])
				p[n++] = (struct pollfd){.fd = conn[i], .events = POLLIN};
		if (poll(p, (nfds_t)n, -1) < 0)
			abort();
		for (int i = 1; i < n; i++)
			if (p[i].revents && !serve(p[i].fd, 0))
				end(p[i].fd);
		if (p[0].revents)
			add();
	}
}

static void by_select(void)
{
	for (;;) {
		fd_set in;
		struct timeval t = {3600, 0};
		FD_ZERO(&in);
		FD_SET(listener, &in);
		for (int i = 0; i < CONNS; i++)
			if (conn[i])
				FD_SET(conn[i], &in);
		if (select(FD_SETSIZE, &in, NULL, NULL, &t) < 0)
			abort();
		for (int i = 0; i < CONNS; i++)
			if (conn[i] && FD_ISSET(conn[i], &in) && !serve(conn[i], 0))
				end(conn[i]);
		if (FD_ISSET(listener, &in))
			add();
	}
}

/* With edges, and once only, all must be read before the next wait. An edge that comes twice is answered, too. */
static void by_epoll(int flags)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = listener}, got[8];
	epoll = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e);
	for (;;) {
		int n = epoll_wait(epoll, got, 8, -1);
		if (n < 0)
			abort();
		for (int i = 0; i < n; i++) {
			int fd = got[i].data.fd;
			if (fd == listener) {
				fd = add();
				writable[fd] = 0;
				e = (struct epoll_event){.events = EPOLLIN | (unsigned)flags, .data.fd = fd};
				if (flags & EPOLLET)
					e.events |= EPOLLOUT;
				epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
				continue;
			}
			if ((flags & EPOLLET) && got[i].events == EPOLLOUT && writable[fd])
				send(fd, "edge!", 5, MSG_NOSIGNAL);
			writable[fd] = 1;
			if (!serve(fd, flags != 0)) {
				end(fd);
			} else if (flags & EPOLLONESHOT) {
				e = (struct epoll_event){.events = EPOLLIN | (unsigned)flags, .data.fd = fd};
				epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &e);
			}
		}
	}
}

static void one_by_one(void)
{
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		while (serve(fd, 0))
			;
		close(fd);
	}
}

static void *of_thread(void *arg)
{
	int fd = (int)(intptr_t)arg;
	while (serve(fd, 0))
		;
	close(fd);
	return NULL;
}

static void by_threads(void)
{
	pthread_t t;
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		pthread_create(&t, NULL, of_thread, (void *)(intptr_t)fd);
		pthread_detach(t);
	}
}

static void prepare(const char *port, const char *megabytes)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
	size_t size = megabytes ? (size_t)atoi(megabytes) << 20 : 0;
	char *memory = malloc(size + 1);
	memset(memory, 1, size + 1);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, 16))
		abort();
	event = eventfd(0, 0);
	file = open("/proc/self/exe", O_RDONLY);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pipe(own_pipe) || shared == MAP_FAILED)
		abort();
}

int main(int argc, char **argv)
{
	loop = argv[1];
	prepare(argv[2], argc > 3 ? argv[3] : NULL);
	if (!strcmp(loop, "poll"))
		by_poll();
	else if (!strcmp(loop, "select"))
		by_select();
	else if (!strcmp(loop, "epoll"))
		by_epoll(0);
	else if (!strcmp(loop, "edge"))
		by_epoll((int)EPOLLET);
	else if (!strcmp(loop, "oneshot"))
		by_epoll(EPOLLONESHOT);
	else if (!strcmp(loop, "thread"))
		by_threads();
	else
		one_by_one();
	return 0;
}
