#include "peer/places.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * Above the range from which Linux takes ports for outgoing connections (by default), so that nothing comes
 * in between.
 */
#define FIRST_PORT 61000u
#define PORTS (65536u - FIRST_PORT)

static bool can_bind(int family, int type, u16 port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	int fd = socket(family, type | SOCK_CLOEXEC, 0), only = 1, ret;
	if (fd < 0)
		return errno == EAFNOSUPPORT;
	if (family == AF_INET) {
		ret = bind(fd, (struct sockaddr *)&in, sizeof(in));
	} else {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
		ret = bind(fd, (struct sockaddr *)&in6, sizeof(in6));
	}
	close(fd);
	return ret == 0;
}

static bool is_free(u16 port)
{
	return can_bind(AF_INET, SOCK_STREAM, port) && can_bind(AF_INET6, SOCK_STREAM, port) &&
	       can_bind(AF_INET, SOCK_DGRAM, port) && can_bind(AF_INET6, SOCK_DGRAM, port);
}

/*
 * A port that is free may be chosen by another run of heddle before a server listens there, or between two
 * starts of one. So whoever has chosen it holds an abstract name. A descriptor, -1: another has it.
 */
static int claim(u16 port)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int n = snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, "heddle-port-%u", port);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&a,
			    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void places_release(struct places *s)
{
	for (size_t i = 0; i < s->places; i++)
		if (s->place[i].port)
			close(s->place[i].claim);
	s->places = 0;
}

static bool is_ours(const struct places *s, u16 port)
{
	for (size_t i = 0; i < s->places; i++)
		if (s->place[i].stands_at == port)
			return true;
	return false;
}

/* From a random one on, lest two runs that start together choose the same; 0: none. */
static u16 free_port(const struct places *s, int *held)
{
	u32 start = 0;
	ssize_t n = getrandom(&start, sizeof(start), 0);
	if (n != (ssize_t)sizeof(start))
		start = (u32)getpid() * 64;
	for (u32 i = 0; i < PORTS; i++) {
		u16 port = (u16)(FIRST_PORT + (start + i) % PORTS);
		if (is_ours(s, port) || (*held = claim(port)) < 0)
			continue;
		if (is_free(port))
			return port;
		close(*held);
	}
	return 0;
}

static struct place *new_place(struct places *s, u32 server, struct problem *p)
{
	struct place *l = &s->place[s->places];
	if (s->places == PLACES_MAX) {
		problem_set(p, "the servers name more than %d ports and paths", PLACES_MAX);
		return NULL;
	}
	memset(l, 0, sizeof(*l));
	l->server = server;
	return l;
}

const struct place *places_port(struct places *s, u16 port, u32 server, struct problem *p)
{
	for (size_t i = 0; i < s->places; i++)
		if (s->place[i].port == port)
			return &s->place[i];
	struct place *l = new_place(s, server, p);
	if (!l)
		return NULL;
	l->port = port;
	l->stands_at = free_port(s, &l->claim);
	if (!l->stands_at) {
		problem_set(p, "no free port from %u on to stand for port %u", FIRST_PORT, port);
		return NULL;
	}
	s->places++;
	return l;
}

static int make_folder(struct places *s, struct problem *p)
{
	const char *tmp = getenv("TMPDIR");
	if (s->folder[0])
		return 0;
	/* A socket's path has room for 107 bytes. */
	if (!tmp || strlen(tmp) > 40)
		tmp = "/tmp";
	snprintf(s->folder, sizeof(s->folder), "%s/heddle-XXXXXX", tmp);
	if (mkdtemp(s->folder))
		return 0;
	s->folder[0] = 0;
	return problem_set(p, "no folder for sockets in %s (%s); set TMPDIR", tmp, strerror(errno));
}

static bool is_path(const struct place *l, const char *name, size_t len)
{
	return !l->port && strlen(l->name) == len && !memcmp(l->name, name, len);
}

const struct place *places_path(struct places *s, const char *name, size_t len, u32 server, struct problem *p)
{
	for (size_t i = 0; i < s->places; i++)
		if (is_path(&s->place[i], name, len))
			return &s->place[i];
	struct place *l = new_place(s, server, p);
	if (!l || make_folder(s, p))
		return NULL;
	if (len == 0 || len >= sizeof(l->name)) {
		problem_set(p, "server %u: a socket's path has 1 to %zu bytes", server, sizeof(l->name) - 1);
		return NULL;
	}
	memcpy(l->name, name, len);
	s->places++;
	return l;
}

int place_path(const struct places *s, const struct place *l, char *out, size_t cap)
{
	return snprintf(out, cap, s->set ? "%s/%zu.%u" : "%s/%zu", s->folder, (size_t)(l - s->place) + 1,
			s->set);
}

/* A server of ours stands for the port on whatever machine; it is on this one. */
static void to_loopback(struct net_address *a)
{
	static const u8 v4[4] = {127, 0, 0, 1}, mapped[12] = {[10] = 0xff, [11] = 0xff};
	if (a->family == NET_INET) {
		if (a->ip[0] != 127)
			memcpy(a->ip, v4, sizeof(v4));
	} else if (!memcmp(a->ip, mapped, sizeof(mapped))) {
		if (a->ip[12] != 127)
			memcpy(a->ip + 12, v4, sizeof(v4));
	} else {
		memset(a->ip, 0, sizeof(a->ip));
		a->ip[15] = 1;
	}
}

const struct place *places_find(const struct places *s, const struct net_address *to,
				struct net_address *physical)
{
	for (size_t i = 0; i < s->places; i++) {
		const struct place *l = &s->place[i];
		if (to->family == NET_UNIX ? !is_path(l, to->path, strnlen(to->path, to->path_len))
					   : !l->port || l->port != to->port)
			continue;
		*physical = *to;
		if (to->family == NET_UNIX) {
			memset(physical->path, 0, sizeof(physical->path));
			physical->path_len = (u16)place_path(s, l, physical->path, sizeof(physical->path));
		} else {
			physical->port = l->stands_at;
			to_loopback(physical);
		}
		return l;
	}
	return NULL;
}
