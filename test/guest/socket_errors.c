/*
 * socket_errors.c: socket calls that fail, on descriptors of every kind and sockets in every state, as they do in
 * Linux: each check holds natively, too.
 *
 * heddle: verdict=verified args=making
 * heddle: verdict=verified args=kinds
 * heddle: verdict=verified args=unconnected
 * heddle: verdict=verified args=listening
 * heddle: verdict=verified args=addresses
 * heddle: verdict=violation kind=crash args=sigpipe message~="SIGPIPE"
 * native: args=making
 * native: args=kinds
 * native: args=unconnected
 * native: args=listening
 * native: args=addresses
 * native: args=sigpipe signal=PIPE
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "guest.h"

static const struct sockaddr_in any = {.sin_family = AF_INET};
static char byte;

static int make(int family, int type)
{
	int s = socket(family, type, 0);
	CHECK(s >= 0);
	return s;
}

static void making(void)
{
	FAILS(socket(999, SOCK_STREAM, 0), EAFNOSUPPORT);
	FAILS(socket(AF_UNSPEC, SOCK_STREAM, 0), EAFNOSUPPORT);
	FAILS(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP), EPROTONOSUPPORT);
	FAILS(socket(AF_INET, SOCK_DGRAM, IPPROTO_TCP), EPROTONOSUPPORT);
	FAILS(socket(AF_INET, SOCK_SEQPACKET, 0), ESOCKTNOSUPPORT);
	FAILS(socket(AF_UNIX, SOCK_STREAM, IPPROTO_TCP), EPROTONOSUPPORT);
	FAILS(socket(AF_INET, SOCK_STREAM | 0x100, 0), EINVAL);
	int s = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
	CHECK(fcntl(s, F_GETFD) == FD_CLOEXEC && (fcntl(s, F_GETFL) & O_NONBLOCK));
	struct stat st;
	OK(fstat(s, &st));
	CHECK(S_ISSOCK(st.st_mode));
	FAILS(lseek(s, 0, SEEK_SET), ESPIPE);
	FAILS(ftruncate(s, 0), EINVAL);
}

/* What is no socket, and what is nothing. */
static void kinds(void)
{
	socklen_t len = sizeof any;
	struct sockaddr_in a;
	for (int i = 0; i < 2; i++) {
		int fd = i ? 0 : 99, code = i ? ENOTSOCK : EBADF;
		FAILS(bind(fd, (void *)&any, sizeof any), code);
		FAILS(listen(fd, 1), code);
		FAILS(accept(fd, NULL, NULL), code);
		FAILS(connect(fd, (void *)&any, sizeof any), code);
		FAILS(getsockname(fd, (void *)&a, &len), code);
		FAILS(getpeername(fd, (void *)&a, &len), code);
		FAILS(send(fd, &byte, 1, 0), code);
		FAILS(recv(fd, &byte, 1, 0), code);
		FAILS(shutdown(fd, SHUT_RDWR), code);
		FAILS(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)), code);
	}
}

static void unconnected_tcp(int s)
{
	struct sockaddr_in a;
	socklen_t len = sizeof a;
	FAILS(recv(s, &byte, 1, 0), ENOTCONN);
	FAILS(read(s, &byte, 1), ENOTCONN);
	CHECK(read(s, &byte, 0) == 0);
	FAILS(send(s, &byte, 1, MSG_NOSIGNAL), EPIPE);
	FAILS(shutdown(s, SHUT_WR), ENOTCONN);
	FAILS(shutdown(s, 3), EINVAL);
	FAILS(getpeername(s, (void *)&a, &len), ENOTCONN);
	FAILS(accept(s, NULL, NULL), EINVAL);
	struct pollfd p = {s, POLLIN | POLLOUT, 0};
	CHECK(poll(&p, 1, 0) == 1 && p.revents == (POLLOUT | POLLHUP));
	int pending = -1;
	OK(ioctl(s, FIONREAD, &pending));
	CHECK(pending == 0);
}

