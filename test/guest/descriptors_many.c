/*
 * descriptors_many.c: 5,000 descriptors at once, of several kinds, used by two threads; and RLIMIT_NOFILE,
 * which says how many there can be and can be lowered.
 *
 * heddle: verdict=verified
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "guest.h"

#define MANY 5000

static int fd[MANY];

static void *body(void *last)
{
	char c = 'x';
	CHECK(write(*(int *)last, &c, 1) == 1);
	return NULL;
}

static void open_some(int i)
{
	switch (i / 2 % 4) {
	case 0:
		OK(pipe(fd + i));
		break;
	case 1:
		OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd + i));
		break;
	case 2:
		fd[i] = open("input.txt", O_RDONLY | O_CREAT, 0600);
		fd[i + 1] = dup(fd[i]);
		break;
	default:
		fd[i] = eventfd(0, 0);
		fd[i + 1] = open("/dev/null", O_RDWR);
	}
	CHECK(fd[i] == i + 3 && fd[i + 1] == i + 4);
}

static void lower_the_limit(struct rlimit limit)
{
	limit.rlim_cur = 10;
	OK(setrlimit(RLIMIT_NOFILE, &limit));
	limit.rlim_cur = 0;
	OK(getrlimit(RLIMIT_NOFILE, &limit));
	CHECK(limit.rlim_cur == 10);
	for (int i = 3; i < 10; i++)
		CHECK(dup(0) == i);
	FAILS(dup(0), EMFILE);
	FAILS(open("/dev/null", O_RDONLY), EMFILE);
	FAILS(pipe(fd), EMFILE);
	FAILS(fcntl(0, F_DUPFD, 10), EINVAL);
}

int main(void)
{
	struct rlimit limit;
	OK(getrlimit(RLIMIT_NOFILE, &limit));
	CHECK(limit.rlim_max > MANY + 3);
	limit.rlim_cur = limit.rlim_max;
	OK(setrlimit(RLIMIT_NOFILE, &limit));
	for (int i = 0; i < MANY; i += 2)
		open_some(i);
	pthread_t t = spawn(body, &fd[MANY - 8 + 1]);
	char c = 0;
	struct pollfd p = {.fd = fd[MANY - 8], .events = POLLIN};
	CHECK(poll(&p, 1, -1) == 1);
	CHECK(read(fd[MANY - 8], &c, 1) == 1 && c == 'x');
	join(t);
	for (int i = MANY; i-- > 0;)
		OK(close(fd[i]));
	lower_the_limit(limit);
	return 0;
}
