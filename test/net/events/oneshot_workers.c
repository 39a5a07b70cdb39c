/*
 * oneshot_workers.c: two threads wait at one epoll set. With EPOLLONESHOT a connection is served by one of them at a
 * time. Without it both may serve it; who does not arm it again leaves the client waiting.
 *
 * heddle: verdict=verified args=right clients=1 client="@peer connect {port} send:a~ want:a send:b~ want:b"
 * heddle: verdict=violation kind=assert args=both clients=1 client="@peer connect {port} send:a~ want:a send:b~ want:b"
 * heddle: verdict=violation kind=comm-deadlock args=unarmed clients=1 client="@peer connect {port} send:a~ want:a send:b~ want:b"
 * native: skip
 */
#include "event.h"

static int set, listener, both, unarmed, busy[16];
static struct line lines[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int enter(int fd, int n)
{
	OK(pthread_mutex_lock(&lock));
	busy[fd] += n;
	int now = busy[fd];
	OK(pthread_mutex_unlock(&lock));
	return now;
}

static void serve(int fd)
{
	CHECK(enter(fd, 1) == 1);
	int r = line_goes_on(&lines[fd], fd);
	if (r > 0) {
		strcat(lines[fd].text, "\n");
		say(fd, lines[fd].text);
	}
	enter(fd, -1);
	if (r < 0)
		OK(close(fd));
	else if (!both && !unarmed)
		epoll_set(set, EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLONESHOT);
}

static void *loop(void *arg)
{
	for (;;) {
		struct epoll_event e;
		CHECK(epoll_wait(set, &e, 1, -1) == 1);
		if (e.data.fd != listener) {
			serve(e.data.fd);
			continue;
		}
		int c = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
		if (c >= 0)
			epoll_set(set, EPOLL_CTL_ADD, c, both ? EPOLLIN : EPOLLIN | EPOLLONESHOT);
		else
			CHECK(errno == EAGAIN);
	}
	return arg;
}

int main(int argc, char **argv)
{
	both = story(argc, argv, "both");
	unarmed = story(argc, argv, "unarmed");
	listener = nonblocking(listen_on(PORT));
	set = epoll_create1(0);
	epoll_set(set, EPOLL_CTL_ADD, listener, EPOLLIN);
	spawn(loop, NULL);
	loop(NULL);
}
