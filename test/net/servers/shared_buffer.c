/*
 * Handlers that prepare their answer in one static buffer: between the preparation and the write another handler may have its
 * turn, and a client gets the answer to somebody else's question.
 *
 * heddle: verdict=violation kind=assert message~="mine" clients=2 args=static client="@peer connect {port} send:{n}~ line"
 * heddle: verdict=violation kind=assert message~="mine" cache=none clients=2 args=static client="@peer connect {port} send:{n}~ line"
 * heddle: verdict=verified clients=2 args=own client="@peer connect {port} send:{n}~ line"
 * native: args=own
 */
#include "net.h"

static char common[24];
static int own_buffer;

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char line[8], own[24], *buffer = own_buffer ? own : common;
	CHECK(hear_line(fd, line, sizeof(line)));
	snprintf(buffer, sizeof(own), "you are %s\n", line);
	say(fd, buffer);
	int mine = buffer[8] == line[0];
	CHECK(mine);
	OK(close(fd));
	return NULL;
}

int main(int argc, char **argv)
{
	own_buffer = story(argc, argv, "own");
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
