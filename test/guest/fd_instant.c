/*
 * A call keeps what it has found behind a number until it returns, even if all it does is fail: the end of a pipe or of a
 * listening socket that another thread closes meanwhile comes a moment later. Bit 0: its end has not been seen right after
 * the close; bit 1: the call found the number closed, and so can't have kept it (a write to the wrong end of a pipe
 * can't tell).
 *
 * heddle: verdict=verified outcomes=0,1 args=write
 * heddle: verdict=verified outcomes=0,1,2 args=listen options="--allow-refused"
 * heddle: verdict=verified outcomes=0,1,2 args=flags
 * heddle: verdict=verified outcomes=0,1,2 args=seek
 * heddle: verdict=verified outcomes=0,1,2 args=stat
 * heddle: verdict=verified outcomes=0,1,2 args=mode
 * heddle: verdict=verified outcomes=0,1,2 args=poll
 * heddle: verdict=verified outcomes=0,1,2 args=epoll
 */
#include "guest.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static const struct sockaddr_un place = {.sun_family = AF_UNIX, .sun_path = "\0fd_instant"};
static int ends[2], client, set, closed_before;
static const char *what;

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void *use(void *arg)
{
	int fd = ends[0];
	struct stat st;
	errno = 0;
	if (is("write") || is("listen"))
		CHECK(write(fd, "x", 1) < 0);
	else if (is("flags"))
		fcntl(fd, F_GETFL);
	else if (is("seek"))
		CHECK(lseek(fd, 0, SEEK_SET) < 0);
	else if (is("stat"))
		fstat(fd, &st);
	else if (is("mode"))
		fchmod(fd, 0600);
	else if (is("epoll"))
		CHECK(epoll_ctl(set, EPOLL_CTL_DEL, fd, NULL) < 0);
	struct pollfd p = {.fd = fd};
	if (is("poll"))
		poll(&p, 1, 0);
	closed_before = !is("write") && (errno == EBADF || p.revents == POLLNVAL);
	return arg;
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "flags";
	signal(SIGPIPE, SIG_IGN);
	if (is("listen")) {
		ends[0] = socket(AF_UNIX, SOCK_STREAM, 0);
		OK(bind(ends[0], (const struct sockaddr *)&place, sizeof(place)));
		OK(listen(ends[0], 1));
		client = socket(AF_UNIX, SOCK_STREAM, 0);
	} else {
		OK(pipe(ends));
	}
	set = epoll_create1(0);
	pthread_t t = spawn(use, NULL);
	OK(close(ends[0]));
	int lives = is("listen") ? connect(client, (const struct sockaddr *)&place, sizeof(place)) == 0
				 : write(ends[1], "x", 1) == 1;
	join(t);
	heddle_outcome((unsigned)lives + 2 * (unsigned)closed_before);
	return 0;
}
