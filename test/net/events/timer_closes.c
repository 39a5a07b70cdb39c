/*
 * timer_closes.c: a timerfd beside a connection: the silent client is sent away. What comes at the last
 * moment is answered, or not; both are explored.
 *
 * heddle: verdict=verified outcomes=0,1 clients=1 client="@peer connect {port} send:a~ eof"
 * heddle: verdict=verified outcomes=0 clients=1 client="@peer connect {port} eof"
 * native: skip
 */
#include "event.h"

int main(void)
{
	int listener = listen_on(PORT), set = epoll_create1(0),
	    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	struct itimerspec second = {.it_value = {.tv_sec = 1}};
	int fd = nonblocking(take_client(listener)), answered = 0;
	OK(timerfd_settime(timer, 0, &second, NULL));
	epoll_set(set, EPOLL_CTL_ADD, fd, EPOLLIN);
	epoll_set(set, EPOLL_CTL_ADD, timer, EPOLLIN);
	struct epoll_event e;
	uint64_t n;
	char c;
	CHECK(epoll_wait(set, &e, 1, -1) == 1);
	if (e.data.fd == timer)
		CHECK(read(timer, &n, 8) == 8 && n == 1);
	else
		answered = read(fd, &c, 1) == 1;
	heddle_outcome(answered);
	OK(close(fd));
	return 0;
}
