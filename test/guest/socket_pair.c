/*
 * socket_pair.c: two ends of a pair between threads: data both ways, waiting for data and for room, messages with
 * boundaries, what one end learns when the other is shut down or closed, time-outs, sendfile.
 *
 * heddle: verdict=verified outcomes=6 args=order
 * heddle: verdict=verified outcomes=100000 args=full
 * heddle: verdict=verified outcomes=1 args=messages
 * heddle: verdict=verified outcomes=1 args=halves
 * heddle: verdict=verified outcomes=1 args=closed
 * heddle: verdict=verified outcomes=1 args=looking
 * heddle: verdict=verified outcomes=0,1 args=timeout
 * heddle: verdict=verified outcomes=0,1 args=hurry
 * heddle: verdict=verified outcomes=47 args=sendfile
 * heddle: verdict=verified outcomes=12,21 args=two
 * heddle: verdict=violation kind=deadlock args=stuck message~="waits to read from .*connected to"
 * heddle: verdict=violation kind=crash args=sigpipe message~="SIGPIPE"
 * native: args=order
 * native: args=full
 * native: args=messages
 * native: args=halves
 * native: args=closed
 * native: args=looking
 * native: args=timeout
 * native: args=hurry
 * native: args=sendfile
 * native: args=two
 * native: args=sigpipe signal=PIPE
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include "guest.h"

static int fd[2];
static char big[100000];

static void *three(void *arg)
{
	for (char c = 1; c <= 3; c++)
		CHECK(send(fd[1], &c, 1, 0) == 1);
	OK(shutdown(fd[1], SHUT_WR));
	return arg;
}

static void order(void)
{
	char c;
	int sum = 0, last = 0;
	pthread_t t = spawn(three, NULL);
	while (recv(fd[0], &c, 1, 0) == 1) {
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

static void *three_messages(void *arg)
{
	CHECK(send(fd[1], "one", 3, 0) == 3 && send(fd[1], "", 0, 0) == 0 && send(fd[1], "three", 5, 0) == 5);
	return arg;
}

static void messages(void)
{
	char buf[8] = {0};
	struct iovec v = {buf, 2};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	OK(close(fd[0]));
	OK(close(fd[1]));
	OK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd));
	pthread_t t = spawn(three_messages, NULL);
	CHECK(recv(fd[0], buf, sizeof(buf), 0) == 3 && !memcmp(buf, "one", 3));
	CHECK(recv(fd[0], buf, sizeof(buf), 0) == 0);
	CHECK(recv(fd[0], buf, 2, MSG_PEEK | MSG_TRUNC) == 5);
	CHECK(recvmsg(fd[0], &m, 0) == 2 && !memcmp(buf, "th", 2) && (m.msg_flags & MSG_TRUNC));
	FAILS(recv(fd[0], buf, 1, MSG_DONTWAIT), EAGAIN); /* the rest is gone */
	join(t);
	heddle_outcome(1);
}

/* What was sent before stays readable; each direction ends on its own. */
static void halves(void)
{
	struct pollfd p = {.fd = fd[0], .events = POLLIN | POLLOUT | POLLRDHUP};
	char c;
	CHECK(send(fd[1], "x", 1, 0) == 1);
	OK(shutdown(fd[1], SHUT_WR));
	FAILS(send(fd[1], "y", 1, MSG_NOSIGNAL), EPIPE);
	CHECK(poll(&p, 1, -1) == 1 && p.revents == (POLLIN | POLLOUT | POLLRDHUP));
	CHECK(recv(fd[0], &c, 1, 0) == 1 && c == 'x');
	CHECK(recv(fd[0], &c, 1, 0) == 0 && recv(fd[0], &c, 1, 0) == 0);
	CHECK(send(fd[0], "z", 1, 0) == 1 && recv(fd[1], &c, 1, 0) == 1 && c == 'z');
	OK(shutdown(fd[0], SHUT_WR));
	CHECK(poll(&p, 1, -1) == 1 && (p.revents & POLLHUP));
	heddle_outcome(1);
}

