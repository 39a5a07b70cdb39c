/*
 * Servers that client peers send datagrams to. Which of several comes first is open; what one client sends stays in order.
 *
 * heddle: verdict=verified outcomes=12,21 connections=2 trees=2 args=order clients=2 client="@peer send {port} send:{n}~ want:{n}"
 * heddle: verdict=verified outcomes=12,21 cache=none args=order clients=2 client="@peer send {port} send:{n}~ want:{n}"
 * heddle: verdict=verified outcomes=12,21 cache=linear args=order clients=2 client="@peer send {port} send:{n}~ want:{n}"
 * heddle: verdict=verified outcomes=12,21 options="--strategy bfs" args=order clients=2 client="@peer send {port:7000} send:{n}~ want:{n}"
 * heddle: verdict=verified outcomes=77 trees=1 args=order options="--identical-clients" clients=2 client="@peer send {port} send:7~ want:7"
 *
 * A client that has ended gets no answer, and says no more.
 * heddle: verdict=verified outcomes=12,21 args=order clients=2 client="@peer send {port} send:{n}~"
 *
 * Two datagrams of each: 1 comes before 2, and 3 before 4.
 * heddle: verdict=verified outcomes=1234,1324,1342,3124,3142,3412 args=four client1="@peer send {port} send:1~ send:2~" client2="@peer send {port} send:3~ send:4~"
 * heddle: verdict=verified outcomes=1234,1324,1342,3124,3142,3412 cache=none args=four client1="@peer send {port} send:1~ send:2~" client2="@peer send {port} send:3~ send:4~"
 *
 * The second question comes after the answer to the first.
 * heddle: verdict=verified outcomes=132,312,123 args=three client1="@peer send {port} send:1~ want:1 send:2~" client2="@peer send {port} send:3~"
 *
 * Nobody is left: the server is idle, and that is the end; whether it waits in recvfrom or in poll.
 * heddle: verdict=verified outcomes=1,2 args=idle clients=2 client="@peer send {port} send:hello~ want:hello"
 * heddle: verdict=verified outcomes=1,2 args=poll clients=2 client="@peer send {port} send:hello~ want:hello"
 * heddle: verdict=verified outcomes=1,2 args=workers clients=2 client="@peer send {port} send:hello~ want:hello"
 *
 * What was looked at is what is read.
 * heddle: verdict=verified outcomes=12,21 args=peek clients=2 client="@peer send {port} send:{n}~ want:{n}"
 *
 * A socket that was connected to a client hears that one alone.
 * heddle: verdict=verified outcomes=1 args=connect client="@peer send {port} send:1~ want:1 send:2~"
 * heddle: verdict=incomplete refused~="other client peers" outcomes=1,3 args=connect client1="@peer send {port} send:1~ want:1 send:2~" client2="@peer send {port} send:3~ want:3 send:4~"
 * heddle: verdict=violation kind=comm-deadlock args=connect client="@peer send {port} send:1~ want:1 line"
 *
 * With a time-out, what was sent may be late.
 * heddle: verdict=verified outcomes=0,1 args=timeout client="@peer send {port} send:1~"
 *
 * From inside, too.
 * heddle: verdict=verified outcomes=12,21 args=inside client="@peer send {port:7000} send:1~"
 *
 * heddle: verdict=incomplete text~="further" args=order client="@peer send {port} send:1~ want:1; @peer send {port} send:2~ want:2" clients=1
 * heddle: exit=2 error~="ended without sending anything to UDP 127.0.0.1:7000" args=order client="true {port}" clients=1
 * heddle: exit=2 error~="at rest without having sent" args=order client="@peer send {port} line" clients=1
 */
#include <poll.h>

#include "net.h"

struct request {
	struct sockaddr_in from;
	char text[32];
	int value;
};

static int fd;

static int bound(int port)
{
	struct sockaddr_in a = loopback(port);
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	OK(bind(s, (struct sockaddr *)&a, sizeof(a)));
	return s;
}

static struct request receive_with(int flags)
{
	struct request r;
	memset(&r, 0, sizeof(r));
	socklen_t len = sizeof(r.from);
	ssize_t n = recvfrom(fd, r.text, sizeof(r.text) - 1, flags, (struct sockaddr *)&r.from, &len);
	CHECK(n > 0 && len == sizeof(r.from) && ntohl(r.from.sin_addr.s_addr) == INADDR_LOOPBACK);
	r.value = atoi(r.text);
	return r;
}

static struct request receive(void)
{
	return receive_with(0);
}

static void answer(const struct request *r)
{
	ssize_t n = (ssize_t)strlen(r->text);
	CHECK(sendto(fd, r->text, (size_t)n, 0, (const struct sockaddr *)&r->from, sizeof(r->from)) == n);
}

static void order(int count)
{
	int seen = 0;
	while (count--) {
		struct request r = receive();
		seen = seen * 10 + r.value;
		answer(&r);
	}
	heddle_outcome(seen);
}

static void idle(int polls)
{
	for (int served = 0;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		if (polls)
			CHECK(poll(&p, 1, -1) == 1 && p.revents == POLLIN);
		struct request r = receive();
		answer(&r);
		heddle_outcome(++served);
	}
}

static void *work(void *arg)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int served;
	for (;;) {
		struct request r = receive();
		answer(&r);
		OK(pthread_mutex_lock(&lock));
		heddle_outcome(++served);
		OK(pthread_mutex_unlock(&lock));
	}
	return arg;
}

static void workers(void)
{
	pthread_t a = spawn(work, NULL), b = spawn(work, NULL);
	join(a);
	join(b);
}

static void peek(void)
{
	int seen = 0;
	for (int i = 0; i < 2; i++) {
		int before = receive_with(MSG_PEEK).value;
		struct request r = receive();
		CHECK(r.value == before);
		seen = seen * 10 + r.value;
		answer(&r);
	}
	heddle_outcome(seen);
}

static void hear_only_one(void)
{
	struct request r = receive();
	OK(connect(fd, (struct sockaddr *)&r.from, sizeof(r.from)));
	CHECK(send(fd, r.text, strlen(r.text), 0) == (ssize_t)strlen(r.text));
	struct request second = receive();
	CHECK(second.value == r.value + 1 && second.from.sin_port == r.from.sin_port);
	heddle_outcome(r.value);
}

static void be_impatient(void)
{
	struct timeval t = {.tv_sec = 1};
	char c;
	OK(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)));
	heddle_outcome(recv(fd, &c, 1, 0) == 1);
}

static void inside(void)
{
	struct sockaddr_in a = loopback(PORT);
	CHECK(sendto(bound(PORT + 1), "2", 1, 0, (struct sockaddr *)&a, sizeof(a)) == 1);
	int first = receive().value;
	heddle_outcome(first * 10 + receive().value);
}

int main(int argc, char **argv)
{
	fd = bound(PORT);
	if (story(argc, argv, "order"))
		order(2);
	else if (story(argc, argv, "three"))
		order(3);
	else if (story(argc, argv, "four"))
		order(4);
	else if (story(argc, argv, "idle"))
		idle(0);
	else if (story(argc, argv, "poll"))
		idle(1);
	else if (story(argc, argv, "workers"))
		workers();
	else if (story(argc, argv, "peek"))
		peek();
	else if (story(argc, argv, "connect"))
		hear_only_one();
	else if (story(argc, argv, "timeout"))
		be_impatient();
	else
		inside();
	return 0;
}
