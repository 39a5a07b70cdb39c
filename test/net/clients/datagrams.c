/*
 * Datagrams to a peer keep their bounds: two requests are two answers, and a short buffer cuts one off.
 *
 * heddle: verdict=verified outcomes=12,21 server="@peer datagrams {port:7000} send:=%l=" args=order
 * heddle: verdict=verified server="@peer datagrams {port:7000} send:=%l=" args=cut
 * heddle: verdict=verified server="@peer datagrams {port:7000} send:1%l send:2%l" args=two
 * heddle: verdict=verified outcomes=12,21 cache=none server="@peer datagrams {port:7000} send:=%l=" args=order
 *
 * With a time-out, the answer may be late.
 * heddle: verdict=verified outcomes=0,1 server="@peer datagrams {port:7000} send:1" args=late
 *
 * Who is connected to another place does not hear the answer: by its port, or as it was connected by IPv6 before.
 * heddle: verdict=incomplete text~="answers the socket does not hear" server="@peer datagrams {port:7000} send:1" args=elsewhere
 * heddle: verdict=incomplete text~="answers the socket does not hear" server="@peer datagrams {port:7000} send:1" args=by_turns
 * heddle: verdict=incomplete text~="another peer may answer" server="@peer datagrams {port:7000} send:1" args=leaves
 */
#include "net.h"

static int fd;

static void *ask(void *text)
{
	CHECK(send(fd, text, strlen(text), 0) == (ssize_t)strlen(text));
	return NULL;
}

static int hear_number(void)
{
	char text[16];
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	ssize_t n = recvfrom(fd, text, sizeof(text) - 1, 0, (struct sockaddr *)&from, &len);
	CHECK(n == 3 && text[0] == '=' && text[2] == '=' && ntohs(from.sin_port) == PORT);
	return text[1] - '0';
}

static void order(void)
{
	pthread_t a = spawn(ask, "1"), b = spawn(ask, "2");
	join(a);
	join(b);
	int first = hear_number(), second = hear_number();
	heddle_outcome(first * 10 + second);
}

static void cut(void)
{
	char text[4];
	ask("long text");
	CHECK(recv(fd, text, 4, MSG_PEEK | MSG_TRUNC) == 11);
	CHECK(recv(fd, text, 4, 0) == 4 && !memcmp(text, "=lon", 4));
	ask("");
	CHECK(recv(fd, text, 4, 0) == 2);
}

static void two(void)
{
	char text[8];
	ask("x");
	CHECK(recv(fd, text, sizeof(text), 0) == 2 && text[0] == '1');
	CHECK(recv(fd, text, sizeof(text), 0) == 2 && text[0] == '2');
}

static void late(void)
{
	struct timeval t = {.tv_sec = 1};
	char text[8];
	OK(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)));
	ask("x");
	heddle_outcome(recv(fd, text, sizeof(text), 0) == 1);
}

/* Whether it was connected to somebody else when it sent, or is only now. */
static void elsewhere(int before)
{
	struct sockaddr_in a = loopback(PORT), b = loopback(PORT + 1);
	if (before)
		OK(connect(fd, (struct sockaddr *)&b, sizeof(b)));
	CHECK(sendto(fd, "x", 1, 0, (struct sockaddr *)&a, sizeof(a)) == 1);
	if (!before)
		OK(connect(fd, (struct sockaddr *)&b, sizeof(b)));
}

static void by_turns(void)
{
	struct sockaddr_in6 six = {
		.sin6_family = AF_INET6, .sin6_port = htons(PORT), .sin6_addr = in6addr_loopback};
	struct sockaddr_in four = loopback(PORT);
	int both = socket(AF_INET6, SOCK_DGRAM, 0);
	OK(connect(both, (struct sockaddr *)&six, sizeof(six)));
	OK(connect(both, (struct sockaddr *)&four, sizeof(four)));
	CHECK(send(both, "x", 1, 0) == 1);
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = loopback(PORT);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	OK(connect(fd, (struct sockaddr *)&a, sizeof(a)));
	if (story(argc, argv, "order"))
		order();
	else if (story(argc, argv, "cut"))
		cut();
	else if (story(argc, argv, "late"))
		late();
	else if (story(argc, argv, "by_turns"))
		by_turns();
	else if (story(argc, argv, "two"))
		two();
	else
		elsewhere(story(argc, argv, "elsewhere"));
	return 0;
}
