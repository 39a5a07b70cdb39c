/*
 * A connection over IPv6, found by getaddrinfo; names at both ends.
 *
 * heddle: verdict=verified connections=1 server="@peer listen 6:{port:7000} line echo loop"
 */
#include <netdb.h>

#include "net.h"

int main(void)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV},
			*found;
	OK(getaddrinfo("::1", "7000", &hints, &found));
	CHECK(found->ai_family == AF_INET6);
	int fd = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
	OK(connect(fd, found->ai_addr, found->ai_addrlen));
	freeaddrinfo(found);

	struct sockaddr_in6 end;
	socklen_t len = sizeof(end);
	OK(getpeername(fd, (struct sockaddr *)&end, &len));
	CHECK(len == sizeof(end) && ntohs(end.sin6_port) == PORT && IN6_IS_ADDR_LOOPBACK(&end.sin6_addr));
	OK(getsockname(fd, (struct sockaddr *)&end, &len));
	CHECK(end.sin6_family == AF_INET6 && end.sin6_port != 0);
	say(fd, "six\n");
	hear_text(fd, "six\n");
	return 0;
}
