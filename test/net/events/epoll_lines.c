/*
 * epoll_lines.c: one thread, epoll, level-triggered, non-blocking; a line may come in pieces. The hasty version takes
 * what one read returns for a line.
 *
 * heddle: verdict=verified args=right clients=1 client="@peer connect {port} send:hello~ want:hello"
 * heddle: verdict=verified args=right clients=2 client="@peer connect {port} send:hello{n}~ want:hello{n}"
 * heddle: verdict=violation kind=assert args=hasty clients=1 client="@peer connect {port} send:hello~ want:hello"
 * heddle: verdict=verified args=hasty options="--short-io off" clients=1 client="@peer connect {port} send:hello~ want:hello"
 * native: args=right
 */
#include "event.h"

static struct line lines[16];

static void hasty(int fd)
{
	char text[64];
	ssize_t n = read(fd, text, sizeof(text));
	CHECK(n >= 0);
	if (n == 0) {
		OK(close(fd));
		return;
	}
	CHECK(text[n - 1] == '\n');
	CHECK(write(fd, text, (size_t)n) == n);
}

static void patient(int fd)
{
	int r = line_goes_on(&lines[fd], fd);
	if (r > 0) {
		strcat(lines[fd].text, "\n");
		say(fd, lines[fd].text);
	} else if (r < 0) {
		lines[fd].n = 0;
		OK(close(fd));
	}
}

int main(int argc, char **argv)
{
	int listener = nonblocking(listen_on(PORT)), set = epoll_create1(0);
	epoll_set(set, EPOLL_CTL_ADD, listener, EPOLLIN);
	for (;;) {
		struct epoll_event e[4];
		int n = epoll_wait(set, e, 4, -1);
		CHECK(n > 0);
		for (int i = 0; i < n; i++) {
			int fd = e[i].data.fd;
			if (fd == listener) {
				int c = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
				CHECK(c >= 0);
				epoll_set(set, EPOLL_CTL_ADD, c, EPOLLIN);
			} else if (story(argc, argv, "hasty")) {
				hasty(fd);
			} else {
				patient(fd);
			}
		}
	}
}
