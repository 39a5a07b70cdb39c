/*
 * pipe_threads.c: a pipe between threads: read waits for data and ends with the last
 * writer; write waits for room; writing without readers is EPIPE; a non-blocking read may find nothing.
 *
 * heddle: verdict=verified outcomes=6 args=order
 * heddle: verdict=verified outcomes=100000 args=full
 * heddle: verdict=verified outcomes=1 args=epipe
 * heddle: verdict=verified outcomes=0,1 args=nonblock
 * heddle: verdict=violation kind=deadlock args=stuck message~="(?i)pipe"
 * heddle: verdict=violation kind=crash args=sigpipe message~="SIGPIPE"
 * native: args=order
 * native: args=full
 * native: args=epipe
 * native: args=nonblock
 * native: args=sigpipe signal=PIPE
 */
#include <fcntl.h>
#include <signal.h>

#include "guest.h"

static int fd[2];
static char big[100000];

static void *three(void *arg)
{
	for (char c = 1; c <= 3; c++)
		CHECK(write(fd[1], &c, 1) == 1);
	OK(close(fd[1]));
	return arg;
}

static void order(void)
{
	char c;
	int sum = 0, last = 0;
	pthread_t t = spawn(three, NULL);
	while (read(fd[0], &c, 1) == 1) {
		CHECK(c == ++last);
		sum += c;
	}
	join(t);
	heddle_outcome(sum);
}

static void *fill(void *arg)
{
	CHECK(write(fd[1], big, sizeof(big)) == sizeof(big));
	OK(close(fd[1]));
	return arg;
}

static void full(void)
{
	static char buf[60000];
	ssize_t n, sum = 0;
	pthread_t t = spawn(fill, NULL);
	while ((n = read(fd[0], buf, sizeof(buf))) > 0)
		sum += n;
	join(t);
	heddle_outcome(sum);
}

static void epipe(void)
{
	signal(SIGPIPE, SIG_IGN);
	OK(close(fd[0]));
	FAILS(write(fd[1], "x", 1), EPIPE);
	heddle_outcome(1);
}

static void *one(void *arg)
{
	CHECK(write(fd[1], "x", 1) == 1);
	return arg;
}

static void nonblock(void)
{
	char c;
	OK(fcntl(fd[0], F_SETFL, O_NONBLOCK));
	CHECK(fcntl(fd[0], F_GETFL) & O_NONBLOCK);
	pthread_t t = spawn(one, NULL);
	ssize_t n = read(fd[0], &c, 1);
	CHECK(n == 1 || (n == -1 && errno == EAGAIN));
	heddle_outcome(n == 1);
	join(t);
}

int main(int argc, char **argv)
{
	OK(pipe(fd));
	if (story(argc, argv, "order"))
		order();
	else if (story(argc, argv, "full"))
		full();
	else if (story(argc, argv, "epipe"))
		epipe();
	else if (story(argc, argv, "nonblock"))
		nonblock();
	else if (story(argc, argv, "stuck"))
		return (int)read(fd[0], big, 1);
	else if (story(argc, argv, "sigpipe")) {
		OK(close(fd[0]));
		return (int)write(fd[1], "x", 1);
	}
	return 0;
}
