/*
 * wild.c: peers that do not want to end. Each says "ready" when it has got away. Should heddle fail, they end by themselves after a
 * minute (SECONDS): nobody is to clean up behind a failed test.
 *
 *   daemon     a child of a child, in a session of its own, with nothing open; its parents end
 *   stubborn   ignores every signal that can be ignored
 *   breeder    replaces each of its children, and their children, as soon as one ends
 *   runner     forks and ends, forever: never the same process
 *   layers     a chain of processes, each in its own session, each waiting for the next
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIFE_FD 9 /* open as long as a process of this peer lives: that's how the test knows */
#define SECONDS 60
#define BREED 4
#define LAYERS 12

static time_t deadline;

static void ready(void)
{
	if (write(1, "ready\n", 6) != 6)
		_exit(1);
}

static void leave_when_late(void)
{
	if (time(NULL) > deadline)
		_exit(0);
}

static void linger(void)
{
	const struct timespec second = {1, 0};

	for (;;) {
		leave_when_late();
		nanosleep(&second, NULL);
	}
}

static void run_daemon(void)
{
	if (fork())
		_exit(0);
	setsid();
	if (fork())
		_exit(0);
	ready();
	for (int fd = 0; fd < LIFE_FD; fd++)
		close(fd);
	linger();
}

static void run_stubborn(void)
{
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	ready();
	linger();
}

static void run_breeder(void)
{
	int children = 0, levels = 1;

	ready();
	for (;;) {
		leave_when_late();
		while (children < BREED) {
			pid_t pid = fork();

			if (pid == 0 && levels-- == 0)
				linger();
			children = pid == 0 ? 0 : children + (pid > 0);
		}
		if (wait(NULL) > 0)
			children--;
	}
}

static void run_runner(void)
{
	const struct timespec breath = {0, 1000000}; /* an init that reaps slowly would run out of numbers */

	ready();
	for (;;) {
		leave_when_late();
		nanosleep(&breath, NULL);
		if (fork() > 0)
			_exit(0);
	}
}

static void run_layers(void)
{
	for (int i = 0; i < LAYERS; i++) {
		if (fork() > 0) {
			wait(NULL);
			_exit(0);
		}
		setsid();
	}
	ready();
	linger();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {{"daemon", run_daemon},
		     {"stubborn", run_stubborn},
		     {"breeder", run_breeder},
		     {"runner", run_runner},
		     {"layers", run_layers}};

	deadline = time(NULL) + SECONDS;
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name))
			kinds[i].run();
	return 2;
}
