/*
 * peer_threads.c: peers with several threads or processes.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peer.h"

static void serve_one(int fd)
{
	char line[256];

	while (peer_line(fd, line, sizeof(line)) >= 0)
		peer_answer(fd, line);
	close(fd);
}

static void *connection_thread(void *arg)
{
	serve_one((int)(intptr_t)arg);
	return NULL;
}

void serve_threads(int listener)
{
	pthread_t t;
	int fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0)
		if (pthread_create(&t, NULL, connection_thread, (void *)(intptr_t)fd) == 0)
			pthread_detach(t);
}

void serve_forks(int listener)
{
	int fd;

	signal(SIGCHLD, SIG_IGN);
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		if (fork() == 0) {
			close(listener);
			serve_one(fd);
			_exit(0);
		}
		close(fd);
	}
}

static void watch(int ep, int fd)
{
	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN, .data.fd = fd});
}

/* Calls got(fd, line) for each line that comes on any connection. */
static void loop(int listener, void (*opened)(int fd), void (*got)(int fd, const char *line))
{
	struct epoll_event e;
	char line[256];
	int ep = epoll_create1(0);

	watch(ep, listener);
	for (;;)
		if (epoll_wait(ep, &e, 1, -1) < 1) {
			continue; /* stopped and continued */
		} else if (e.data.fd == listener) {
			int fd = accept(listener, NULL, NULL);

			watch(ep, fd);
			if (opened)
				opened(fd);
		} else if (peer_line(e.data.fd, line, sizeof(line)) >= 0) {
			got(e.data.fd, line);
		} else {
			close(e.data.fd);
		}
}

void serve_epoll(int listener)
{
	loop(listener, NULL, peer_answer);
}

static int everybody[64], members;

static void joins(int fd)
{
	everybody[members++] = fd;
}

static void tell_all(int fd, const char *line)
{
	(void)fd;
	for (int i = 0; i < members; i++)
		peer_answer(everybody[i], line);
}

void serve_chat(int listener)
{
	loop(listener, joins, tell_all);
}

/* A queue of one job, taken by whichever worker comes first. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t posted = PTHREAD_COND_INITIALIZER;
static struct job {
	int fd;
	char line[256];
} jobs[64];
static int job_count;

static void *pool_worker(void *arg)
{
	struct job j;

	(void)arg;
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!job_count)
			pthread_cond_wait(&posted, &lock);
		j = jobs[--job_count];
		pthread_mutex_unlock(&lock);
		peer_answer(j.fd, j.line);
	}
	return NULL;
}

static void post(int fd, const char *line)
{
	pthread_mutex_lock(&lock);
	jobs[job_count].fd = fd;
	snprintf(jobs[job_count++].line, sizeof(jobs[0].line), "%s", line);
	pthread_cond_signal(&posted);
	pthread_mutex_unlock(&lock);
}

void serve_pool(int listener)
{
	pthread_t t;

	for (int i = 0; i < 4; i++)
		pthread_create(&t, NULL, pool_worker, NULL);
	loop(listener, NULL, post);
}

/*
 * A request goes around a ring of threads a hundred times before it is answered: there is always exactly one
 * that works.
 */
#define RING 6
#define TOURS 100
static int ring[RING][2], home[2];

static void *ring_thread(void *arg)
{
	intptr_t me = (intptr_t)arg;
	int left;

	while (read(ring[me][0], &left, sizeof(left)) == sizeof(left)) {
		if (left)
			left--;
		peer_write(left ? ring[(me + RING - 1) % RING][1] : home[1], &left, sizeof(left));
	}
	return NULL;
}

static void around(int fd, const char *line)
{
	int left = TOURS;

	peer_write(ring[0][1], &left, sizeof(left));
	if (read(home[0], &left, sizeof(left)) == sizeof(left))
		peer_answer(fd, line);
}

void serve_ring(int listener)
{
	pthread_t t;

	if (pipe(home))
		exit(1);
	for (intptr_t i = 0; i < RING; i++)
		if (pipe(ring[i]) || pthread_create(&t, NULL, ring_thread, (void *)i))
			exit(1);
	loop(listener, NULL, around);
}

/* A child answers, on the socket it has inherited. */
void serve_child(int listener)
{
	char line[256];
	int fd, to[2];

	signal(SIGCHLD, SIG_IGN);
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		if (pipe(to))
			exit(1);
		if (fork() == 0) {
			close(to[1]);
			while (peer_line(to[0], line, sizeof(line)) >= 0)
				peer_answer(fd, line);
			_exit(0);
		}
		close(to[0]);
		while (peer_line(fd, line, sizeof(line)) >= 0) {
			peer_write(to[1], line, strlen(line));
			peer_write(to[1], "\n", 1);
		}
		close(to[1]);
		close(fd);
	}
}

/* One thread works for 3 ms, another looks every millisecond whether there is something to send. */
static _Atomic int done_fd = -1;
static char done_line[256];

static void *looks_now_and_then(void *arg)
{
	(void)arg;
	for (;;) {
		int fd = atomic_exchange(&done_fd, -1);

		if (fd >= 0)
			peer_answer(fd, done_line);
		peer_pause_ms(1);
	}
	return NULL;
}

static void work(int fd, const char *line)
{
	peer_pause_ms(3);
	snprintf(done_line, sizeof(done_line), "%s", line);
	atomic_store(&done_fd, fd);
}

void serve_poller(int listener)
{
	pthread_t t;

	pthread_create(&t, NULL, looks_now_and_then, NULL);
	loop(listener, NULL, work);
}

/* Whatever comes goes back at once, in any amount. */
void serve_echo(int listener)
{
	static char data[65536];
	ssize_t n;
	int fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		while ((n = read(fd, data, sizeof(data))) > 0)
			peer_write(fd, data, (size_t)n);
		close(fd);
	}
}
