/*
 * Loops that wait in each call, and yet never rest: the connection has ended, the call says so again and again, and nobody
 * listens to it. "eof": a read that returns 0 is tried again until all has come; "poll": the end comes together with data,
 * and revents is compared with POLLIN alone; "gone": what can't be written is written again. "echo": the client was answered
 * before; "shut": the server has shut the connection down itself.
 *
 * heddle: verdict=verified args="eof 2" client="@peer connect {port} send:ab"
 * heddle: verdict=violation kind=livelock args="eof 4" client="@peer connect {port} send:ab"
 * heddle: verdict=violation kind=livelock args="echo 4" client="@peer connect {port} send:a~ want:a"
 * heddle: verdict=violation kind=livelock args="shut 4" client="@peer connect {port} send:ab eof"
 * heddle: verdict=violation kind=livelock args="poll 2" client="@peer connect {port} send:ab"
 * heddle: verdict=violation kind=livelock args="gone 2" client="@peer connect {port} send:ab"
 * heddle: verdict=verified args="pair 2"
 * heddle: verdict=violation kind=livelock args="pair 4"
 * heddle: verdict=verified args="pipe 2"
 * heddle: verdict=violation kind=livelock args="pipe 4"
 * native: skip
 */
#include "event.h"

static void *writes_two(void *arg)
{
	int fd = *(int *)arg;
	CHECK(write(fd, "ab", 2) == 2);
	OK(close(fd));
	return NULL;
}

int main(int argc, char **argv)
{
	char text[8];
	int fds[2], n = 0;
	CHECK(argc == 3);
	int want = atoi(argv[2]);
	OK(signal(SIGPIPE, SIG_IGN) == SIG_ERR);
	if (story(argc, argv, "pair"))
		OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	else if (story(argc, argv, "pipe"))
		OK(pipe(fds));
	else
		fds[0] = take_client(listen_on(PORT)), fds[1] = -1;
	pthread_t t = fds[1] < 0 ? 0 : spawn(writes_two, &fds[1]);
	struct pollfd p = {.fd = fds[0], .events = POLLIN | POLLRDHUP};
	while (story(argc, argv, "poll") && n < want)
		if (poll(&p, 1, -1) == 1 && p.revents == POLLIN)
			n += (int)read(fds[0], text, 1);
	while (n < want) {
		ssize_t got = read(fds[0], text + n, (size_t)(want - n));
		n += got > 0 ? (int)got : 0;
		if (got > 0 && story(argc, argv, "echo"))
			CHECK(write(fds[0], text + n - got, (size_t)got) == got);
		if (got > 0 && n == 2 && story(argc, argv, "shut"))
			OK(shutdown(fds[0], SHUT_RDWR));
	}
	while (story(argc, argv, "gone") && n < 2 * want)
		n += write(fds[0], text, 1) == 1;
	if (fds[1] >= 0)
		join(t);
	OK(close(fds[0]));
	return 0;
}
