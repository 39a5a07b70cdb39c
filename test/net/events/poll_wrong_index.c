/*
 * poll_wrong_index.c: poll over the listener and connections. The faulty version reads from the connection after the
 * one that is ready, if there is one: a read without data.
 *
 * heddle: verdict=verified args=right clients=2 client="@peer connect {port} send:{n}~ want:{n}"
 * heddle: verdict=verified args=wrong clients=1 client="@peer connect {port} send:{n}~ want:{n}"
 * heddle: verdict=violation kind=assert args=wrong clients=2 client="@peer connect {port} send:{n}~ want:{n}"
 * native: args=right
 */
#include "event.h"

static struct pollfd watched[8];
static struct line lines[16];
static nfds_t count;

static void watch(int fd)
{
	watched[count++] = (struct pollfd){.fd = nonblocking(fd), .events = POLLIN};
}

static void serve(struct pollfd *p, int wrong)
{
	int fd = p->fd;
	if (wrong) {
		char c;
		ssize_t n = recv(fd, &c, 1, MSG_PEEK);
		CHECK(n >= 0); /* poll has said so */
	}
	int r = line_goes_on(&lines[fd], fd);
	if (r > 0) {
		strcat(lines[fd].text, "\n");
		say(fd, lines[fd].text);
	} else if (r < 0) {
		OK(close(fd));
		p->fd = -1;
	}
}

int main(int argc, char **argv)
{
	int wrong = story(argc, argv, "wrong");
	watch(listen_on(PORT));
	for (;;) {
		CHECK(poll(watched, count, -1) > 0);
		for (nfds_t i = 1, n = count; i < n; i++) {
			if (!watched[i].revents)
				continue;
			nfds_t which = wrong && i + 1 < n && watched[i + 1].fd >= 0 ? i + 1 : i;
			serve(&watched[which], wrong);
		}
		if (watched[0].revents)
			watch(take_client(watched[0].fd));
	}
}