/* Data nobody will read any more is told as a reset, once. */
static void closed(void)
{
	char c;
	CHECK(send(fd[0], "unread", 6, 0) == 6 && send(fd[1], "x", 1, 0) == 1);
	OK(close(fd[1]));
	CHECK(recv(fd[0], &c, 1, 0) == 1 && c == 'x');
	FAILS(recv(fd[0], &c, 1, 0), ECONNRESET);
	CHECK(recv(fd[0], &c, 1, 0) == 0);
	FAILS(send(fd[0], "x", 1, MSG_NOSIGNAL), EPIPE);
	heddle_outcome(1);
}

static void looking(void)
{
	char buf[8];
	int n = 0;
	pthread_t t = spawn(three, NULL);
	CHECK(recv(fd[0], buf, 3, MSG_WAITALL) == 3 && buf[2] == 3);
	join(t);
	CHECK(send(fd[1], "x", 1, MSG_NOSIGNAL) == -1 && send(fd[0], "abc", 3, 0) == 3);
	CHECK(recv(fd[1], buf, 2, MSG_PEEK) == 2 && recv(fd[1], buf, 8, MSG_PEEK) == 3);
	OK(ioctl(fd[1], FIONREAD, &n));
	CHECK(n == 3 && recv(fd[1], buf, 8, 0) == 3 && !memcmp(buf, "abc", 3));
	OK(ioctl(fd[1], FIONREAD, &n));
	CHECK(n == 0);
	heddle_outcome(1);
}

static void *one(void *arg)
{
	CHECK(write(fd[1], "x", 1) == 1);
	return arg;
}

static void timeout(void)
{
	struct timeval tv = {.tv_usec = 20000};
	char c;
	OK(setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)));
	pthread_t t = spawn(one, NULL);
	ssize_t n = recv(fd[0], &c, 1, 0);
	CHECK(n == 1 || (n == -1 && errno == EAGAIN));
	heddle_outcome(n == 1);
	join(t);
}

static void hurry(void)
{
	char c;
	pthread_t t = spawn(one, NULL);
	ssize_t n = recv(fd[0], &c, 1, MSG_DONTWAIT);
	CHECK(n == 1 || (n == -1 && errno == EAGAIN));
	heddle_outcome(n == 1);
	join(t);
}

static void *send_file(void *arg)
{
	int in = open("input.txt", O_RDONLY);
	off_t at = 2;
	CHECK(in >= 0 && sendfile(fd[1], in, &at, 1000) == at - 2);
	OK(close(fd[1]));
	return arg;
}

static void from_file(void)
{
	char buf[100];
	ssize_t sum = 0, n;
	pthread_t t = spawn(send_file, NULL);
	while ((n = read(fd[0], buf + sum, sizeof(buf) - (size_t)sum)) > 0)
		sum += n;
	CHECK(!memcmp(buf, "rst line\nsecond", 15));
	join(t);
	heddle_outcome(sum);
}

static void *digit(void *arg)
{
	CHECK(write(fd[1], arg, 1) == 1);
	return NULL;
}

/* Who is first shows in the data. */
static void two(void)
{
	char buf[2];
	pthread_t a = spawn(digit, "1"), b = spawn(digit, "2");
	join(a);
	join(b);
	CHECK(recv(fd[0], buf, 2, 0) == 2);
	heddle_outcome((buf[0] - '0') * 10 + buf[1] - '0');
}

static void *ask(void *arg)
{
	char c;
	CHECK(read(fd[(long)arg], &c, 1) == 1); /* each waits for the other to begin */
	CHECK(write(fd[(long)arg], "x", 1) == 1);
	return NULL;
}

static void stuck(void)
{
	pthread_t a = spawn(ask, (void *)0L), b = spawn(ask, (void *)1L);
	join(a);
	join(b);
}

static void broken(void)
{
	OK(close(fd[0]));
	CHECK(write(fd[1], "x", 1) == 1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*tell)(void);
	} stories[] = {
		{"order", order},   {"full", full},       {"messages", messages},  {"halves", halves},
		{"closed", closed}, {"looking", looking}, {"timeout", timeout},    {"hurry", hurry},
		{"stuck", stuck},   {"two", two},         {"sendfile", from_file}, {"sigpipe", broken},
	};
	if (!story(argc, argv, "sigpipe"))
		signal(SIGPIPE, SIG_IGN);
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++)
		if (story(argc, argv, stories[i].name))
			stories[i].tell();
	return 0;
}
