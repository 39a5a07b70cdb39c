/*
 * socket_inside.c: client and server are threads of one process: TCP over IPv4 and IPv6, the Unix domain by path and by
 * an abstract name, and stdio on the connections. Who comes first, who comes too early, and what is lost when
 * the server ends before it has read everything.
 *
 * heddle: verdict=verified outcomes=1 args=tcp
 * heddle: verdict=verified outcomes=1 args=tcp6
 * heddle: verdict=verified outcomes=1 args=mixed
 * heddle: verdict=verified outcomes=1 args=path
 * heddle: verdict=verified outcomes=1 args=abstract
 * heddle: verdict=verified outcomes=1 args=stdio
 * heddle: verdict=verified outcomes=12,21 args=two
 * heddle: verdict=verified outcomes=1,2 args=lost
 * heddle: verdict=verified outcomes=0,1 args=early
 * heddle: verdict=verified outcomes=0,1 args=earlytcp options=--allow-refused
 * heddle: verdict=violation kind=deadlock args=silent message~="waits to accept|waits to read"
 * native: args=tcp
 * native: args=tcp6
 * native: args=mixed
 * native: args=path
 * native: args=abstract
 * native: args=stdio
 * native: args=two
 * native: args=lost
 * native: args=early
 * native: args=earlytcp
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "guest.h"

static int listener;
static struct sockaddr_storage address;
static socklen_t address_len;

static struct sockaddr *server(void)
{
	return (struct sockaddr *)&address;
}

/* A port the kernel chooses: natively others may have any other. */
static void listen_at(const void *a, socklen_t len)
{
	memcpy(&address, a, len);
	listener = socket(address.ss_family, SOCK_STREAM, 0);
	CHECK(listener >= 0);
	OK(bind(listener, server(), len));
	OK(listen(listener, 5));
	address_len = sizeof(address);
	OK(getsockname(listener, server(), &address_len));
}

static void listen_tcp(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	listen_at(&a, sizeof(a));
}

static int connected(void)
{
	int fd = socket(address.ss_family, SOCK_STREAM, 0);
	CHECK(fd >= 0);
	OK(connect(fd, server(), address_len));
	return fd;
}

static void *ask(void *arg)
{
	char buf[8];
	int fd = connected();
	CHECK(send(fd, "hello", 5, 0) == 5);
	CHECK(recv(fd, buf, 5, MSG_WAITALL) == 5 && !memcmp(buf, "HELLO", 5));
	CHECK(recv(fd, buf, 1, 0) == 0);
	OK(close(fd));
	return arg;
}

static void answer(int fd)
{
	char buf[5];
	CHECK(recv(fd, buf, sizeof(buf), MSG_WAITALL) == 5);
	for (int i = 0; i < 5; i++)
		buf[i] = (char)(buf[i] - 'a' + 'A');
	CHECK(write(fd, buf, 5) == 5);
	OK(close(fd));
}

static void serve_one(void)
{
	pthread_t t = spawn(ask, NULL);
	int fd = accept(listener, NULL, NULL);
	CHECK(fd >= 0);
	answer(fd);
	join(t);
	OK(close(listener));
	heddle_outcome(1);
}

static void tcp(void)
{
	listen_tcp();
	serve_one();
}

static void tcp6(void)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	listen_at(&a, sizeof(a));
	serve_one();
}

/* A server for everybody, and a client that knows IPv4 only. */
static void mixed(void)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6}, from = {0};
	listen_at(&any, sizeof(any));
	in_port_t port = ((struct sockaddr_in6 *)&address)->sin6_port;
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = port, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	memcpy(&address, &to, sizeof(to));
	address_len = sizeof(to);
	pthread_t t = spawn(ask, NULL);
	socklen_t len = sizeof(from);
	int fd = accept(listener, (struct sockaddr *)&from, &len);
	CHECK(fd >= 0 && len == sizeof(from) && IN6_IS_ADDR_V4MAPPED(&from.sin6_addr));
	answer(fd);
	join(t);
	heddle_outcome(1);
}

static void path(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "server.socket"};
	listen_at(&a, sizeof(a));
	serve_one();
	OK(unlink("server.socket"));
}

static void abstract(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	listen_at(&a, offsetof(struct sockaddr_un, sun_path)); /* Linux chooses one */
	CHECK(address_len > offsetof(struct sockaddr_un, sun_path));
	serve_one();
}

