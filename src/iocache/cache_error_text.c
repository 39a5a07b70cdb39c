/* Addresses and bytes, for people. */
#include "cache_priv.h"

#define SHOWN_HEAD 60u
#define SHOWN_TAIL 60u

void error_put_address(struct text *t, const struct net_address *a)
{
	if (a->family == NET_UNIX) {
		error_put_bytes(t, (const u8 *)a->path, HD_MIN(a->path_len, sizeof(a->path)));
		return;
	}
	if (a->family == NET_INET6) {
		for (u32 i = 0; i < 16; i += 2)
			text_fmt(t, "%s%x", i ? ":" : "[", (u32)a->ip[i] << 8 | a->ip[i + 1]);
		text_fmt(t, "]:%u", a->port);
	} else {
		text_fmt(t, "%u.%u.%u.%u:%u", a->ip[0], a->ip[1], a->ip[2], a->ip[3], a->port);
	}
}

void error_put_key(struct text *t, const struct tree_key *k)
{
	if (k->joint && !k->client) {
		text_str(t, "the connections to the server peers");
		return;
	}
	if (k->client)
		text_fmt(t, "the connection%s of client %u to ", k->joint ? "s" : "", k->client);
	else
		text_str(t, "the connection to ");
	error_put_address(t, &k->to);
	if (!k->owner || k->client)
		return;
	text_fmt(t, " (opened by thread %u", k->owner);
	if (k->instance)
		text_fmt(t, ", simultaneous connection %u", k->instance + 1);
	text_str(t, ")");
}

void error_put_bytes(struct text *t, const u8 *data, u64 n)
{
	bool whole = n <= SHOWN_HEAD + SHOWN_TAIL;
	text_str(t, "\"");
	text_escaped(t, data, whole ? n : SHOWN_HEAD);
	if (!whole) {
		text_fmt(t, "\" ... %lu bytes ... \"", n - SHOWN_HEAD - SHOWN_TAIL);
		text_escaped(t, data + n - SHOWN_TAIL, SHOWN_TAIL);
	}
	text_str(t, "\"");
}
