/*
 * socket_datagrams.c: datagrams between sockets of one process: UDP and the Unix domain; boundaries, order, truncation,
 * senders' names, connected sockets, and what is lost because nobody was there.
 *
 * heddle: verdict=verified outcomes=1 args=udp
 * heddle: verdict=verified outcomes=1 args=udp6
 * heddle: verdict=verified outcomes=1 args=unix
 * heddle: verdict=verified outcomes=1 args=pair
 * heddle: verdict=verified outcomes=12,21 args=two
 * heddle: verdict=verified outcomes=1 args=connected options="--allow-refused"
 * heddle: verdict=verified outcomes=0,1 args=late
 * heddle: verdict=verified outcomes=0,1 args=lateudp options=--allow-refused
 * heddle: verdict=verified outcomes=0,1 args=lateabstract
 * heddle: verdict=verified outcomes=20 args=full
 * heddle: verdict=violation kind=deadlock args=lost message~="waits to read from datagram socket"
 * native: args=udp
 * native: args=udp6
 * native: args=unix
 * native: args=pair
 * native: args=two
 * native: args=connected
 * native: args=late
 * native: args=lateudp
 * native: args=lateabstract
 * native: args=full
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "guest.h"

static int server;
static struct sockaddr_storage address;
static socklen_t address_len;

static struct sockaddr *there(void)
{
	return (struct sockaddr *)&address;
}

static void serve_at(const void *a, socklen_t len)
{
	memcpy(&address, a, len);
	server = socket(address.ss_family, SOCK_DGRAM, 0);
	CHECK(server >= 0);
	OK(bind(server, there(), len));
	address_len = sizeof(address);
	OK(getsockname(server, there(), &address_len));
}

static void serve_udp(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	serve_at(&a, sizeof(a));
}

/* A question, answered to where it came from; a long one is cut, a short one keeps its end. */
static void *ask(void *arg)
{
	char buf[8];
	int fd = socket(address.ss_family, SOCK_DGRAM, 0);
	struct sockaddr_un own = {.sun_family = AF_UNIX};
	if (address.ss_family == AF_UNIX)
		OK(bind(fd, (struct sockaddr *)&own, offsetof(struct sockaddr_un, sun_path)));
	CHECK(sendto(fd, "one", 3, 0, there(), address_len) == 3);
	CHECK(sendto(fd, "second", 6, 0, there(), address_len) == 6);
	CHECK(recv(fd, buf, sizeof(buf), 0) == 4 && !memcmp(buf, "fine", 4));
	OK(close(fd));
	return arg;
}

static void answer(void)
{
	char buf[8];
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	pthread_t t = spawn(ask, NULL);
	CHECK(recv(server, buf, sizeof(buf), 0) == 3 && !memcmp(buf, "one", 3));
	CHECK(recvfrom(server, buf, 3, MSG_TRUNC, (struct sockaddr *)&from, &len) == 6 &&
	      !memcmp(buf, "sec", 3));
	CHECK(sendto(server, "fine", 4, 0, (struct sockaddr *)&from, len) == 4);
	join(t);
	OK(close(server));
	heddle_outcome(1);
}

static void udp(void)
{
	serve_udp();
	answer();
}

static void udp6(void)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	serve_at(&a, sizeof(a));
	answer();
}

static void in_unix_domain(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "server.socket"};
	serve_at(&a, sizeof(a));
	answer();
	FAILS(sendto(server = socket(AF_UNIX, SOCK_DGRAM, 0), "x", 1, 0, there(), address_len), ECONNREFUSED);
	OK(unlink("server.socket"));
}

static int pair_fd[2];

static void *say(void *arg)
{
	CHECK(write(pair_fd[1], "ab", 2) == 2 && write(pair_fd[1], "c", 1) == 1);
	return arg;
}

static void pair(void)
{
	char buf[8];
	OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair_fd));
	pthread_t t = spawn(say, NULL);
	CHECK(read(pair_fd[0], buf, sizeof(buf)) == 2 && read(pair_fd[0], buf, sizeof(buf)) == 1 &&
	      buf[0] == 'c');
	join(t);
	OK(close(pair_fd[0]));
	FAILS(write(pair_fd[1], "x", 1), ECONNREFUSED);
	FAILS(write(pair_fd[1], "x", 1), ENOTCONN);
	heddle_outcome(1);
}

static void *digit(void *arg)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	CHECK(sendto(fd, arg, 1, 0, there(), address_len) == 1);
	OK(close(fd));
	return NULL;
}

