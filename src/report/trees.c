#include "report/trees.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/text.h"
#include "report/trees_walk.h"

static const struct trees_format formats[] = {
	{"text", false, trees_text},
	{"dot", false, trees_dot},
	{"pcap", true, trees_pcap},
};

const struct trees_format *trees_format_by_name(const char *name)
{
	for (size_t i = 0; i < HD_ARRAY_LEN(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

const char *cache_mode_name(u32 mode)
{
	static const char *const names[] = {"branching", "linear", "none"};

	return mode < HD_ARRAY_LEN(names) ? names[mode] : "unknown";
}

/* The abstract name of a UNIX socket starts with a zero byte; people write @. */
static void socket_name(const struct net_address *a, char *out, size_t cap)
{
	size_t n = HD_MIN((size_t)a->path_len, sizeof(a->path));
	struct text t;

	text_init(&t, out, cap);
	if (n && !a->path[0]) {
		text_str(&t, "@");
		text_escaped(&t, a->path + 1, n - 1);
	} else {
		text_escaped(&t, a->path, strnlen(a->path, n));
	}
}

void tree_address(const struct net_address *a, char *out, size_t cap)
{
	char ip[INET6_ADDRSTRLEN] = "?", path[4 * sizeof(a->path) + 2];

	if (a->family == NET_UNIX) {
		socket_name(a, path, sizeof(path));
		snprintf(out, cap, "socket %s", path);
		return;
	}
	inet_ntop(a->family == NET_INET6 ? AF_INET6 : AF_INET, a->ip, ip, sizeof(ip));
	snprintf(out, cap, a->family == NET_INET6 ? "[%s]:%u" : "%s:%u", ip, a->port);
}

void tree_title(const struct tree_key *k, char *out, size_t cap)
{
	const char *datagrams = k->to.type == NET_STREAM ? "" : ", datagrams";
	char address[512], again[60] = "";

	tree_address(&k->to, address, sizeof(address));
	if (k->owner && k->instance)
		snprintf(again, sizeof(again), " by thread %u, connection %u", k->owner, k->instance + 1);
	else if (k->owner)
		snprintf(again, sizeof(again), " by thread %u", k->owner);
	else if (k->instance)
		snprintf(again, sizeof(again), ", connection %u", k->instance + 1);
	else if (k->joint && k->client)
		snprintf(again, sizeof(again), ", all its connections");
	if (k->joint && !k->client)
		snprintf(out, cap, "all connections to the server peers");
	else if (k->client && k->to.family == NET_UNIX)
		snprintf(out, cap, "client %u of %s%s%s", k->client, address, again, datagrams);
	else if (k->client)
		snprintf(out, cap, "client %u of port %u%s%s", k->client, k->to.port, again, datagrams);
	else
		snprintf(out, cap, "to %s%s%s", address, again, datagrams);
}

u32 tree_traces(const struct trees *t, u32 tree)
{
	u32 n = 0;

	for (u32 i = 0; i < branches_count(t); i++) {
		struct branch_view b;

		branch_get(t, i, &b);
		n += b.tree == tree && tree_trace_ends(t, i);
	}
	return n;
}
