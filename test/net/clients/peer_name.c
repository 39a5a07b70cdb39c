/*
 * getpeername tells whether a connection is over: one thread asks it to be answered, the peer closes, another thread shuts
 * down. The name is there, or not, whenever the shutdown comes between.
 *
 * heddle: verdict=verified outcomes=0,107 server="@peer listen {port:7000} line close"
 * heddle: verdict=verified outcomes=0,107 cache=none server="@peer listen {port:7000} line close"
 */
#include "net.h"

static int fd;

static void *leave(void *arg)
{
	OK(shutdown(fd, SHUT_WR));
	return arg;
}

int main(void)
{
	struct sockaddr_in name;
	socklen_t len = sizeof(name);
	fd = dial(PORT);
	say(fd, "hello\n");
	pthread_t t = spawn(leave, NULL);
	heddle_outcome(getpeername(fd, (struct sockaddr *)&name, &len) ? errno : 0);
	join(t);
	return 0;
}
