/*
 * Of several connections on which something was sent, any may have news when the program looks: all subsets of five, and in
 * an epoll set all orders of four. Beyond that only with --ready-subsets all; otherwise the verdict is bounded. The outcome is
 * the set of those that are ready; for epoll their numbers in the order in which they are told: 65 = 1 + 4 + 12 + 24 + 24 ways
 * with four, 326 with five, each followed by a state for each close.
 *
 * heddle: verdict=verified outcomes=0,1,2,3 args="poll 2" client="@peer connect {port} send:a~ eof" clients=2
 * heddle: verdict=verified outcomes=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31 args="poll 5" client="@peer connect {port} send:a~ eof" clients=5
 * heddle: verdict=bounded outcomes=0,1,2,4,8,16,32,3,5,9,17,33,6,10,18,34,12,20,36,24,40,48,63 args="poll 6" client="@peer connect {port} send:a~ eof" clients=6
 * heddle: verdict=verified states=393 options="--ready-subsets all" args="poll 6" client="@peer connect {port} send:a~ eof" clients=6
 * heddle: verdict=verified outcomes=0,1,2,3,12,13,21,23,31,32,123,132,213,231,312,321 args="epoll 3" client="@peer connect {port} send:a~ eof" clients=3
 * heddle: verdict=verified states=332 args="epoll 4" client="@peer connect {port} send:a~ eof" clients=4
 * heddle: verdict=bounded args="epoll 5" client="@peer connect {port} send:a~ eof" clients=5
 * heddle: verdict=verified states=1964 options="--ready-subsets all" args="epoll 5" client="@peer connect {port} send:a~ eof" clients=5
 */
#include "event.h"

#define MOST 6

static int by_poll(const int *fd, int n)
{
	struct pollfd p[MOST];
	int mask = 0;
	for (int i = 0; i < n; i++)
		p[i] = (struct pollfd){.fd = fd[i], .events = POLLIN};
	CHECK(poll(p, (nfds_t)n, 0) >= 0);
	for (int i = 0; i < n; i++)
		mask |= p[i].revents ? 1 << i : 0;
	return mask;
}

static int by_epoll(const int *fd, int n)
{
	struct epoll_event e[MOST];
	int set = epoll_create1(0), told = 0;
	for (int i = 0; i < n; i++) {
		struct epoll_event one = {.events = EPOLLIN, .data.u32 = (unsigned)i + 1};
		OK(epoll_ctl(set, EPOLL_CTL_ADD, fd[i], &one));
	}
	int ready = epoll_wait(set, e, MOST, 0);
	for (int i = 0; i < ready; i++)
		told = told * 10 + (int)e[i].data.u32;
	OK(close(set));
	return told;
}

int main(int argc, char **argv)
{
	CHECK(argc == 3);
	int fd[MOST], n = atoi(argv[2]), listener = listen_on(PORT);
	for (int i = 0; i < n; i++)
		fd[i] = take_client(listener);
	heddle_outcome(!strcmp(argv[1], "poll") ? by_poll(fd, n) : by_epoll(fd, n));
	for (int i = 0; i < n; i++)
		OK(close(fd[i]));
	return 0;
}
