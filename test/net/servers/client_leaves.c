/*
 * Clients that leave: at once, after their question, with a reset, or having shut down their side only and still reading. A
 * server that writes to one that is gone gets SIGPIPE, unless it cares; but a reset is told as an error first.
 *
 * heddle: verdict=verified outcomes=0 clients=1 args=quiet client="@peer connect {port} close"
 * heddle: verdict=verified outcomes=1 clients=1 args=quiet client="@peer connect {port} send:q~ shut want:answer want:more"
 * heddle: verdict=verified outcomes=2 clients=1 args=quiet client="@peer connect {port} send:q~ line reset"
 * heddle: verdict=verified outcomes=2 clients=1 args=loud client="@peer connect {port} send:q~ line reset"
 * heddle: verdict=violation kind=crash text~="SIGPIPE" clients=1 args=loud client="@peer connect {port} send:q~ close"
 * heddle: verdict=verified outcomes=0,1 args=quiet client1="@peer connect {port} close" client2="@peer connect {port} send:q~ shut want:answer want:more"
 * heddle: verdict=verified outcomes=0,1 cache=none args=quiet client1="@peer connect {port} close" client2="@peer connect {port} send:q~ shut want:answer want:more"
 * native: skip
 */
#include "net.h"

static int flags;

/* 0: left without a question; 1: got everything; 2: left in the middle. */
static long serve(int fd)
{
	char line[8];
	if (!hear_line(fd, line, sizeof(line)))
		return 0;
	CHECK(send(fd, "answer\n", 7, flags) == 7);
	return send(fd, "more\n", 5, flags) == 5 ? 1 : 2;
}

static void *handle(void *arg)
{
	heddle_outcome(serve((int)(long)arg));
	OK(close((int)(long)arg));
	return NULL;
}

int main(int argc, char **argv)
{
	flags = story(argc, argv, "quiet") ? MSG_NOSIGNAL : 0;
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(handle, (void *)(long)take_client(listener))));
}
