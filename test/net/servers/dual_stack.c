/*
 * A server on all addresses of IPv6 has clients on ::1 and on 127.0.0.1.
 *
 * heddle: verdict=verified outcomes=1 clients=1 client="@peer connect 6:{port} send:a~ want:a"
 * heddle: verdict=verified outcomes=1 clients=1 client="@peer connect {port} send:a~ want:a"
 * heddle: verdict=verified outcomes=1 clients=2 client1="@peer connect 6:{port} send:a~ want:a" client2="@peer connect {port} send:a~ want:a"
 * native: skip
 */
#include "net.h"

int main(void)
{
	struct sockaddr_in6 a = {
		.sin6_family = AF_INET6, .sin6_port = htons(PORT), .sin6_addr = IN6ADDR_ANY_INIT};
	int listener = socket(AF_INET6, SOCK_STREAM, 0);
	CHECK(listener >= 0);
	OK(bind(listener, (struct sockaddr *)&a, sizeof(a)));
	OK(listen(listener, 8));
	for (;;) {
		int fd = take_client(listener);
		hear_text(fd, "a\n");
		say(fd, "a\n");
		OK(close(fd));
		heddle_outcome(1);
	}
}
