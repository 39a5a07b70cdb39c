/*
 * net_joint.h: an address inside a joint conversation (wire_net.h, NET_JOINT_CONNECT): its length, then its
 * bytes, the same for the same address.
 */
#ifndef HEDDLE_WIRE_NET_JOINT_H
#define HEDDLE_WIRE_NET_JOINT_H

#include "wire/wire_net.h"

/* The time of NET_JOINT_CLOCK, from the symbols behind it: n bytes, of which some may be missing. */
static inline u64 net_joint_clock(const u8 *symbols, u64 n)
{
	u64 ns = 0;
	for (u32 i = 0; i < NET_JOINT_CLOCK_BYTES && NET_JOINT_SYMBOL * (i + 1) <= n; i++)
		ns |= (u64)symbols[NET_JOINT_SYMBOL * i + 1] << 8 * i;
	return ns;
}

#define NET_PACKED_HEAD 5u
#define NET_PACKED_MAX (NET_PACKED_HEAD + 108u)

/* How many bytes it took. */
static inline u32 net_address_pack(const struct net_address *a, u8 out[NET_PACKED_MAX])
{
	const u8 *from = a->family == NET_UNIX ? (const u8 *)a->path : a->ip;
	u32 n = a->family == NET_UNIX ? a->path_len : a->family == NET_INET6 ? 16 : 4;
	n = HD_MIN(n, (u32)sizeof(a->path));
	out[0] = (u8)(NET_PACKED_HEAD + n);
	out[1] = (u8)a->family;
	out[2] = (u8)a->type;
	out[3] = (u8)(a->port >> 8);
	out[4] = (u8)a->port;
	for (u32 i = 0; i < n; i++)
		out[NET_PACKED_HEAD + i] = from[i];
	return NET_PACKED_HEAD + n;
}

/* False: that is no address. */
static inline bool net_address_unpack(const u8 *in, u32 n, struct net_address *a)
{
	*a = (struct net_address){0};
	if (n < NET_PACKED_HEAD || in[0] != n || n > NET_PACKED_MAX)
		return false;
	u32 len = n - NET_PACKED_HEAD;
	a->family = in[1];
	a->type = in[2];
	a->port = (u16)(in[3] << 8 | in[4]);
	bool local = a->family == NET_UNIX;
	if (!local && len > sizeof(a->ip))
		return false;
	a->path_len = local ? (u16)len : 0;
	for (u32 i = 0; i < len; i++)
		if (local)
			a->path[i] = (char)in[NET_PACKED_HEAD + i];
		else
			a->ip[i] = in[NET_PACKED_HEAD + i];
	return true;
}

#endif
