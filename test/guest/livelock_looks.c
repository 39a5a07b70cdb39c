/*
 * livelock_looks.c: a thread asks again and again, without waiting, for what never comes: a timer that nobody
 * sets, a signal that nobody sends, bytes that nobody writes, a file that was there for a moment. Where it comes
 * in the end ("-comes"), the same loops are no mistake.
 *
 * heddle: args=timer verdict=violation kind=livelock where=@timer
 * heddle: args=timer-comes verdict=verified
 * heddle: args=signal verdict=violation kind=livelock where=@signal
 * heddle: args=signal-comes verdict=verified
 * heddle: args=wait verdict=violation kind=livelock message~="waits for signals SIGUSR1"
 * heddle: args=wait-comes verdict=verified
 * heddle: args=splice verdict=violation kind=livelock
 * heddle: args=splice-comes verdict=verified
 * heddle: args=file verdict=violation kind=livelock message~="use flag"
 * heddle: args=file-comes verdict=verified
 * native: args=timer-comes
 * native: args=signal-comes
 * native: args=wait-comes
 * native: args=splice-comes
 * native: args=file-comes
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "guest.h"

static int fd, from[2], to[2];
static sigset_t set;
static char buffer[256];

static void *timer(void *arg)
{
	while (read(fd, buffer, sizeof(buffer)) < 0) /* @timer */
		;
	return arg;
}

static void timer_comes(void)
{
	struct itimerspec soon = {.it_value.tv_nsec = 1};
	OK(timerfd_settime(fd, 0, &soon, NULL));
}

static void *a_signal(void *arg)
{
	while (read(fd, buffer, sizeof(buffer)) < 0) /* @signal */
		;
	return arg;
}

static void signal_comes(void)
{
	OK(kill(getpid(), SIGUSR1));
}

static void *wait_signal(void *arg)
{
	struct timespec now = {0};
	while (sigtimedwait(&set, NULL, &now) < 0)
		;
	return arg;
}

static void *splice_bytes(void *arg)
{
	while (splice(from[0], NULL, to[1], NULL, 1, SPLICE_F_NONBLOCK) < 0)
		;
	return arg;
}

static void bytes_come(void)
{
	CHECK(write(from[1], "x", 1) == 1);
}

static void *file(void *arg)
{
	while (access("flag", F_OK))
		;
	return arg;
}

static void file_comes(void)
{
	OK(close(open("flag", O_CREAT | O_WRONLY, 0600)));
}

static void file_goes(void)
{
	file_comes();
	OK(unlink("flag"));
}

static void nothing(void)
{
}

static const struct {
	const char *name;
	void *(*look)(void *arg);
	void (*never)(void);
	void (*comes)(void);
} stories[] = {
	{"timer", timer, nothing, timer_comes},       {"signal", a_signal, nothing, signal_comes},
	{"wait", wait_signal, nothing, signal_comes}, {"splice", splice_bytes, nothing, bytes_come},
	{"file", file, file_goes, file_comes},
};

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	size_t length = strcspn(argv[1], "-");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
	fd = argv[1][0] == 't' ? timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK)
			       : signalfd(-1, &set, SFD_NONBLOCK);
	CHECK(fd >= 0);
	OK(pipe(from));
	OK(pipe(to));
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		if (strncmp(stories[i].name, argv[1], length))
			continue;
		pthread_t t = spawn(stories[i].look, NULL);
		if (argv[1][length])
			stories[i].comes();
		else
			stories[i].never();
		join(t);
	}
	return 0;
}
