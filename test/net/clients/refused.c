/*
 * Nobody listens: heddle says so and ends. With --allow-refused the program gets ECONNREFUSED, as natively.
 *
 * heddle: exit=2 error~="7000"
 * heddle: exit=2 error~="7000" server="@peer listen {port:7001} line echo loop"
 * heddle: verdict=verified options="--allow-refused"
 */
#include "net.h"

int main(void)
{
	struct sockaddr_in a = loopback(PORT);
	int fd = socket(AF_INET, SOCK_STREAM, 0), error = -1;
	socklen_t len = sizeof(error);
	FAILS(connect(fd, (struct sockaddr *)&a, sizeof(a)), ECONNREFUSED);
	OK(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len));
	CHECK(error == 0);
	FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	return 0;
}
