/*
 * signalfd.c: signals to read instead of handlers: of the process, of the thread, several at once, beside poll.
 *
 * heddle: args=alone verdict=verified
 * heddle: args=from_thread verdict=verified
 * heddle: args=polled verdict=verified outcomes=0,1
 * heddle: args=unblocked verdict=violation kind=crash
 * heddle: args=nobody verdict=violation kind=deadlock options="--strict-idle"
 * native: args=alone
 * native: args=from_thread
 */
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "guest.h"

static void *sends(void *arg)
{
	OK(kill(getpid(), SIGUSR1));
	return arg;
}

static int expect(int fd)
{
	struct signalfd_siginfo info[2];
	ssize_t n = read(fd, info, sizeof(info));
	CHECK(n == sizeof(info[0]) || n == 2 * sizeof(info[0]));
	return (int)info[0].ssi_signo;
}

int main(int argc, char **argv)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	if (!story(argc, argv, "unblocked"))
		OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
	int fd = signalfd(-1, &set, 0);
	CHECK(fd >= 0);
	if (story(argc, argv, "alone")) {
		struct signalfd_siginfo info[3];
		OK(raise(SIGUSR2));
		OK(kill(getpid(), SIGUSR1));
		CHECK(read(fd, info, sizeof(info)) == 2 * sizeof(info[0]));
		CHECK(info[0].ssi_signo + info[1].ssi_signo == SIGUSR1 + SIGUSR2);
		CHECK(info[0].ssi_pid == (uint32_t)getpid());
		FAILS(read(fd, info, 10), EINVAL);
		FAILS(signalfd(1, &set, 0), EINVAL);
		sigemptyset(&set);
		CHECK(signalfd(fd, &set, 0) == fd);
		struct pollfd p = {.fd = fd, .events = POLLIN};
		OK(raise(SIGUSR1));
		OK(poll(&p, 1, 0));
		return 0;
	}
	pthread_t t = story(argc, argv, "nobody") ? 0 : spawn(sends, NULL);
	if (story(argc, argv, "polled")) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		heddle_outcome(poll(&p, 1, 0));
	}
	CHECK(expect(fd) == SIGUSR1);
	join(t);
	return 0;
}
