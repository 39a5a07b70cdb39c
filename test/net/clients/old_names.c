/*
 * Names as older programs look them up: gethostbyname, getservbyname, inet_aton, h_errno; and a name that nobody has.
 *
 * heddle: verdict=verified server="@peer listen {port:7000} line echo loop"
 */
#include <netdb.h>

#include "net.h"

int main(void)
{
	struct hostent *host = gethostbyname("localhost");
	CHECK(host && host->h_addrtype == AF_INET && host->h_length == 4);
	struct sockaddr_in a = loopback(PORT);
	memcpy(&a.sin_addr, host->h_addr_list[0], 4);
	struct servent *service = getservbyname("telnet", "tcp");
	CHECK(!service || ntohs((uint16_t)service->s_port) == 23);
	int fd = socket(AF_INET, SOCK_STREAM, getprotobyname("tcp") ? IPPROTO_TCP : 0);
	OK(connect(fd, (struct sockaddr *)&a, sizeof(a)));
	say(fd, "old\n");
	hear_text(fd, "old\n");
	return 0;
}
