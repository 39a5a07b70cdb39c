/*
 * epoll sets over pipes, eventfds and socket pairs, as Linux has them: levels, edges, one-shot, the life of
 * entries, sets in sets, batches and their order.
 *
 * heddle: verdict=verified
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest.h"

static struct epoll_event got[8];

static int ctl(int set, int op, int fd, unsigned events)
{
	struct epoll_event e = {.events = events, .data.fd = fd};
	return epoll_ctl(set, op, fd, &e);
}

static int look(int set, int room)
{
	return epoll_wait(set, got, room, 0);
}

static bool sees(int set, int fd, unsigned events)
{
	return look(set, 8) == 1 && got[0].data.fd == fd && got[0].events == events;
}

static void add(int fd, uint64_t n)
{
	CHECK(write(fd, &n, 8) == 8);
}

static void take(int fd)
{
	uint64_t n;
	CHECK(read(fd, &n, 8) == 8);
}

static void levels_and_edges(void)
{
	int set = epoll_create1(0), e = eventfd(0, EFD_NONBLOCK);
	CHECK(!ctl(set, EPOLL_CTL_ADD, e, EPOLLIN));
	CHECK(look(set, 8) == 0);
	add(e, 1);
	CHECK(sees(set, e, EPOLLIN) && sees(set, e, EPOLLIN));
	take(e);
	CHECK(look(set, 8) == 0);
	CHECK(!ctl(set, EPOLL_CTL_MOD, e, EPOLLIN | EPOLLET));
	add(e, 1);
	CHECK(sees(set, e, EPOLLIN));
	CHECK(look(set, 8) == 0);
	add(e, 1); /* each write is an edge */
	CHECK(sees(set, e, EPOLLIN) && look(set, 8) == 0);
	CHECK(!ctl(set, EPOLL_CTL_MOD, e, EPOLLIN | EPOLLET)); /* tells again what is ready */
	CHECK(sees(set, e, EPOLLIN) && look(set, 8) == 0);
	CHECK(!ctl(set, EPOLL_CTL_MOD, e, EPOLLIN | EPOLLOUT | EPOLLET));
	CHECK(sees(set, e, EPOLLIN | EPOLLOUT) && look(set, 8) == 0);
	CHECK(!ctl(set, EPOLL_CTL_MOD, e, EPOLLIN | EPOLLONESHOT));
	CHECK(sees(set, e, EPOLLIN));
	add(e, 1);
	CHECK(look(set, 8) == 0);
	CHECK(!ctl(set, EPOLL_CTL_MOD, e, EPOLLIN | EPOLLONESHOT));
	CHECK(sees(set, e, EPOLLIN) && look(set, 8) == 0);
	close(e);
	close(set);
}

