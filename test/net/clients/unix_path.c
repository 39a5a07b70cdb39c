/*
 * A UNIX domain socket, found by its path; two threads on two connections.
 *
 * heddle: verdict=verified connections=2 server="@peer listen {path:/tmp/heddle-net-test.socket} line echo loop"
 */
#include <sys/un.h>

#include "net.h"

static void *ask(void *arg)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "/tmp/heddle-net-test.socket"}, end;
	socklen_t len = sizeof(end);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	OK(connect(fd, (struct sockaddr *)&a, sizeof(a)));
	OK(getpeername(fd, (struct sockaddr *)&end, &len));
	CHECK(end.sun_family == AF_UNIX && !strcmp(end.sun_path, a.sun_path));
	say(fd, "through the file system\n");
	hear_text(fd, "through the file system\n");
	OK(close(fd));
	return arg;
}

int main(void)
{
	pthread_t t = spawn(ask, NULL);
	ask(NULL);
	join(t);
	return 0;
}
