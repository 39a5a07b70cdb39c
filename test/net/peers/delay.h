/* delay.h: ways to let time pass in which no thread waits with a time-out of its own. */
#ifndef DELAY_H
#define DELAY_H

#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t rang;

static void on_alarm(int signal)
{
	(void)signal;
	rang = 1;
}

static struct timespec delay_spec(long ms)
{
	return (struct timespec){ms / 1000, ms % 1000 * 1000000};
}

/* Until SIGALRM comes; arm: what sends it. */
static void delay_by_signal(long ms, void (*arm)(long ms))
{
	sigset_t alarm, before;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
	sigprocmask(SIG_BLOCK, &alarm, &before);
	rang = 0;
	arm(ms);
	while (!rang)
		sigsuspend(&before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void arm_itimer(long ms)
{
	setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {ms / 1000, ms % 1000 * 1000}}, NULL);
}

static void arm_posix_timer(long ms)
{
	static timer_t timer;
	static int made;
	if (!made++)
		timer_create(CLOCK_MONOTONIC, NULL, &timer);
	timer_settime(timer, 0, &(struct itimerspec){.it_value = delay_spec(ms)}, NULL);
}

static void delay_by_timerfd(long ms, int in_epoll)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, 0), epoll = epoll_create1(0);
	uint64_t count;
	timerfd_settime(fd, 0, &(struct itimerspec){.it_value = delay_spec(ms)}, NULL);
	if (in_epoll) {
		struct epoll_event event = {.events = EPOLLIN};
		epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
		epoll_wait(epoll, &event, 1, -1);
	}
	(void)!read(fd, &count, sizeof(count));
	close(epoll);
	close(fd);
}

static void delay_by_socket(long ms)
{
	struct timeval limit = {ms / 1000, ms % 1000 * 1000};
	int pair[2];
	char byte;
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	(void)!read(pair[0], &byte, 1);
	close(pair[0]);
	close(pair[1]);
}

/* 0: there is no such way. */
static int delay(const char *how, long ms)
{
	if (!strcmp(how, "itimer"))
		delay_by_signal(ms, arm_itimer);
	else if (!strcmp(how, "posix-timer"))
		delay_by_signal(ms, arm_posix_timer);
	else if (!strcmp(how, "timerfd") || !strcmp(how, "timerfd-epoll"))
		delay_by_timerfd(ms, how[7] != 0);
	else if (!strcmp(how, "rcvtimeo"))
		delay_by_socket(ms);
	else
		return 0;
	return 1;
}

#endif