static void *speak(void *arg)
{
	char line[32];
	int fd = connected();
	FILE *f = fdopen(fd, "r+");
	CHECK(f && fprintf(f, "%s %d\n", "number", 7) == 9 && fflush(f) == 0);
	CHECK(fgets(line, sizeof(line), f) && !strcmp(line, "got 7\n"));
	CHECK(!fgets(line, sizeof(line), f) && feof(f));
	OK(fclose(f));
	return arg;
}

static void with_stdio(void)
{
	int number = 0;
	listen_tcp();
	pthread_t t = spawn(speak, NULL);
	int fd = accept(listener, NULL, NULL);
	FILE *f = fdopen(fd, "r");
	CHECK(f && fscanf(f, "number %d", &number) == 1 && number == 7 && fgetc(f) == '\n');
	CHECK(dprintf(fd, "got %d\n", number) == 6);
	OK(fclose(f));
	join(t);
	heddle_outcome(1);
}

static void *digit(void *arg)
{
	int fd = connected();
	CHECK(write(fd, arg, 1) == 1);
	OK(close(fd));
	return NULL;
}

static int next_digit(void)
{
	char c;
	int fd = accept(listener, NULL, NULL);
	CHECK(fd >= 0 && read(fd, &c, 1) == 1 && read(fd, &c, 0) == 0);
	OK(close(fd));
	return c - '0';
}

/* Connections are accepted in the order in which they were made. */
static void two(void)
{
	listen_tcp();
	pthread_t a = spawn(digit, "1"), b = spawn(digit, "2");
	int first = next_digit(), second = next_digit();
	join(a);
	join(b);
	heddle_outcome(first * 10 + second);
}

static void *two_messages(void *arg)
{
	int fd = connected();
	int first = send(fd, "a", 1, MSG_NOSIGNAL) == 1, second = send(fd, "b", 1, MSG_NOSIGNAL) == 1;
	OK(close(fd));
	return (void *)(long)(first + second + (arg != NULL));
}

/* The server ends without reading: how much of it the client could send depends on who was faster. */
static void lost(void)
{
	listen_tcp();
	pthread_t t = spawn(two_messages, NULL);
	int fd = accept(listener, NULL, NULL);
	CHECK(fd >= 0);
	OK(close(fd));
	heddle_outcome((long)join(t));
}

static void *try_connect(void *arg)
{
	int fd = socket(address.ss_family, SOCK_STREAM, 0);
	int err = connect(fd, server(), address_len);
	CHECK(err == 0 || errno == ECONNREFUSED);
	OK(close(fd));
	return (void *)(long)(err == 0 && !arg);
}

/* A name that is bound, but where nobody listens yet. */
static void early(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "server.socket"};
	memcpy(&address, &a, address_len = sizeof(a));
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	OK(bind(listener, server(), address_len));
	pthread_t t = spawn(try_connect, NULL);
	OK(listen(listener, 1));
	heddle_outcome((long)join(t));
	OK(unlink("server.socket"));
}

static void early_tcp(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	listener = socket(AF_INET, SOCK_STREAM, 0);
	OK(bind(listener, (struct sockaddr *)&a, sizeof(a)));
	address_len = sizeof(address);
	OK(getsockname(listener, server(), &address_len));
	pthread_t t = spawn(try_connect, NULL);
	OK(listen(listener, 1));
	heddle_outcome((long)join(t));
}

static void *wait_for_greeting(void *arg)
{
	char c;
	int fd = connected();
	CHECK(read(fd, &c, 1) == 1);
	return arg;
}

/* Both are polite: each waits for the other to begin. */
static void silent(void)
{
	char c;
	listen_tcp();
	pthread_t t = spawn(wait_for_greeting, NULL);
	int fd = accept(listener, NULL, NULL);
	CHECK(read(fd, &c, 1) == 1);
	join(t);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*tell)(void);
	} stories[] = {
		{"tcp", tcp},           {"tcp6", tcp6},          {"mixed", mixed},   {"path", path},
		{"abstract", abstract}, {"stdio", with_stdio},   {"two", two},       {"lost", lost},
		{"early", early},       {"earlytcp", early_tcp}, {"silent", silent},
	};
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++)
		if (story(argc, argv, stories[i].name))
			stories[i].tell();
	return 0;
}