static int next_digit(void)
{
	char c;
	CHECK(recv(server, &c, 1, 0) == 1);
	return c - '0';
}

static void two(void)
{
	serve_udp();
	pthread_t a = spawn(digit, "1"), b = spawn(digit, "2");
	int first = next_digit(), second = next_digit();
	join(a);
	join(b);
	heddle_outcome(first * 10 + second);
}

/* A connected socket hears its partner alone. */
static void connected(void)
{
	char c;
	struct sockaddr_in own;
	socklen_t len = sizeof(own);
	serve_udp();
	int fd = socket(AF_INET, SOCK_DGRAM, 0), stranger = socket(AF_INET, SOCK_DGRAM, 0);
	OK(connect(fd, there(), address_len));
	OK(getsockname(fd, (struct sockaddr *)&own, &len));
	CHECK(own.sin_addr.s_addr == htonl(INADDR_LOOPBACK) && own.sin_port != 0);
	CHECK(sendto(stranger, "s", 1, 0, (struct sockaddr *)&own, len) == 1);
	CHECK(sendto(server, "p", 1, 0, (struct sockaddr *)&own, len) == 1);
	CHECK(read(fd, &c, 1) == 1 && c == 'p');
	FAILS(recv(fd, &c, 1, MSG_DONTWAIT), EAGAIN);
	CHECK(write(fd, "q", 1) == 1 && next_digit() == 'q' - '0');
	heddle_outcome(1);
}

static void *try_say(void *arg)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	ssize_t n = sendto(fd, "1", 1, 0, there(), address_len);
	CHECK(n == 1 || errno == ENOENT || errno == ECONNREFUSED);
	return (void *)(long)(n == 1 && !arg);
}

/* Whoever speaks before the receiver has its name is not heard. */
static void late(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "late.socket"};
	memcpy(&address, &a, address_len = sizeof(a));
	pthread_t t = spawn(try_say, NULL);
	serve_at(&a, sizeof(a));
	heddle_outcome((long)join(t));
	OK(unlink("late.socket"));
}

static void late_abstract(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	snprintf(a.sun_path + 1, 40, "heddle-late-%d", (int)getpid());
	memcpy(&address, &a, address_len = sizeof(a));
	pthread_t t = spawn(try_say, NULL);
	serve_at(&a, sizeof(a));
	heddle_outcome((long)join(t));
}

/* The same for UDP, where only a connected sender learns of it, and later. */
static void *try_twice(void *arg)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	OK(connect(fd, there(), address_len));
	CHECK(send(fd, "1", 1, 0) == 1);
	ssize_t n = send(fd, "2", 1, 0);
	CHECK(n == 1 || errno == ECONNREFUSED);
	return (void *)(long)(n == 1 && !arg);
}

static void late_udp(void)
{
	struct sockaddr_in a;
	serve_udp(); /* to know a port that is free */
	memcpy(&a, &address, sizeof(a));
	OK(close(server));
	OK(pipe(pair_fd)); /* who comes next shall not get the same port from the kernel */
	pthread_t t = spawn(try_twice, NULL);
	serve_at(&a, sizeof(a));
	heddle_outcome((long)join(t));
}

static void *many(void *arg)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	for (int i = 0; i < 20; i++)
		CHECK(sendto(fd, "1", 1, 0, there(), address_len) == 1);
	return arg;
}

/* The Unix domain lets a sender wait that is ahead by more than a few. */
static void full(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "full.socket"};
	int sum = 0;
	serve_at(&a, sizeof(a));
	pthread_t t = spawn(many, NULL);
	while (sum < 20)
		sum += next_digit();
	join(t);
	heddle_outcome(sum);
	OK(unlink("full.socket"));
}

/* One datagram, two that wait for it. */
static void *wait_digit(void *arg)
{
	next_digit();
	return arg;
}

static void lost(void)
{
	serve_udp();
	pthread_t a = spawn(wait_digit, NULL), b = spawn(wait_digit, NULL);
	digit("1");
	join(a);
	join(b);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*tell)(void);
	} stories[] = {
		{"udp", udp},
		{"udp6", udp6},
		{"unix", in_unix_domain},
		{"pair", pair},
		{"two", two},
		{"late", late},
		{"lateudp", late_udp},
		{"lateabstract", late_abstract},
		{"connected", connected},
		{"full", full},
		{"lost", lost},
	};
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++)
		if (story(argc, argv, stories[i].name))
			stories[i].tell();
	return 0;
}
