// Bytes on their way between two sockets.
// plant: socket * *
// names: socket
#include "audit.h"
static int end[2];
static char got;
static void init(void)
{
	socketpair(AF_UNIX, SOCK_STREAM, 0, end);
}
static void sender(void)
{
	pause_here();
	send(end[0], "x", 1, 0);
}
static void receiver(void)
{
	pause_here();
	recv(end[1], &got, 1, MSG_DONTWAIT);
}
PROGRAM_AFTER(init, sender, receiver)