static void ends_come_unasked(void)
{
	int set = epoll_create1(0), p[2], s[2];
	CHECK(!pipe(p) && !socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	CHECK(!ctl(set, EPOLL_CTL_ADD, p[0], 0));
	CHECK(write(p[1], "x", 1) == 1 && look(set, 8) == 0);
	close(p[1]);
	CHECK(sees(set, p[0], EPOLLHUP));
	CHECK(!ctl(set, EPOLL_CTL_DEL, p[0], 0));
	CHECK(!ctl(set, EPOLL_CTL_ADD, s[0], EPOLLIN | EPOLLRDHUP | EPOLLET));
	CHECK(look(set, 8) == 0);
	CHECK(write(s[1], "ab", 2) == 2 && sees(set, s[0], EPOLLIN) && look(set, 8) == 0);
	CHECK(write(s[1], "c", 1) == 1 && sees(set, s[0], EPOLLIN));
	CHECK(!shutdown(s[1], SHUT_WR) && sees(set, s[0], EPOLLIN | EPOLLRDHUP) && look(set, 8) == 0);
	close(s[1]);
	CHECK(sees(set, s[0], EPOLLIN | EPOLLRDHUP | EPOLLHUP));
	close(s[0]);
	close(p[0]);
	CHECK(look(set, 8) == 0);
	close(set);
}

static void lives_of_entries(void)
{
	int set = epoll_create1(0), e = eventfd(1, 0), copy = dup(e);
	CHECK(!ctl(set, EPOLL_CTL_ADD, e, EPOLLIN));
	FAILS(ctl(set, EPOLL_CTL_ADD, e, EPOLLIN), EEXIST);
	close(e);
	CHECK(sees(set, e, EPOLLIN)); /* the description lives */
	FAILS(ctl(set, EPOLL_CTL_MOD, e, EPOLLIN), EBADF);
	FAILS(ctl(set, EPOLL_CTL_DEL, e, 0), EBADF);
	FAILS(ctl(set, EPOLL_CTL_DEL, copy, 0), ENOENT);
	CHECK(!ctl(set, EPOLL_CTL_ADD, copy, EPOLLIN));
	CHECK(look(set, 8) == 2);
	CHECK(dup(copy) == e); /* the number means the description again */
	CHECK(!ctl(set, EPOLL_CTL_DEL, e, 0));
	CHECK(sees(set, copy, EPOLLIN));
	int other = eventfd(0, 0);
	CHECK(dup2(other, e) == e && !ctl(set, EPOLL_CTL_ADD, e, EPOLLIN));
	close(copy);
	CHECK(look(set, 8) == 0);
	close(other);
	add(e, 1);
	CHECK(sees(set, e, EPOLLIN));
	close(e);
	CHECK(look(set, 8) == 0);
	close(set);
}

static void batches(void)
{
	int set = epoll_create1(0), e[3];
	for (int i = 0; i < 3; i++) {
		e[i] = eventfd(0, 0);
		CHECK(!ctl(set, EPOLL_CTL_ADD, e[i], EPOLLIN));
	}
	add(e[2], 1);
	add(e[0], 1);
	add(e[1], 1);
	CHECK(look(set, 8) == 3); /* in the order of what happened */
	CHECK(got[0].data.fd == e[2] && got[1].data.fd == e[0] && got[2].data.fd == e[1]);
	CHECK(look(set, 2) == 2 && got[0].data.fd == e[2] && got[1].data.fd == e[0]);
	CHECK(look(set, 2) == 2 && got[0].data.fd == e[1] && got[1].data.fd == e[2]);
	CHECK(look(set, 1) == 1 && got[0].data.fd == e[0]);
	take(e[1]);
	CHECK(look(set, 8) == 2 && got[0].data.fd == e[2] && got[1].data.fd == e[0]);
	for (int i = 0; i < 3; i++)
		close(e[i]);
	close(set);
}

static void sets_in_sets(void)
{
	int outer = epoll_create1(0), inner = epoll_create1(0), e = eventfd(0, 0);
	struct pollfd p = {.fd = outer, .events = POLLIN};
	CHECK(!ctl(outer, EPOLL_CTL_ADD, inner, EPOLLIN) && !ctl(inner, EPOLL_CTL_ADD, e, EPOLLIN));
	FAILS(ctl(inner, EPOLL_CTL_ADD, outer, EPOLLIN), ELOOP);
	FAILS(ctl(inner, EPOLL_CTL_ADD, inner, EPOLLIN), EINVAL);
	CHECK(look(outer, 8) == 0 && poll(&p, 1, 0) == 0);
	add(e, 1);
	CHECK(poll(&p, 1, 0) == 1 && sees(outer, inner, EPOLLIN) && sees(inner, e, EPOLLIN));
	take(e);
	CHECK(look(outer, 8) == 0);
	close(outer);
	close(inner);
	close(e);
}

static void mistakes(void)
{
	struct epoll_event e = {0};
	int set = epoll_create1(EPOLL_CLOEXEC), file = open("/dev/null", O_RDONLY), fd = eventfd(0, 0);
	int inner = epoll_create1(0);
	FAILS(epoll_create1(1), EINVAL);
	FAILS(epoll_create(0), EINVAL);
	FAILS(epoll_ctl(set, EPOLL_CTL_ADD, 99, &e), EBADF);
	FAILS(epoll_ctl(99, EPOLL_CTL_ADD, fd, &e), EBADF);
	FAILS(epoll_ctl(fd, EPOLL_CTL_ADD, set, &e), EINVAL);
	FAILS(epoll_ctl(set, EPOLL_CTL_ADD, file, &e), EPERM);
	FAILS(epoll_ctl(set, 9, fd, &e), EINVAL);
	FAILS(epoll_wait(set, got, 0, 0), EINVAL);
	FAILS(epoll_wait(fd, got, 1, 0), EINVAL);
	FAILS(ctl(set, EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLEXCLUSIVE | EPOLLONESHOT), EINVAL);
	FAILS(ctl(set, EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLEXCLUSIVE | EPOLLRDHUP), EINVAL);
	FAILS(ctl(set, EPOLL_CTL_ADD, inner, EPOLLIN | EPOLLEXCLUSIVE), EINVAL);
	CHECK(!ctl(set, EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLEXCLUSIVE));
	FAILS(ctl(set, EPOLL_CTL_MOD, fd, EPOLLIN), EINVAL);
	CHECK(epoll_wait(set, got, 1, 10) == 0);
	close(set);
	close(file);
	close(fd);
	close(inner);
}

int main(void)
{
	levels_and_edges();
	ends_come_unasked();
	lives_of_entries();
	batches();
	sets_in_sets();
	mistakes();
	return 0;
}
