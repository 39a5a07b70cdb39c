/*
 * client_listener.c: where client peers connect to: one listener for each address of the SUT's, on a port of
 * our own (the SUT's may be taken on this machine), or at a path in a folder of our own.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "broker/address.h"
#include "broker/broker_priv.h"

#define BACKLOG 128

static bool is_same(const struct net_address *a, const struct net_address *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static int make_folder(struct broker *b)
{
	if (b->folder[0])
		return 0;
	const char *tmp = getenv("TMPDIR");
	if (!tmp || strlen(tmp) > 32)
		tmp = "/tmp";
	snprintf(b->folder, sizeof(b->folder), "%s/heddle-XXXXXX", tmp);
	if (mkdtemp(b->folder))
		return 0;
	int error = errno;
	b->folder[0] = 0;
	return -error;
}

/* Loopback, whatever address the SUT bound: nobody else is to connect. */
static int choose_address(struct broker *b, const struct net_address *sut, struct net_address *out)
{
	static u32 paths;
	memset(out, 0, sizeof(*out));
	out->family = sut->family;
	out->type = sut->type;
	if (sut->family == NET_INET) {
		out->ip[0] = 127;
		out->ip[3] = 1;
	} else if (sut->family == NET_INET6) {
		out->ip[15] = 1;
	} else {
		int err = make_folder(b);
		if (err)
			return err;
		out->path_len = (u16)(snprintf(out->path, sizeof(out->path), "%s/%u", b->folder, ++paths) +
				      1);
	}
	return 0;
}

static void take_port(int fd, struct net_address *a)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} s = {.v6 = {0}};
	socklen_t len = sizeof(s);
	if (a->family == NET_UNIX || getsockname(fd, &s.any, &len))
		return;
	a->port = ntohs(a->family == NET_INET ? s.v4.sin_port : s.v6.sin6_port);
}

/*
 * The ports that were taken for the SUT's addresses before, in this run of heddle: clients tell the port they
 * connect to (HTTP's Host), so those that are started again find the same one.
 */
#define PORTS_KEPT 16
static struct kept_port {
	struct net_address sut;
	u16 port;
} kept_port[PORTS_KEPT];

static struct kept_port *kept_port_of(const struct net_address *sut)
{
	for (u32 i = 0; i < PORTS_KEPT; i++) {
		if (!kept_port[i].port)
			kept_port[i].sut = *sut;
		if (is_same(&kept_port[i].sut, sut))
			return &kept_port[i];
	}
	return NULL;
}

static int bind_at(struct net_address *a)
{
	struct sockaddr_storage s;
	socklen_t len = address_to_kernel(a, &s);
	if (!len)
		return -EAFNOSUPPORT;
	int fd = socket(a->family, a->type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	int on = 1;
	/*
	 * Connections that ended a moment ago don't matter, if they have that option as well: from the
	 * listening socket, which has it from the beginning. Not before a port is chosen, or that might be
	 * somebody else's.
	 */
	int failed = a->port ? setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) : 0;
	failed |= bind(fd, (struct sockaddr *)&s, len);
	if (!failed && !a->port)
		failed = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (failed || (a->type == NET_STREAM && listen(fd, BACKLOG))) {
		int error = errno;
		close(fd);
		return -error;
	}
	take_port(fd, a);
	return fd;
}

/* A descriptor that is bound at *physical, in the place of the SUT's address; or -errno. */
static int listen_for(struct broker *b, const struct net_address *sut, struct net_address *physical)
{
	int err = choose_address(b, sut, physical);
	if (err)
		return err;
	struct kept_port *kept = sut->family == NET_UNIX ? NULL : kept_port_of(sut);
	int fd = -EADDRINUSE;
	if (kept && kept->port) {
		physical->port = kept->port;
		fd = bind_at(physical);
		physical->port = fd < 0 ? 0 : physical->port;
	}
	if (fd < 0)
		fd = bind_at(physical);
	if (fd >= 0 && kept)
		kept->port = physical->port;
	return fd;
}

/* The same port of ::1, for clients of a program that listens on all addresses of IPv6. -1: there is none. */
static int listen_on_ipv6(const struct net_address *physical)
{
	struct net_address a = {.family = NET_INET6, .type = physical->type, .port = physical->port};
	a.ip[15] = 1;
	int fd = bind_at(&a);
	return fd < 0 ? -1 : fd;
}

int client_listener_for(struct broker *b, const struct net_address *sut, struct client_listener **out,
			struct problem *p)
{
	char name[ADDRESS_TEXT];
	for (struct client_listener *l = b->listeners; l; l = l->next)
		if (is_same(&l->sut, sut)) {
			*out = l;
			return 0;
		}
	if (sut->type != NET_STREAM) {
		problem_set(p, "client peers connect by streams; %s is none", address_text(sut, name));
		return -EINVAL;
	}
	struct net_address physical;
	int fd = listen_for(b, sut, &physical);
	if (fd < 0) {
		problem_set(p, "no place to listen for the clients of %s: %s", address_text(sut, name),
			    strerror(-fd));
		return fd;
	}
	struct client_listener *l = calloc(1, sizeof(*l));
	hd_assert(l != NULL);
	*l = (struct client_listener){
		.next = b->listeners, .sut = *sut, .physical = physical, .fd = fd, .fd6 = -1};
	if (sut->family == NET_INET && sut->path_len)
		l->fd6 = listen_on_ipv6(&physical);
	*out = b->listeners = l;
	return 0;
}

/* For one client alone: whatever comes there is the client's, from the first datagram on. */
int client_listener_datagrams(struct broker *b, const struct net_address *sut, struct net_address *physical,
			      struct problem *p)
{
	char name[ADDRESS_TEXT];
	if (sut->family == NET_UNIX) {
		problem_set(p, "client peers send datagrams to ports; %s is none", address_text(sut, name));
		return -EINVAL;
	}
	int fd = listen_for(b, sut, physical);
	if (fd < 0)
		problem_set(p, "no place for the datagrams of %s: %s", address_text(sut, name),
			    strerror(-fd));
	return fd;
}

int client_listener_accept(const struct client_listener *l)
{
	int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0 && errno == EAGAIN && l->fd6 >= 0)
		fd = accept4(l->fd6, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

bool client_listener_pending(const struct broker *b)
{
	for (const struct client_listener *l = b->listeners; l; l = l->next) {
		struct pollfd p[2] = {{.fd = l->fd, .events = POLLIN}, {.fd = l->fd6, .events = POLLIN}};
		if (poll(p, 2, 0) > 0)
			return true;
	}
	return false;
}

void client_listener_free_all(struct broker *b)
{
	for (struct client_listener *l; (l = b->listeners);) {
		b->listeners = l->next;
		close(l->fd);
		if (l->fd6 >= 0)
			close(l->fd6);
		if (l->physical.family == NET_UNIX)
			unlink(l->physical.path);
		free(l);
	}
	if (b->folder[0])
		rmdir(b->folder);
	b->folder[0] = 0;
}
