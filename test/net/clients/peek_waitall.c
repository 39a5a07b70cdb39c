/*
 * MSG_PEEK looks without taking, MSG_WAITALL waits for all, readv and recvmsg scatter, writev and sendmsg gather.
 *
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=verified cache=linear server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=verified cache=none server="@peer listen {port:7000} line echo loop"
 */
#include <sys/uio.h>

#include "net.h"

static int fd;

static void *rest(void *arg)
{
	struct iovec parts[] = {{"cd", 2}, {"ef\n", 3}};
	CHECK(writev(fd, parts, 2) == 5);
	return arg;
}

static void gather(void)
{
	struct iovec parts[] = {{"x", 1}, {"yz\n", 3}};
	struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
	CHECK(sendmsg(fd, &m, MSG_NOSIGNAL) == 4);
}

static void scatter(void)
{
	char one[2], two[8];
	struct iovec parts[] = {{one, 2}, {two, 8}};
	struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
	CHECK(recvmsg(fd, &m, 0) == 4);
	CHECK(!memcmp(one, "xy", 2) && !memcmp(two, "z\n", 2) && !(m.msg_flags & MSG_TRUNC));
}

int main(void)
{
	char buffer[16];
	fd = dial(PORT);
	say(fd, "ab\n");
	CHECK(recv(fd, buffer, 2, MSG_PEEK) == 2 && !memcmp(buffer, "ab", 2));
	CHECK(recv(fd, buffer, 8, MSG_PEEK) == 3 && !memcmp(buffer, "ab\n", 3));
	pthread_t t = spawn(rest, NULL);
	CHECK(recv(fd, buffer, 8, MSG_WAITALL) == 8 && !memcmp(buffer, "ab\ncdef\n", 8));
	join(t);
	gather();
	scatter();
	return 0;
}
