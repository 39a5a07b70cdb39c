/*
 * self_pipe.c: a signal ends the loop by a byte in a pipe. The faulty version only sets a flag: the signal may come
 * between the look at the flag and poll.
 *
 * heddle: verdict=verified args=right
 * heddle: verdict=violation kind=deadlock args=flag
 * native: args=right
 */
#include "event.h"

static int ends[2];
static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
	if (ends[1]) {
		int kept = errno;
		CHECK(write(ends[1], "x", 1) == 1);
		errno = kept;
	}
}

static void *asks(void *thread)
{
	OK(pthread_kill(*(pthread_t *)thread, SIGTERM));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t self = pthread_self();
	struct sigaction action = {.sa_handler = on_signal};
	struct pollfd p = {.events = POLLIN};
	if (!story(argc, argv, "flag"))
		OK(pipe(ends));
	p.fd = ends[1] ? ends[0] : -1;
	OK(sigaction(SIGTERM, &action, NULL));
	pthread_t t = spawn(asks, &self);
	while (!stop)
		CHECK(poll(&p, 1, -1) == 1 || errno == EINTR);
	join(t);
	return 0;
}
