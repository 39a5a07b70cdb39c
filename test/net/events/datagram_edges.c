/*
 * datagram_edges.c: an edge-triggered server of datagrams. Two may have come by the time that it looks, and one edge tells of
 * both. "one": it receives one for each edge, and the other stays where it is; recvmmsg of two gets both.
 *
 * heddle: verdict=verified args=all client="@peer send {port} send:x" clients=2
 * heddle: verdict=verified args=both client="@peer send {port} send:x" clients=2
 * heddle: verdict=violation kind=comm-deadlock message~="client . has sent a datagram, and nobody receives it" args=one client="@peer send {port} send:x" clients=2
 * heddle: verdict=violation kind=comm-deadlock args=one client="@peer send {port} send:x send:y" clients=1
 * native: skip
 */
#include "event.h"

static int receive(int fd, int most)
{
	char text[2][8];
	struct iovec v[2] = {{text[0], 8}, {text[1], 8}};
	struct mmsghdr m[2] = {{.msg_hdr = {.msg_iov = &v[0], .msg_iovlen = 1}},
			       {.msg_hdr = {.msg_iov = &v[1], .msg_iovlen = 1}}};
	int n = recvmmsg(fd, m, (unsigned)most, 0, NULL);
	CHECK(n > 0 || errno == EAGAIN);
	return n > 0 ? n : 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = loopback(PORT);
	int fd = nonblocking(socket(AF_INET, SOCK_DGRAM, 0)), set = epoll_create1(0), left = 2;
	OK(bind(fd, (struct sockaddr *)&a, sizeof(a)));
	epoll_set(set, EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLET);
	while (left) {
		struct epoll_event e;
		CHECK(epoll_wait(set, &e, 1, -1) == 1);
		int n = receive(fd, story(argc, argv, "both") ? 2 : 1);
		left -= n;
		while (story(argc, argv, "all") && n)
			left -= n = receive(fd, 1);
	}
	return 0;
}
