/*
 * A small event-driven HTTP server in the shape of many: a selector thread finds out which connections have a
 * request, worker threads answer them, and a heart-beat thread looks after the server from time to time. It
 * answers each request with a short page and closes the connection.
 *
 *     http-event [PORT [CLIENTS [WORKERS [HEARTBEAT]]]]        ends when CLIENTS were served
 *
 * The faulty version has a data race on the event that a worker is busy with: a worker that is done first
 * says so, and then closes its connection and forgets its event, without the lock. In between the selector
 * may have given it the next one: with two connections the worker forgets that, and follows a null pointer.
 */
#include "../event.h"

#include <sys/epoll.h>

#define MAX_WORKERS 4

struct event {
	int fd;
};

static struct worker {
	bool busy;
	struct event *event;
	pthread_cond_t wake;
} worker[MAX_WORKERS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static struct event event[MAX_CONNECTIONS];
static int workers, set, beats;
static bool over;

static void answer(struct event *e)
{
	static const char page[] = "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nhi\n";
	char request[256];
	ssize_t n = read(e->fd, request, sizeof request);

	assert(n >= 0 || errno != EAGAIN); /* the selector said so */
	if (n > 0)                         /* who has left meanwhile gets no answer */
		n = send(e->fd, page, sizeof page - 1, MSG_NOSIGNAL);
	memset(request, 0, sizeof request);
}

static void forget_event(struct worker *w)
{
	close(w->event->fd);
	w->event = NULL;
}

static void *work(void *arg)
{
	struct worker *w = &worker[(long)arg];

	pthread_mutex_lock(&lock);
	for (;;) {
		while (!w->busy && !over)
			pthread_cond_wait(&w->wake, &lock);
		if (!w->busy)
			break;
		pthread_mutex_unlock(&lock);
		answer(w->event);
		if (!FAULT)
			forget_event(w);
		pthread_mutex_lock(&lock);
		w->busy = false;
		pthread_cond_signal(&idle);
		if (!FAULT)
			continue;
		pthread_mutex_unlock(&lock);
		forget_event(w);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *beat(void *arg)
{
	bool stop = false;

	while (!stop) {
		usleep(100000);
		pthread_mutex_lock(&lock);
		beats = 1;
		stop = over;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static struct worker *idle_worker(void)
{
	for (int i = 0; i < workers; i++)
		if (!worker[i].busy)
			return &worker[i];
	return NULL;
}

/* Waits for an idle worker. */
static void hand_over(struct event *e)
{
	struct worker *w;

	pthread_mutex_lock(&lock);
	while (!(w = idle_worker()))
		pthread_cond_wait(&idle, &lock);
	w->event = e;
	w->busy = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&lock);
}

static void watch(int fd, int index)
{
	struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT * (index >= 0), .data.u32 = (unsigned)index};

	net_must(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0, "epoll_ctl");
}

static void select_events(int listener, int clients)
{
	int count = 0, left = clients;

	while (left) {
		struct epoll_event e = {0};

		net_must(epoll_wait(set, &e, 1, -1) == 1, "epoll_wait");
		if ((int)e.data.u32 >= 0) {
			hand_over(&event[e.data.u32]);
			left--;
			continue;
		}
		event[count].fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
		net_must(event[count].fd >= 0, "accept");
		watch(event[count].fd, count);
		count++;
	}
}

int main(int argc, char **argv)
{
	pthread_t thread[MAX_WORKERS], heart;
	int listener = net_listen(net_arg(argc, argv, 1, 8080, 0, 65535));
	int clients = net_arg(argc, argv, 2, 1, 1, MAX_CONNECTIONS);
	bool has_heart = net_arg(argc, argv, 4, 0, 0, 1);

	workers = net_arg(argc, argv, 3, 1, 1, MAX_WORKERS);
	event_nonblocking(listener);
	set = epoll_create1(0);
	watch(listener, -1);
	for (int i = 0; i < workers; i++) {
		pthread_cond_init(&worker[i].wake, NULL);
		thread[i] = net_start(work, i);
	}
	if (has_heart)
		heart = net_start(beat, 0);
	select_events(listener, clients);
	pthread_mutex_lock(&lock);
	over = true;
	for (int i = 0; i < workers; i++)
		pthread_cond_signal(&worker[i].wake);
	pthread_mutex_unlock(&lock);
	net_join_all(thread, workers);
	if (has_heart)
		pthread_join(heart, NULL);
	return 0;
}