static void unconnected_unix(int s)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "nobody"};
	FAILS(recv(s, &byte, 1, 0), EINVAL);
	FAILS(send(s, &byte, 1, 0), ENOTCONN);
	FAILS(sendto(s, &byte, 1, 0, (void *)&a, sizeof a), EOPNOTSUPP);
	FAILS(listen(s, 1), EINVAL);
	FAILS(connect(s, (void *)&a, sizeof a), ENOENT);
	strcpy(a.sun_path, "input.txt");
	FAILS(connect(s, (void *)&a, sizeof a), ECONNREFUSED);
	strcpy(a.sun_path, "input.txt/x");
	FAILS(connect(s, (void *)&a, sizeof a), ENOTDIR);
	OK(shutdown(s, SHUT_RDWR));
}

static void unconnected(void)
{
	signal(SIGPIPE, SIG_IGN);
	unconnected_tcp(make(AF_INET, SOCK_STREAM));
	unconnected_tcp(make(AF_INET6, SOCK_STREAM));
	unconnected_unix(make(AF_UNIX, SOCK_STREAM));
	int s = make(AF_INET, SOCK_DGRAM);
	FAILS(listen(s, 1), EOPNOTSUPP);
	FAILS(accept(s, NULL, NULL), EOPNOTSUPP);
	FAILS(send(s, &byte, 1, 0), EDESTADDRREQ);
}

static void listening(void)
{
	signal(SIGPIPE, SIG_IGN);
	int s = make(AF_INET, SOCK_STREAM), pending;
	OK(listen(s, 1)); /* unbound: some port */
	OK(listen(s, 5));
	FAILS(recv(s, &byte, 1, 0), ENOTCONN);
	FAILS(send(s, &byte, 1, 0), EPIPE);
	FAILS(connect(s, (void *)&any, sizeof any), EISCONN);
	FAILS(bind(s, (void *)&any, sizeof any), EINVAL);
	FAILS(accept4(s, NULL, NULL, 1), EINVAL);
	FAILS(ioctl(s, FIONREAD, &pending), EINVAL);
	struct pollfd p = {s, POLLIN | POLLOUT, 0};
	CHECK(poll(&p, 1, 0) == 0);
	OK(shutdown(s, SHUT_RD));
	FAILS(accept(s, NULL, NULL), EINVAL);
}

static void addresses(void)
{
	int s = make(AF_INET, SOCK_STREAM), six = make(AF_INET6, SOCK_STREAM), u = make(AF_UNIX, SOCK_STREAM);
	struct sockaddr_in6 a6 = {.sin6_family = AF_INET6};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	FAILS(bind(s, (void *)&any, 8), EINVAL);
	FAILS(bind(s, (void *)&any, 1), EINVAL);
	FAILS(bind(s, (void *)&any, 1000), EINVAL);
	FAILS(bind(s, (void *)8, sizeof any), EFAULT);
	FAILS(bind(s, (void *)&a6, sizeof a6), EAFNOSUPPORT);
	FAILS(bind(six, (void *)&a6, 16), EINVAL);
	FAILS(bind(u, (void *)&any, sizeof any), EINVAL);
	FAILS(connect(s, (void *)&any, 8), EINVAL);
	FAILS(connect(s, (void *)&a6, sizeof a6), EAFNOSUPPORT);
	FAILS(connect(six, (void *)&any, sizeof any), EINVAL);
	FAILS(connect(u, (void *)&un, offsetof(struct sockaddr_un, sun_path)), EINVAL);
	socklen_t len = -1;
	FAILS(getsockname(s, (void *)&a6, &len), EINVAL);
	len = 4; /* cut off, but the true length is told */
	memset(&a6, 0x55, sizeof a6);
	OK(getsockname(s, (void *)&a6, &len));
	CHECK(len == sizeof any && ((char *)&a6)[4] == 0x55);
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "making"))
		making();
	else if (story(argc, argv, "kinds"))
		kinds();
	else if (story(argc, argv, "unconnected"))
		unconnected();
	else if (story(argc, argv, "listening"))
		listening();
	else if (story(argc, argv, "addresses"))
		addresses();
	else if (story(argc, argv, "sigpipe"))
		return (int)send(make(AF_INET, SOCK_STREAM), &byte, 1, 0);
	return 0;
}
