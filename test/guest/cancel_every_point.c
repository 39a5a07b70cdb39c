/*
 * Calls that are cancellation points act on a request also where they would not have waited: the thread may have
 * passed the point before the request, or die in it.
 *
 * heddle: args=read verdict=verified outcomes=1,2
 * heddle: args=write verdict=verified outcomes=1,2
 * heddle: args=open verdict=verified outcomes=1,2
 * heddle: args=close verdict=verified outcomes=1,2
 * heddle: args=fsync verdict=verified outcomes=1,2
 * heddle: args=poll verdict=verified outcomes=1,2
 * heddle: args=select verdict=verified outcomes=1,2
 * heddle: args=accept verdict=verified outcomes=1,2
 * heddle: args=connect verdict=verified outcomes=1,2
 * heddle: args=lock verdict=verified outcomes=1,2
 * heddle: args=random verdict=verified outcomes=1,2
 * heddle: args=msync verdict=verified outcomes=1,2
 * heddle: args=stdio verdict=verified outcomes=1,2
 * heddle: args=device verdict=verified outcomes=1,2
 * heddle: args=pread verdict=verified outcomes=1,2
 * heddle: args=console verdict=verified outcomes=1,2
 * heddle: args=bad-select verdict=verified outcomes=1,2
 * heddle: args=bad-poll verdict=verified outcomes=1,2
 * heddle: args=bad-epoll verdict=verified outcomes=1,2
 * heddle: args=bad-sleep verdict=verified outcomes=1,2
 * heddle: args=bad-sigwait verdict=verified outcomes=1,2
 * heddle: args=taken-away verdict=verified outcomes=2
 * heddle: args=nothing verdict=verified outcomes=1
 * native: args=read any
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <netinet/in.h>

#include "guest.h"

static const char *how;
static int file, zero, unbound, ends[2];
static char *map;

static int is(const char *name)
{
	return !strcmp(how, name);
}

/* At once, without looking at anything. */
static void fails(void)
{
	struct timespec bad = {0, -1};
	struct timeval none = {0, 0};
	struct pollfd p = {.fd = file};
	struct epoll_event e;
	sigset_t set;
	fd_set in;
	FD_ZERO(&in);
	FD_SET(500, &in);
	sigemptyset(&set);
	if (is("bad-select"))
		CHECK(select(501, &in, NULL, NULL, &none) < 0 && errno == EBADF);
	else if (is("bad-poll"))
		CHECK(ppoll(&p, 1, &bad, NULL) < 0 && errno == EINVAL);
	else if (is("bad-epoll"))
		CHECK(epoll_wait(500, &e, 1, 0) < 0 && errno == EBADF);
	else if (is("bad-sleep"))
		CHECK(nanosleep(&bad, NULL) < 0 && errno == EINVAL);
	else if (is("bad-sigwait"))
		CHECK(sigtimedwait(&set, NULL, &bad) < 0 && errno == EINVAL);
}

/* A call on the wrong end of a pipe, while another thread closes it: the request is older. */
static void *writes_wrong_end(void *arg)
{
	OK(pthread_cancel(pthread_self()));
	(void)!write(ends[0], "x", 1);
	return arg;
}

static void point(void)
{
	char c;
	struct timeval none = {0, 0};
	struct flock whole = {.l_type = F_WRLCK};
	struct sockaddr_in nowhere = {.sin_family = AF_INET, .sin_port = 1};
	if (is("read"))
		(void)!read(file, &c, 1);
	else if (is("pread"))
		(void)!pread(file, &c, 1, 0);
	else if (is("write"))
		(void)!write(file, "x", 1);
	else if (is("console"))
		(void)!write(1, "x", 1);
	else if (is("open"))
		(void)!open("/dev/null", O_RDONLY);
	else if (is("close"))
		close(zero);
	else if (is("fsync"))
		fsync(file);
	else if (is("poll"))
		poll(NULL, 0, 0);
	else if (is("select"))
		select(0, NULL, NULL, NULL, &none);
	else if (is("accept"))
		accept(unbound, NULL, NULL);
	else if (is("connect"))
		connect(unbound, (struct sockaddr *)&nowhere, 1);
	else if (is("lock"))
		fcntl(file, F_SETLKW, &whole);
	else if (is("random"))
		(void)!getrandom(&c, 1, 0);
	else if (is("msync"))
		msync(map, 4096, MS_SYNC);
	else if (is("stdio"))
		fflush(stdout), fputs("x", stdout), fflush(stdout);
	else if (is("device"))
		(void)!read(zero, &c, 1);
	else
		fails();
}

static void *body(void *arg)
{
	(void)arg;
	point();
	return (void *)1;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "read";
	char name[] = "/tmp/cancelXXXXXX";
	file = mkstemp(name);
	unlink(name);
	CHECK(write(file, "abcd", 4) == 4);
	zero = open("/dev/zero", O_RDONLY);
	unbound = socket(AF_INET, SOCK_STREAM, 0);
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	OK(pipe(ends));
	if (is("taken-away")) {
		pthread_t w = spawn(writes_wrong_end, NULL);
		OK(close(ends[0]));
		heddle_outcome(join(w) == PTHREAD_CANCELED ? 2 : 1);
		return 0;
	}
	pthread_t t = spawn(body, NULL);
	OK(pthread_cancel(t));
	heddle_outcome(join(t) == PTHREAD_CANCELED ? 2 : 1);
	return 0;
}
