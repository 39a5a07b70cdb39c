/*
 * accept4, addresses of both ends, a listener for IPv4 and IPv6 on a port that the program chooses, SO_REUSEADDR, a second bind
 * to the same port, and a UNIX domain listener.
 *
 * heddle: verdict=verified outcomes=1 clients=1 args=dual client="@peer connect {port} send:x~ want:x"
 * heddle: verdict=verified outcomes=1 clients=1 args=path client="@peer connect {path} send:x~ want:x"
 * native: skip
 */
#include <sys/un.h>

#include "net.h"

static int dual(void)
{
	struct sockaddr_in6 any = {
		.sin6_family = AF_INET6, .sin6_port = htons(PORT), .sin6_addr = in6addr_any};
	int fd = socket(AF_INET6, SOCK_STREAM, 0), other = socket(AF_INET6, SOCK_STREAM, 0);
	OK(bind(fd, (struct sockaddr *)&any, sizeof(any)));
	OK(listen(fd, 4));
	FAILS(bind(other, (struct sockaddr *)&any, sizeof(any)), EADDRINUSE);
	OK(close(other));
	return fd;
}

static int path(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "listener.socket"};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	OK(bind(fd, (struct sockaddr *)&a, sizeof(a)));
	OK(listen(fd, 4));
	return fd;
}

static void look_at_ends(int fd)
{
	struct sockaddr_in6 end;
	socklen_t len = sizeof(end);
	OK(getsockname(fd, (struct sockaddr *)&end, &len));
	CHECK(end.sin6_family == AF_INET6 && ntohs(end.sin6_port) == PORT);
	OK(getpeername(fd, (struct sockaddr *)&end, &len));
	CHECK(end.sin6_family == AF_INET6 && ntohs(end.sin6_port) > 1023);
}

int main(int argc, char **argv)
{
	int is_dual = story(argc, argv, "dual"), listener = is_dual ? dual() : path(), known = 0;
	socklen_t len = sizeof(known);
	OK(getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &known, &len));
	CHECK(known == 1);
	struct sockaddr_storage from;
	socklen_t from_len = sizeof(from);
	int fd = accept4(listener, (struct sockaddr *)&from, &from_len, SOCK_CLOEXEC);
	CHECK(fd >= 0 && from.ss_family == (is_dual ? AF_INET6 : AF_UNIX));
	if (is_dual)
		look_at_ends(fd);
	char line[8];
	CHECK(hear_line(fd, line, sizeof(line)));
	dprintf(fd, "%s\n", line);
	heddle_outcome(1);
	return 0;
}
