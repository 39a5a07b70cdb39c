/*
 * The server speaks first, and asks; clients of different kinds answer, each its own way.
 *
 * heddle: verdict=verified outcomes=1,2 connections=2 client1="@peer connect {port} want:who? send:anna~ want:hello,_anna" client2="@peer connect {port} want:who? send:bert~ want:hello,_bert"
 * heddle: verdict=verified outcomes=1,2 cache=none client1="@peer connect {port} want:who? send:anna~ want:hello,_anna" client2="@peer connect {port} want:who? send:bert~ want:hello,_bert"
 */
#include "net.h"

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char name[32];
	say(fd, "who?\n");
	CHECK(hear_line(fd, name, sizeof(name)));
	heddle_outcome(strcmp(name, "anna") ? 2 : 1);
	dprintf(fd, "hello, %s\n", name);
	OK(close(fd));
	return NULL;
}

int main(void)
{
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}
