#include "broker/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

socklen_t address_to_kernel(const struct net_address *a, struct sockaddr_storage *out)
{
	struct sockaddr_in *v4 = (void *)out;
	struct sockaddr_in6 *v6 = (void *)out;
	struct sockaddr_un *un = (void *)out;
	memset(out, 0, sizeof(*out));
	out->ss_family = a->family;
	switch (a->family) {
	case NET_INET:
		v4->sin_port = htons(a->port);
		memcpy(&v4->sin_addr, a->ip, 4);
		return sizeof(*v4);
	case NET_INET6:
		v6->sin6_port = htons(a->port);
		memcpy(&v6->sin6_addr, a->ip, 16);
		return sizeof(*v6);
	case NET_UNIX:
		if (a->path_len > sizeof(un->sun_path))
			return 0;
		memcpy(un->sun_path, a->path, a->path_len);
		return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + a->path_len);
	default:
		return 0;
	}
}

const char *address_text(const struct net_address *a, char out[ADDRESS_TEXT])
{
	char ip[INET6_ADDRSTRLEN] = "?";
	const char *udp = a->type == NET_DGRAM ? "UDP " : "";
	if (a->family == NET_UNIX) {
		bool abstract = a->path_len && !a->path[0];
		snprintf(out, ADDRESS_TEXT, "UNIX socket %s%.*s", abstract ? "@" : "",
			 (int)a->path_len - abstract, a->path + abstract);
		return out;
	}
	inet_ntop(a->family, a->ip, ip, sizeof(ip));
	snprintf(out, ADDRESS_TEXT, a->family == NET_INET6 ? "%s[%s]:%u" : "%s%s:%u", udp, ip, a->port);
	return out;
}
