/*
 * Tests whether a WebDAV server works: gives a resource a colour (PROPPATCH) and asks for it (PROPFIND). A timer
 * says whether the server takes too long; it is set up again for each request.
 *
 * The fault: the timer is started with the program, long before the first request, and nobody thinks
 * of what happens if it runs out before it is set up again. When it has, it is no more.
 *
 *     webdav-client HOST PORT [RESOURCE [SECONDS]]        SECONDS 0: no timer
 */
#include "../http.h"
#include "../net.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COLOUR "<colour>green</colour>"

struct timer {
	struct timespec deadline;
	bool stopped;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct timer *timer; /* NULL: there is none, or it has run out */
static pthread_t timer_thread;
static int seconds; /* 0: no timer is wanted */

static struct timespec from_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += seconds;
	return t;
}

static bool is_past(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec > t->tv_sec || (now.tv_sec == t->tv_sec && now.tv_nsec >= t->tv_nsec);
}

/* The deadline may move while it is waited for. */
static void *timer_run(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!timer->stopped && !is_past(&timer->deadline))
		pthread_cond_timedwait(&changed, &lock, &timer->deadline);
	free(timer);
	timer = NULL;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void timer_start(void)
{
	if (!seconds)
		return;
	timer = calloc(1, sizeof *timer);
	net_must(timer, "calloc");
	timer->deadline = from_now();
	timer_thread = net_start(timer_run, 0);
}

/* Once more the full time. false: it was up. */
static bool timer_reset(void)
{
	bool runs;

	if (!seconds)
		return true;
	pthread_mutex_lock(&lock);
	runs = FAULT || timer;
	if (runs)
		timer->deadline = from_now();
	pthread_mutex_unlock(&lock);
	return runs;
}

static bool timer_stop(void)
{
	bool runs;

	if (!seconds)
		return true;
	pthread_mutex_lock(&lock);
	runs = timer;
	if (runs)
		timer->stopped = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(timer_thread, NULL);
	return runs;
}

static void ask(int fd, const char *method, const char *resource, const char *body,
		struct http_message *answer)
{
	char request[2 * LINE_ROOM];

	snprintf(request, sizeof request, "%s /%s HTTP/1.1", method, resource);
	http_send(fd, request, body);
	http_receive(fd, answer);
	assert(http_status(answer) == 207);
}

int main(int argc, char **argv)
{
	const char *host = argc > 1 ? argv[1] : "127.0.0.1", *resource = argc > 3 ? argv[3] : "1";
	int fd, port = net_arg(argc, argv, 2, 8081, 1, 65535);
	struct http_message answer;
	bool in_time;

	seconds = net_arg(argc, argv, 4, 5, 0, 3600);
	if (FAULT)
		timer_start();
	fd = net_connect(host, port);
	if (!FAULT)
		timer_start();
	in_time = timer_reset();
	ask(fd, "PROPPATCH", resource, COLOUR, &answer);
	in_time = timer_reset() && in_time;
	ask(fd, "PROPFIND", resource, "<colour/>", &answer);
	assert(!strcmp(http_body(&answer), COLOUR));
	close(fd);
	in_time = timer_stop() && in_time;
	puts(in_time ? "the server works" : "the server works, but slowly");
	return 0;
}
