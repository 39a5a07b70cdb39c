/*
 * Threads that try non-blocking calls again and again. With somebody at the other end they come to their end,
 * and the attempts cost no states; without, nothing ever leads out of the loop.
 *
 * heddle: verdict=verified args=pipe
 * heddle: verdict=verified args=eventfd
 * heddle: verdict=verified args=socket
 * heddle: verdict=violation kind=livelock args=nobody
 * native: args=pipe
 * native: args=eventfd
 * native: args=socket
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "guest.h"

static int fd[2];

static void *writes(void *arg)
{
	uint64_t one = 1;
	CHECK(write(fd[1], &one, 8) == 8);
	return arg;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "pipe";
	uint64_t n;
	if (!strcmp(how, "eventfd"))
		fd[0] = fd[1] = eventfd(0, EFD_NONBLOCK);
	else if (!strcmp(how, "socket"))
		OK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd));
	else
		OK(pipe2(fd, O_NONBLOCK));
	bool nobody = !strcmp(how, "nobody");
	pthread_t t = nobody ? pthread_self() : spawn(writes, NULL);
	while (read(fd[0], &n, 8) != 8)
		CHECK(errno == EAGAIN);
	if (!nobody)
		join(t);
	return 0;
}
