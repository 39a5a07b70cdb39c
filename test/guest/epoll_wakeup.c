/*
 * An event loop and a worker that hands it results: the worker puts one into a list and wakes the loop by an
 * eventfd. With `lost` the loop empties the eventfd after it has looked at the list, and a result that comes
 * in between stays there for ever.
 *
 * heddle: verdict=verified args=right
 * heddle: verdict=violation kind=deadlock args=lost
 * native: args=right
 * native: args=edge
 * heddle: verdict=verified args=edge
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "guest.h"

#define RESULTS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int results, wake;

static void *work(void *arg)
{
	uint64_t one = 1;
	(void)arg;
	for (int i = 0; i < RESULTS; i++) {
		pthread_mutex_lock(&lock);
		results++;
		pthread_mutex_unlock(&lock);
		CHECK(write(wake, &one, 8) == 8);
	}
	return NULL;
}

static int take_all(void)
{
	pthread_mutex_lock(&lock);
	int n = results;
	results = 0;
	pthread_mutex_unlock(&lock);
	return n;
}

int main(int argc, char **argv)
{
	bool lost = argc > 1 && !strcmp(argv[1], "lost"), edge = argc > 1 && !strcmp(argv[1], "edge");
	struct epoll_event e = {.events = EPOLLIN | (edge ? EPOLLET : 0)};
	pthread_t worker;
	int set = epoll_create1(0), done = 0;
	uint64_t count;
	wake = eventfd(0, EFD_NONBLOCK);
	CHECK(!epoll_ctl(set, EPOLL_CTL_ADD, wake, &e));
	pthread_create(&worker, NULL, work, NULL);
	while (done < RESULTS) {
		CHECK(epoll_wait(set, &e, 1, -1) == 1);
		if (lost)
			done += take_all();
		if (!edge)
			CHECK(read(wake, &count, 8) == 8);
		if (!lost)
			done += take_all();
	}
	pthread_join(worker, NULL);
	return 0;
}
