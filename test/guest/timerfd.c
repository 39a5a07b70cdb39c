/*
 * timerfd.c: timers to read from: one that expires, one that is periodic, several in order of their deadlines, one that is
 * set again before it was read, one beside a pipe.
 *
 * heddle: args=once verdict=verified
 * heddle: args=periodic verdict=verified outcomes=1,2
 * heddle: args=order verdict=verified outcomes=1,3
 * heddle: args=again verdict=verified
 * heddle: args=race verdict=verified outcomes=1,2,3
 * heddle: args=never verdict=violation kind=deadlock
 * heddle: args=closed verdict=violation kind=deadlock
 * native: args=once
 * native: args=again
 */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/timerfd.h>

#include "guest.h"

static int make(int flags)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, flags);
	CHECK(fd >= 0);
	return fd;
}

static void set(int fd, long first_ms, long every_ms)
{
	struct itimerspec t = {
		.it_value = {.tv_sec = first_ms / 1000, .tv_nsec = first_ms % 1000 * 1000000},
		.it_interval = {.tv_sec = every_ms / 1000, .tv_nsec = every_ms % 1000 * 1000000}};
	OK(timerfd_settime(fd, 0, &t, NULL));
}

static uint64_t expiries(int fd)
{
	uint64_t n = 0;
	ssize_t r = read(fd, &n, sizeof(n));
	CHECK(r == sizeof(n) || (r == -1 && errno == EAGAIN));
	return n;
}

static int ends[2];

static void *writes(void *arg)
{
	CHECK(write(ends[1], "x", 1) == 1);
	return arg;
}

static void race(void)
{
	int fd = make(TFD_NONBLOCK);
	OK(pipe(ends));
	set(fd, 10, 0);
	pthread_t t = spawn(writes, NULL);
	struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = ends[0], .events = POLLIN}};
	CHECK(poll(p, 2, -1) > 0);
	heddle_outcome((p[0].revents != 0) + 2 * (p[1].revents != 0));
	join(t);
}

static void errors(void)
{
	struct itimerspec t = {.it_value = {.tv_nsec = 1000000000}};
	char byte;
	int fd = make(0);
	FAILS(timerfd_create(99, 0), EINVAL);
	FAILS(timerfd_create(CLOCK_MONOTONIC, 1), EINVAL);
	FAILS(timerfd_settime(fd, 0, &t, NULL), EINVAL);
	FAILS(timerfd_settime(1, 0, &t, NULL), EINVAL);
	t.it_value.tv_nsec = 0;
	FAILS(timerfd_settime(77, 0, &t, NULL), EBADF);
	FAILS(read(fd, &byte, 1), EINVAL);
	FAILS(write(fd, &byte, 1), EINVAL);
	OK(timerfd_gettime(fd, &t));
	CHECK(!t.it_value.tv_sec && !t.it_value.tv_nsec);
	OK(close(fd));
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "once")) {
		int fd = make(0);
		errors();
		set(fd, 20, 0);
		CHECK(expiries(fd) == 1);
		OK(fcntl(fd, F_SETFL, O_NONBLOCK));
		CHECK(expiries(fd) == 0);
	} else if (story(argc, argv, "periodic")) {
		int fd = make(0);
		set(fd, 10, 10);
		heddle_outcome((long)expiries(fd));
	} else if (story(argc, argv, "order")) {
		int late = make(TFD_NONBLOCK), early = make(TFD_NONBLOCK);
		set(early, 10, 0);
		set(late, 20, 0);
		struct pollfd p[2] = {{.fd = early, .events = POLLIN}, {.fd = late, .events = POLLIN}};
		CHECK(poll(p, 2, -1) > 0);
		heddle_outcome((p[0].revents != 0) + 2 * (p[1].revents != 0));
	} else if (story(argc, argv, "again")) {
		int fd = make(TFD_NONBLOCK);
		struct pollfd p = {.fd = fd, .events = POLLIN};
		set(fd, 10, 0);
		CHECK(poll(&p, 1, -1) == 1);
		set(fd, 100000, 0);
		CHECK(poll(&p, 1, 0) == 0 || p.revents == POLLIN);
		set(fd, 0, 0);
		CHECK(expiries(fd) == 0);
		CHECK(poll(&p, 1, 0) == 0);
	} else if (story(argc, argv, "race")) {
		race();
	} else {
		int fd = make(0);
		if (story(argc, argv, "closed")) {
			set(fd, 10, 10);
			OK(close(fd));
			fd = make(0);
		}
		expiries(fd);
	}
	return 0;
}
