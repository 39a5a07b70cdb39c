/*
 * socket_names.c: bind, getsockname and getpeername: ports the kernel chooses, ports that are taken, names in the file
 * system and abstract ones, IPv4 in IPv6.
 *
 * heddle: verdict=verified args=chosen
 * heddle: verdict=verified args=taken
 * heddle: verdict=verified args=families
 * heddle: verdict=verified args=unix
 * heddle: verdict=verified args=abstract
 * heddle: verdict=verified outcomes=1 args=race
 * native: args=chosen
 * native: args=taken
 * native: args=families
 * native: args=unix
 * native: args=abstract
 * native: args=race
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "guest.h"

static struct sockaddr_in ip4(unsigned host, int port)
{
	return (struct sockaddr_in){AF_INET, htons(port), {htonl(host)}, {0}};
}

static int make(int family, int type, int reuse)
{
	int s = socket(family, type, 0);
	if (reuse)
		OK(setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse));
	return s;
}

static int bind4(int s, unsigned host, int port)
{
	struct sockaddr_in a = ip4(host, port);
	return bind(s, (void *)&a, sizeof a);
}

static int port_of(int s)
{
	struct sockaddr_in6 a = {0};
	socklen_t len = sizeof a;
	OK(getsockname(s, (void *)&a, &len));
	CHECK(len == (a.sin6_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof a));
	return ntohs(a.sin6_port);
}

static void chosen(void)
{
	int a = make(AF_INET, SOCK_STREAM, 0), b = make(AF_INET, SOCK_STREAM, 0),
	    c = make(AF_INET6, SOCK_STREAM, 0);
	CHECK(port_of(a) == 0 && port_of(c) == 0);
	OK(bind4(a, INADDR_LOOPBACK, 0));
	OK(listen(b, 1));
	OK(listen(c, 1));
	CHECK(port_of(a) && port_of(b) && port_of(c));
	CHECK(port_of(a) != port_of(b) && port_of(b) != port_of(c));
	FAILS(bind4(a, INADDR_LOOPBACK, 0), EINVAL);
	FAILS(bind4(b, INADDR_LOOPBACK, 0), EINVAL);
}

static void taken(void)
{
	int a = make(AF_INET, SOCK_STREAM, 0), b = make(AF_INET, SOCK_STREAM, 0),
	    c = make(AF_INET, SOCK_DGRAM, 0);
	OK(bind4(a, INADDR_ANY, 0));
	int port = port_of(a);
	FAILS(bind4(b, INADDR_ANY, port), EADDRINUSE);
	FAILS(bind4(b, INADDR_LOOPBACK, port), EADDRINUSE);
	OK(bind4(c, INADDR_LOOPBACK, port)); /* another protocol */
	OK(close(a));
	OK(bind4(b, INADDR_LOOPBACK, port));
	OK(bind4(make(AF_INET, SOCK_STREAM, 0), INADDR_LOOPBACK + 1, port));

	int d = make(AF_INET, SOCK_STREAM, 1), e = make(AF_INET, SOCK_STREAM, 1),
	    f = make(AF_INET, SOCK_STREAM, 1);
	OK(bind4(d, INADDR_ANY, 0));
	OK(bind4(e, INADDR_ANY, port_of(d)));
	OK(listen(d, 1));
	FAILS(listen(e, 1), EADDRINUSE);
	FAILS(bind4(f, INADDR_ANY, port_of(d)), EADDRINUSE);
}

static void families(void)
{
	int six = make(AF_INET6, SOCK_STREAM, 0), only = make(AF_INET6, SOCK_STREAM, 0);
	struct sockaddr_in6 a = {.sin6_family = AF_INET6};
	OK(bind(six, (void *)&a, sizeof a));
	FAILS(bind4(make(AF_INET, SOCK_STREAM, 0), INADDR_ANY, port_of(six)), EADDRINUSE);
	FAILS(setsockopt(six, IPPROTO_IPV6, IPV6_V6ONLY, &(int){1}, sizeof(int)), EINVAL);
	OK(setsockopt(only, IPPROTO_IPV6, IPV6_V6ONLY, &(int){1}, sizeof(int)));
	OK(bind(only, (void *)&a, sizeof a));
	OK(bind4(make(AF_INET, SOCK_STREAM, 0), INADDR_ANY, port_of(only)));
}

static void in_the_file_system(void)
{
	int a = socket(AF_UNIX, SOCK_STREAM, 0), b = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "here"}, got;
	socklen_t len = sizeof got;
	struct stat st;
	OK(getsockname(a, (void *)&got, &len));
	CHECK(len == offsetof(struct sockaddr_un, sun_path) && got.sun_family == AF_UNIX);
	OK(bind(a, (void *)&name, sizeof name));
	len = sizeof got;
	OK(getsockname(a, (void *)&got, &len));
	CHECK(len == offsetof(struct sockaddr_un, sun_path) + 5 && !strcmp(got.sun_path, "here"));
	OK(stat("here", &st));
	CHECK(S_ISSOCK(st.st_mode));
	FAILS(open("here", O_RDONLY), ENXIO);
	FAILS(bind(b, (void *)&name, sizeof name), EADDRINUSE);
	FAILS(connect(b, (void *)&name, sizeof name), ECONNREFUSED);
	OK(unlink("here"));
	FAILS(connect(b, (void *)&name, sizeof name), ENOENT);
	OK(bind(b, (void *)&name, sizeof name));
	OK(close(b)); /* the name stays */
	FAILS(connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&name, sizeof name), ECONNREFUSED);
	OK(unlink("here"));
}

static void abstract(void)
{
	int a = socket(AF_UNIX, SOCK_STREAM, 0), b = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un name = {.sun_family = AF_UNIX}, got;
	socklen_t len = offsetof(struct sockaddr_un, sun_path) + 16, size = sizeof got;
	snprintf(name.sun_path + 1, 15, "heddle%d", getpid());
	OK(bind(a, (void *)&name, len));
	OK(getsockname(a, (void *)&got, &size));
	CHECK(size == len && !memcmp(&got, &name, len));
	FAILS(bind(b, (void *)&name, len), EADDRINUSE);
	OK(close(a));
	OK(bind(b, (void *)&name, len));
	int c = socket(AF_UNIX, SOCK_STREAM, 0);
	OK(bind(c, (void *)&name, sizeof(sa_family_t))); /* a name of the kernel's choice */
	size = sizeof got;
	OK(getsockname(c, (void *)&got, &size));
	CHECK(size == offsetof(struct sockaddr_un, sun_path) + 6 && !got.sun_path[0]);
}

static int wanted;

static void *binder(void *arg)
{
	int s = make(AF_INET, SOCK_STREAM, 0);
	return (void *)(long)(bind4(s, INADDR_LOOPBACK, wanted) == 0 || arg);
}

/* Two want the same port: exactly one gets it, whoever comes first. */
static void race(void)
{
	int s = make(AF_INET, SOCK_STREAM, 0);
	OK(bind4(s, INADDR_LOOPBACK, 0));
	wanted = port_of(s);
	OK(close(s));
	pthread_t a = spawn(binder, NULL), b = spawn(binder, NULL);
	heddle_outcome((join(a) != NULL) + (join(b) != NULL));
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "chosen"))
		chosen();
	else if (story(argc, argv, "taken"))
		taken();
	else if (story(argc, argv, "families"))
		families();
	else if (story(argc, argv, "unix"))
		in_the_file_system();
	else if (story(argc, argv, "abstract"))
		abstract();
	else if (story(argc, argv, "race"))
		race();
	return 0;
}
