/*
 * A server that counts over all connections. Trees know connections alone, so that both threads would get the ticket of the
 * first: neither is that a violation, nor is what follows from it verified. An execution that is played with a fresh server
 * shows it, and then all connections are one conversation. One that counts for each connection is as the trees say.
 *
 * heddle: verdict=incomplete text~="fresh peers.*not deterministic" options="--peers independent" server="@peer listen {port:7000} line send:%c~ loop"
 * heddle: verdict=verified outcomes=3 text~="servers: shared" server="@peer listen {port:7000} line send:%c~ loop"
 * heddle: verdict=verified outcomes=3 options="--peers shared --strategy bfs" server="@peer listen {port:7000} line send:%c~ loop"
 * heddle: verdict=verified outcomes=3 args=unique server="@peer listen {port:7000} line send:%c~ loop"
 * heddle: verdict=incomplete text~="fresh peers.*not deterministic" options="--peers independent" args=unique server="@peer listen {port:7000} line send:%c~ loop"
 * heddle: verdict=verified outcomes=2 server="@peer listen {port:7000} line send:%n~ loop"
 * heddle: verdict=violation kind=assert args=unique server="@peer listen {port:7000} line send:%n~ loop"
 * heddle: verdict=verified options="--recheck 0" server="@peer listen {port:7000} line send:%c~ loop"
 * heddle: verdict=incomplete text~="fresh peers.*not deterministic" cache=linear server="@peer listen {port:7000} line send:%c~ loop"
 * native: skip
 */
#include "net.h"

static int ticket[2];

static void *draw(void *arg)
{
	int *mine = arg, fd = dial(PORT);
	char line[16];
	say(fd, "ticket\n");
	CHECK(hear_line(fd, line, sizeof(line)));
	*mine = atoi(line);
	OK(close(fd));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a = spawn(draw, &ticket[0]), b = spawn(draw, &ticket[1]);
	join(a);
	join(b);
	CHECK(!story(argc, argv, "unique") || ticket[0] != ticket[1]);
	heddle_outcome(ticket[0] + ticket[1]);
	return 0;
}
