/* Addresses and bytes, for people. */
#include "cache_priv.h"

#define SHOWN_HEAD 60u
#define SHOWN_TAIL 60u

static void put_ipv6(struct text *t, const u8 *ip)
{
	text_str(t, "[");
	for (u32 i = 0; i < 16; i += 2) {
		char digits[8];
		struct text group;
		u32 value = (u32)ip[i] << 8 | ip[i + 1], shift = 12;
		text_init(&group, digits, sizeof digits);
		while (shift && !(value >> shift))
			shift -= 4;
		for (;; shift -= 4) {
			text_bytes(&group, &"0123456789abcdef"[value >> shift & 15], 1);
			if (!shift)
				break;
		}
		text_str(t, i ? ":" : "");
		text_str(t, digits);
	}
	text_str(t, "]");
}

static void put_address(struct text *t, const struct net_address *a)
{
	if (a->family == NET_UNIX) {
		why_put_bytes(t, (const u8 *)a->path, HD_MIN(a->path_len, sizeof a->path));
		return;
	}
	if (a->family == NET_INET6)
		put_ipv6(t, a->ip);
	for (u32 i = 0; a->family != NET_INET6 && i < 4; i++) {
		text_str(t, i ? "." : "");
		text_dec(t, a->ip[i]);
	}
	text_str(t, ":");
	text_dec(t, a->port);
}

void why_put_key(struct text *t, const struct tree_key *k)
{
	if (k->client) {
		text_str(t, "the connection of client ");
		text_dec(t, k->client);
		text_str(t, " to ");
	} else {
		text_str(t, "the connection to ");
	}
	put_address(t, &k->to);
	if (k->owner && !k->client) {
		text_str(t, " (opened by thread ");
		text_dec(t, (long)k->owner);
		if (k->instance) {
			text_str(t, ", simultaneous connection ");
			text_dec(t, (long)k->instance + 1);
		}
		text_str(t, ")");
	}
}

void why_put_bytes(struct text *t, const u8 *data, u64 n)
{
	bool whole = n <= SHOWN_HEAD + SHOWN_TAIL;
	text_str(t, "\"");
	text_escaped(t, data, whole ? n : SHOWN_HEAD);
	if (!whole) {
		text_str(t, "\" ... ");
		text_dec(t, (long)(n - SHOWN_HEAD - SHOWN_TAIL));
		text_str(t, " bytes ... \"");
		text_escaped(t, data + n - SHOWN_TAIL, SHOWN_TAIL);
	}
	text_str(t, "\"");
}
