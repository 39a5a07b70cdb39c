/*
 * Connections inside the program need no peer: a thread serves what another asks, over a loopback port and over a
 * socketpair. The server's own answers are not a peer's: every order is explored.
 *
 * heddle: verdict=verified outcomes=12,21 args=port
 * heddle: verdict=verified outcomes=12,21 args=pair
 * heddle: verdict=violation kind=deadlock args=stuck
 * native: args=port
 * native: args=pair
 */
#include "net.h"

static int listener, ends[2];

static void *client(void *text)
{
	int fd = dial(PORT);
	say(fd, text);
	hear_end(fd);
	return NULL;
}

static void serve_two(void)
{
	char text[2][4];
	for (int i = 0; i < 2; i++) {
		int fd = take_client(listener);
		hear(fd, text[i], sizeof(text[i]));
		OK(close(fd));
	}
	heddle_outcome(atoi(text[0]) * 10 + atoi(text[1]));
}

static void *pair_writer(void *text)
{
	say(ends[1], text);
	return NULL;
}

static void pair(void)
{
	char text[2][4];
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	pthread_t a = spawn(pair_writer, "1"), b = spawn(pair_writer, "2");
	CHECK(read(ends[0], text[0], 1) == 1 && read(ends[0], text[1], 1) == 1);
	heddle_outcome((text[0][0] - '0') * 10 + text[1][0] - '0');
	join(a);
	join(b);
}

static void stuck(void)
{
	char c;
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	CHECK(read(ends[0], &c, 1) == 1);
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "stuck"))
		stuck();
	if (story(argc, argv, "pair")) {
		pair();
		return 0;
	}
	listener = listen_on(PORT);
	pthread_t a = spawn(client, "1"), b = spawn(client, "2");
	serve_two();
	join(a);
	join(b);
	return 0;
}
