/*
 * eventfd_poll.c: eventfd as counter and as semaphore; poll over a pipe and an eventfd,
 * with and without time-out.
 *
 * heddle: verdict=verified outcomes=5 args=counter
 * heddle: verdict=verified outcomes=2 args=semaphore
 * heddle: verdict=verified outcomes=1 args=poll
 * heddle: verdict=verified outcomes=0,1 args=polltime
 * heddle: verdict=verified outcomes=0,1 args=pollnow
 * heddle: verdict=violation kind=deadlock args=pollstuck message~="(?i)poll"
 * native: args=counter
 * native: args=semaphore
 * native: args=poll
 * native: args=polltime
 * native: args=pollnow
 */
#include <poll.h>
#include <sys/eventfd.h>

#include "guest.h"

static int ev, fd[2];

static void *add(void *arg)
{
	OK(eventfd_write(ev, (eventfd_t)(long)arg));
	return NULL;
}

/* Both adders are done before the read, so it gets the sum. */
static void counter(void)
{
	eventfd_t value;
	ev = eventfd(0, EFD_NONBLOCK);
	FAILS(eventfd_read(ev, &value), EAGAIN);
	pthread_t a = spawn(add, (void *)2), b = spawn(add, (void *)3);
	join(a);
	join(b);
	OK(eventfd_read(ev, &value));
	heddle_outcome((long)value);
	FAILS(eventfd_read(ev, &value), EAGAIN);
}

static void semaphore(void)
{
	eventfd_t one, two;
	ev = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	pthread_t a = spawn(add, (void *)2);
	OK(eventfd_read(ev, &one));
	OK(eventfd_read(ev, &two));
	heddle_outcome((long)(one + two));
	join(a);
}

static void *poke(void *arg)
{
	CHECK(write(fd[1], "x", 1) == 1);
	return arg;
}

static void polling(int timeout)
{
	ev = eventfd(0, 0);
	pthread_t t = spawn(poke, NULL);
	struct pollfd p[2] = {{ev, POLLIN, 0}, {fd[0], POLLIN, 0}};
	int n = poll(p, 2, timeout);
	CHECK(n == 0 || (n == 1 && p[1].revents == POLLIN && p[0].revents == 0));
	heddle_outcome(n);
	join(t);
}

static void closed_ends(void)
{
	struct pollfd p = {fd[1], POLLOUT, 0}, bad = {99, POLLIN, 0};
	CHECK(poll(&p, 1, -1) == 1 && p.revents == POLLOUT);
	CHECK(poll(&bad, 1, -1) == 1 && bad.revents == POLLNVAL);
	OK(close(fd[1]));
	struct pollfd hup = {fd[0], POLLIN, 0};
	CHECK(poll(&hup, 1, -1) == 1 && (hup.revents & POLLHUP));
}

int main(int argc, char **argv)
{
	OK(pipe2(fd, 0));
	if (story(argc, argv, "counter"))
		counter();
	else if (story(argc, argv, "semaphore"))
		semaphore();
	else if (story(argc, argv, "poll")) {
		polling(-1);
		closed_ends();
	} else if (story(argc, argv, "polltime"))
		polling(100);
	else if (story(argc, argv, "pollnow"))
		polling(0);
	else if (story(argc, argv, "pollstuck")) {
		struct pollfd p = {fd[0], POLLIN, 0};
		poll(&p, 1, -1);
	}
	return 0;
}
