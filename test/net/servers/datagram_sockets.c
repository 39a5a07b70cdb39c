/*
 * Which socket does a client peer send its datagrams to, and which of them may answer?
 *
 * heddle: verdict=verified args=any6 client="@peer send {port} send:a~ want:a"
 * heddle: verdict=verified args=only6 client="@peer send 6:{port} send:a~ want:a"
 *
 * Of two sockets that share a port either may get it.
 * heddle: verdict=verified outcomes=1,2 args=shared client="@peer send {port} send:a~ want:a"
 *
 * A listener comes first, unless the client names a port.
 * heddle: verdict=verified args=stream client1="@peer send {port:7000} send:a~ want:a" client2="@peer connect {port:7001} send:b~ want:b"
 *
 * A socket that only asked a question waits for the answer, not for clients.
 * heddle: verdict=verified args=asks client="@peer send {port:7000} send:a~ want:a"
 *
 * Who does not wait gets it or not.
 * heddle: verdict=verified outcomes=0,1 args=hurry client="@peer send {port} send:a~"
 *
 * What can't be followed.
 * heddle: verdict=incomplete refused~="another socket" args=other client="@peer send {port} send:a~"
 * heddle: verdict=incomplete refused~="FIONREAD" args=size client="@peer send {port} send:a~"
 * heddle: verdict=incomplete refused~="Unix domain" args=unix client="@peer send {path} send:a~"
 */
#include <sys/ioctl.h>
#include <sys/un.h>

#include "net.h"

static int bound(int port)
{
	struct sockaddr_in a = loopback(port);
	int s = socket(AF_INET, SOCK_DGRAM, 0), on = 1;
	OK(setsockopt(s, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)));
	OK(bind(s, (struct sockaddr *)&a, sizeof(a)));
	return s;
}

static void echo(int from, int to)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);
	char text[16];
	ssize_t n = recvfrom(from, text, sizeof(text), 0, (struct sockaddr *)&a, &len);
	CHECK(n == 2);
	sendto(to, text, (size_t)n, 0, (struct sockaddr *)&a, len);
}

static void six(int only)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_port = htons(PORT)};
	socklen_t len = sizeof(a);
	char text[16];
	int s = socket(AF_INET6, SOCK_DGRAM, 0);
	OK(setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only)));
	OK(bind(s, (struct sockaddr *)&a, len));
	CHECK(recvfrom(s, text, sizeof(text), 0, (struct sockaddr *)&a, &len) == 2);
	CHECK(len == sizeof(a) && (IN6_IS_ADDR_V4MAPPED(&a.sin6_addr) ? !only : only));
	CHECK(sendto(s, text, 2, 0, (struct sockaddr *)&a, len) == 2);
}

static int shared[2];

static void *serve_one(void *arg)
{
	const int *s = arg;
	echo(*s, *s);
	heddle_outcome((int)(s - shared) + 1);
	return NULL;
}

/* One of the two stays idle. */
static void share(void)
{
	shared[0] = bound(PORT);
	shared[1] = bound(PORT);
	pthread_t first = spawn(serve_one, &shared[0]), second = spawn(serve_one, &shared[1]);
	join(first);
	join(second);
}

static void *serve_stream(void *arg)
{
	char line[16];
	int fd = take_client((int)(long)arg);
	CHECK(hear_line(fd, line, sizeof(line)));
	dprintf(fd, "%s\n", line);
	OK(close(fd));
	return NULL;
}

static void serve_both(void)
{
	int listener = listen_on(PORT + 1), s = bound(PORT);
	pthread_t t = spawn(serve_stream, (void *)(long)listener);
	echo(s, s);
	join(t);
}

static void *answer(void *arg)
{
	int s = (int)(long)arg;
	echo(s, s);
	return NULL;
}

static void ask_inside(void)
{
	struct sockaddr_in a = loopback(PORT + 1);
	int server = bound(PORT), helper = bound(PORT + 1), asks = socket(AF_INET, SOCK_DGRAM, 0);
	char text[16];
	pthread_t t = spawn(answer, (void *)(long)helper);
	CHECK(sendto(asks, "q\n", 2, 0, (struct sockaddr *)&a, sizeof(a)) == 2);
	CHECK(recv(asks, text, sizeof(text), 0) == 2 && text[0] == 'q');
	join(t);
	echo(server, server);
}

static void look_at_size(void)
{
	int n, s = bound(PORT);
	OK(ioctl(s, FIONREAD, &n));
}

static void hurry(void)
{
	char text[16];
	int s = bound(PORT);
	heddle_outcome(recv(s, text, sizeof(text), MSG_DONTWAIT) > 0);
}

static void wait_at_path(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "place"};
	char text[16];
	int s = socket(AF_UNIX, SOCK_DGRAM, 0);
	OK(bind(s, (struct sockaddr *)&a, sizeof(a)));
	CHECK(recv(s, text, sizeof(text), MSG_DONTWAIT) < 0);
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "any6"))
		six(0);
	else if (story(argc, argv, "only6"))
		six(1);
	else if (story(argc, argv, "shared"))
		share();
	else if (story(argc, argv, "stream"))
		serve_both();
	else if (story(argc, argv, "asks"))
		ask_inside();
	else if (story(argc, argv, "other"))
		echo(bound(PORT), bound(PORT + 1));
	else if (story(argc, argv, "size"))
		look_at_size();
	else if (story(argc, argv, "hurry"))
		hurry();
	else
		wait_at_path();
	return 0;
}
