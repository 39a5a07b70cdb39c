/*
 * splice.c: bytes that go from pipe to pipe, from file to pipe and back, and whose ends are closed while the call
 * waits: it has found them, and goes on with them.
 *
 * heddle: args=alone verdict=verified
 * heddle: args=output_closed verdict=verified outcomes=0,1
 * heddle: args=input_closed verdict=verified outcomes=0,1
 * heddle: args=full verdict=verified outcomes=4
 * heddle: args=stuck verdict=violation kind=deadlock
 * heddle: args=sockets verdict=verified
 * heddle: args=relay verdict=verified outcomes=5
 * native: args=alone
 * native: args=sockets
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>

#include "guest.h"

static int in[2], out[2];

static void *moves(void *moved)
{
	ssize_t n = splice(in[0], NULL, out[1], NULL, 4, 0);
	CHECK(n == 4 || n == 0 || (n == -1 && errno == EBADF));
	*(int *)moved = (int)n;
	return NULL;
}

static void alone(void)
{
	char bytes[16];
	long at = 1;
	int file = open("splice.txt", O_CREAT | O_RDWR | O_TRUNC, 0600);
	CHECK(write(in[1], "abcdef", 6) == 6);
	CHECK(tee(in[0], out[1], 2, 0) == 2);
	CHECK(splice(in[0], NULL, out[1], NULL, 3, 0) == 3);
	CHECK(read(out[0], bytes, 16) == 5 && !memcmp(bytes, "ababc", 5));
	CHECK(splice(in[0], NULL, file, NULL, 100, 0) == 3);
	CHECK(splice(in[0], NULL, out[1], NULL, 1, SPLICE_F_NONBLOCK) == -1 && errno == EAGAIN);
	CHECK(splice(file, &at, out[1], NULL, 100, 0) == 2 && at == 3);
	CHECK(read(out[0], bytes, 16) == 2 && !memcmp(bytes, "ef", 2));
	CHECK(splice(file, NULL, file, NULL, 1, 0) == -1 && errno == EINVAL);
	CHECK(splice(in[0], &at, file, NULL, 1, 0) == -1 && errno == ESPIPE);
	CHECK(splice(in[0], NULL, in[1], NULL, 1, 0) == -1 && errno == EINVAL);
	CHECK(splice(in[1], NULL, out[1], NULL, 1, 0) == -1 && errno == EBADF);
	OK(close(in[1]));
	CHECK(splice(in[0], NULL, out[1], NULL, 1, 0) == 0);
	OK(close(out[0]));
	signal(SIGPIPE, SIG_IGN);
	CHECK(splice(file, &at, out[1], NULL, 1, 0) == -1 && errno == EPIPE);
}

/* Through a pipe from one socket to another, as proxies do it. */
static void sockets(void)
{
	int a[2], b[2];
	char bytes[16];
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, a));
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, b));
	CHECK(write(a[0], "hello", 5) == 5);
	CHECK(splice(a[1], NULL, in[1], NULL, 100, 0) == 5);
	CHECK(splice(in[0], NULL, b[0], NULL, 2, 0) == 2);
	CHECK(splice(in[0], NULL, b[0], NULL, 100, 0) == 3);
	CHECK(read(b[1], bytes, 16) == 5 && !memcmp(bytes, "hello", 5));
	CHECK(splice(in[0], NULL, b[0], NULL, 1, SPLICE_F_NONBLOCK) == -1 && errno == EAGAIN);
	OK(close(a[0]));
	CHECK(splice(a[1], NULL, in[1], NULL, 100, 0) == 0);
	OK(close(b[1]));
	signal(SIGPIPE, SIG_IGN);
	CHECK(write(in[1], "x", 1) == 1);
	CHECK(splice(in[0], NULL, b[0], NULL, 1, 0) == -1 && errno == EPIPE);
}

static int from[2], to[2];

static void *speaks(void *arg)
{
	CHECK(write(from[0], "abc", 3) == 3);
	CHECK(write(from[0], "de", 2) == 2);
	OK(shutdown(from[0], SHUT_WR));
	return arg;
}

/* However the bytes come, all of them arrive. */
static void relay(void)
{
	char bytes[16];
	ssize_t n, sum = 0;
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, from));
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, to));
	pthread_t t = spawn(speaks, NULL);
	while ((n = splice(from[1], NULL, in[1], NULL, 100, 0)) > 0) {
		CHECK(splice(in[0], NULL, to[0], NULL, (size_t)n, 0) == n);
		sum += n;
	}
	CHECK(n == 0 && read(to[1], bytes, 16) == sum && !memcmp(bytes, "abcde", 5));
	heddle_outcome((int)sum);
	join(t);
}

int main(int argc, char **argv)
{
	static char full[65536];
	int moved = 9;
	OK(pipe(in));
	OK(pipe(out));
	if (story(argc, argv, "alone")) {
		alone();
		return 0;
	}
	if (story(argc, argv, "sockets")) {
		sockets();
		return 0;
	}
	if (story(argc, argv, "relay")) {
		relay();
		return 0;
	}
	if (story(argc, argv, "full")) {
		CHECK(write(in[1], "abcd", 4) == 4);
		CHECK(write(out[1], full, sizeof(full)) == sizeof(full));
	}
	pthread_t t = spawn(moves, &moved);
	if (story(argc, argv, "full"))
		CHECK(read(out[0], full, sizeof(full)) > 0);
	int other = -1;
	if (story(argc, argv, "output_closed") || story(argc, argv, "input_closed")) {
		int *ends = story(argc, argv, "output_closed") ? &out[1] : &in[0];
		OK(close(*ends));
		other = open("/dev/null", story(argc, argv, "output_closed") ? O_RDONLY : O_WRONLY);
		CHECK(other == *ends);
	}
	if (!story(argc, argv, "full") && !story(argc, argv, "stuck")) {
		signal(SIGPIPE, SIG_IGN);
		ssize_t n = write(in[1], "abcd", 4);
		CHECK(n == 4 || errno == EPIPE); /* nobody reads: the thread came too late */
	}
	join(t);
	heddle_outcome(story(argc, argv, "full") ? moved : moved == 4);
	return 0;
}
