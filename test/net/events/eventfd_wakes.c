/*
 * eventfd_wakes.c: a loop that waits in epoll and is woken by an eventfd when a worker has finished a job. The faulty
 * one takes the results before it takes the wake-up: what comes between is found by nobody.
 *
 * heddle: verdict=verified args=right
 * heddle: verdict=violation kind=deadlock args=wrong
 * native: args=right
 */
#include "event.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int results, wake;

static void *works(void *arg)
{
	uint64_t one = 1;
	OK(pthread_mutex_lock(&lock));
	results++;
	OK(pthread_mutex_unlock(&lock));
	CHECK(write(wake, &one, 8) == 8);
	return arg;
}

static int take_results(void)
{
	OK(pthread_mutex_lock(&lock));
	int n = results;
	results = 0;
	OK(pthread_mutex_unlock(&lock));
	return n;
}

int main(int argc, char **argv)
{
	int set = epoll_create1(0), done = 0, wrong = story(argc, argv, "wrong");
	wake = eventfd(0, EFD_NONBLOCK);
	epoll_set(set, EPOLL_CTL_ADD, wake, EPOLLIN);
	pthread_t a = spawn(works, NULL), b = spawn(works, NULL);
	while (done < 2) {
		struct epoll_event e;
		uint64_t n;
		CHECK(epoll_wait(set, &e, 1, -1) == 1);
		if (wrong)
			done += take_results();
		CHECK(read(wake, &n, 8) == 8);
		if (!wrong)
			done += take_results();
	}
	join(a);
	join(b);
	return 0;
}
