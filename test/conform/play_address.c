#include "play_address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PORTS 2
static in_port_t port[PORTS]; /* network order */

static bool is_free(in_port_t p, int type)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_port = p};
	int fd = socket(AF_INET6, type, 0);
	bool free = fd >= 0 && !bind(fd, (struct sockaddr *)&a, sizeof(a));
	close(fd);
	return free;
}

/* Below those that the kernel gives away: no socket of a sequence gets one of them by chance. */
void address_setup(void)
{
	unsigned next = 10000 + (unsigned)getpid() * 2 % 20000;
	for (int i = 0; i < PORTS; next++) {
		if (next == 32768) {
			fprintf(stderr, "no free port\n");
			exit(2);
		}
		port[i] = htons((in_port_t)next);
		i += is_free(port[i], SOCK_STREAM) && is_free(port[i], SOCK_DGRAM);
	}
}

static socklen_t address4(union any_address *a, in_addr_t ip, in_port_t p)
{
	a->in = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = p, .sin_addr = {htonl(ip)}};
	return sizeof(a->in);
}

static socklen_t address6(union any_address *a, struct in6_addr ip, in_port_t p)
{
	a->in6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = p, .sin6_addr = ip};
	return sizeof(a->in6);
}

static socklen_t address_unix(union any_address *a, const char *name, size_t n)
{
	a->un = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(a->un.sun_path, name, n);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
}

static socklen_t abstract_address(union any_address *a)
{
	char name[32] = {0};
	int n = snprintf(name + 1, sizeof(name) - 1, "conform-%d", (int)getpid());
	return address_unix(a, name, (size_t)n + 1);
}

socklen_t address_make(unsigned i, union any_address *a)
{
	const struct in6_addr any6 = IN6ADDR_ANY_INIT, loop6 = IN6ADDR_LOOPBACK_INIT;
	const struct in6_addr mapped = {{{[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1}}};
	memset(a, 0, sizeof(*a));
	switch (i) {
	case 0:
	case 1:
		return address4(a, INADDR_LOOPBACK, port[i]);
	case 2:
		return address4(a, INADDR_ANY, port[0]);
	case 3:
		return address4(a, INADDR_LOOPBACK, 0);
	case 4:
		return address6(a, loop6, port[0]);
	case 5:
		return address6(a, any6, port[1]);
	case 6:
		return address6(a, mapped, port[0]);
	case 7:
	case 8:
		return address_unix(a, i == 7 ? "s1" : "s2", 3);
	case 9:
		return address_unix(a, "none/s", 7);
	case 10:
		return abstract_address(a);
	case 11:
		return address_unix(a, "a", 2);
	case 12:
		return address_unix(a, "", 0);
	case 13:
		return address4(a, INADDR_LOOPBACK, port[0]) - 4;
	case 14:
		a->sa.sa_family = AF_UNSPEC;
		return sizeof(a->in);
	case 15:
		a->sa.sa_family = 77;
		return sizeof(a->in);
	case 16:
		return address_unix(a, "s1", 2); /* without its zero */
	default:
		return 1;
	}
}

in_port_t address_plain_port(in_port_t p)
{
	for (int i = 0; i < PORTS; i++)
		if (p == port[i])
			return (in_port_t)(i + 1);
	return p ? 99 : 0;
}

in_port_t address_port(const union any_address *a)
{
	return a->sa.sa_family == AF_INET    ? a->in.sin_port
	       : a->sa.sa_family == AF_INET6 ? a->in6.sin6_port
					     : 0;
}
