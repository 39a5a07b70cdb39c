/*
 * sock_data.c: what a socket holds that was not yet read. Bytes lie at the front, zeros behind: what was read
 * leaves no trace. Messages with boundaries are records: a header, the sender's address as far as it is used,
 * the bytes.
 */
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

struct sock_record {
	u32 len;
	u32 address_len; /* 0: the sender has no name */
};

static u8 *data_of(const struct vk_sock *s)
{
	return vk->sock_data[s - vk->sock];
}

/* Unused bytes of an address are zero, and a path comes last. */
static u32 address_len(const struct net_address *a)
{
	return a && a->family ? (u32)offsetof(struct net_address, path) + a->path_len : 0;
}

u32 sock_data_room(const struct vk_sock *s)
{
	return SOCK_ROOM - s->held;
}

static void put(struct vk_sock *s, const void *from, u32 n)
{
	sock_declare(s);
	if (n)
		memcpy(data_of(s) + s->held, from, n);
	s->held += n;
}

u32 sock_data_put(struct vk_sock *s, struct vk_uio *u)
{
	sock_declare(s);
	u32 n = (u32)vk_uio_in(u, data_of(s) + s->held, sock_data_room(s));
	s->held += n;
	sock_wake(s, POLLIN | POLLRDNORM);
	return n;
}

u32 sock_data_get(const struct vk_sock *s, struct vk_uio *u)
{
	return (u32)vk_uio_out(u, data_of(s), s->held);
}

void sock_data_drop(struct vk_sock *s, u32 n)
{
	u8 *data = data_of(s);
	sock_declare(s);
	hd_assert(n <= s->held);
	memmove(data, data + n, s->held - n);
	memset(data + s->held - n, 0, n);
	bool full = !sock_data_room(s);
	s->held -= n;
	/* The Unix domain tells of every message that is read, TCP only where there was no room. */
	if (sock_partner(s) && n && (full || s->family == NET_UNIX))
		sock_wake(sock_partner(s), POLLOUT | POLLWRNORM);
}

/* ---- records ---- */

u64 sock_record_size(u64 bytes, const struct net_address *from)
{
	return sizeof(struct sock_record) + address_len(from) + bytes;
}

long sock_record_put(struct vk_sock *s, struct vk_uio *u, const struct net_address *from)
{
	struct sock_record r = {(u32)u->left, address_len(from)};
	if (!vk_uio_readable(u))
		return -EFAULT;
	hd_assert(sock_record_size(u->left, from) <= sock_data_room(s));
	put(s, &r, sizeof(r));
	put(s, from, r.address_len);
	sock_data_put(s, u);
	return r.len;
}

static struct sock_record first(const struct vk_sock *s)
{
	struct sock_record r;
	hd_assert(s->held >= sizeof(r));
	memcpy(&r, data_of(s), sizeof(r));
	return r;
}

u32 sock_record_len(const struct vk_sock *s)
{
	return first(s).len;
}

static void record_drop(struct vk_sock *s, const struct sock_record *r)
{
	sock_data_drop(s, (u32)sizeof(*r) + r->address_len + r->len);
}

long sock_record_take(struct vk_sock *s, struct vk_uio *u, u32 flags, struct net_address *from,
		      u32 *out_flags)
{
	struct sock_record r = first(s);
	const u8 *at = data_of(s) + sizeof(r);
	memcpy(from, at, r.address_len);
	u32 n = (u32)vk_uio_out(u, at + r.address_len, r.len);
	if (n < r.len && !u->faulted)
		*out_flags |= MSG_TRUNC_;
	if (!(flags & MSG_PEEK_))
		record_drop(s, &r); /* even if it had no place to go to */
	if (u->faulted)
		return -EFAULT;
	return flags & MSG_TRUNC_ ? r.len : n;
}

static void reverse(u8 *from, u8 *to)
{
	while (from < to) {
		u8 kept = *from;
		*from++ = *--to;
		*to = kept;
	}
}

void sock_record_overtake(struct vk_sock *s)
{
	u8 *data = data_of(s);
	u32 before = 0, last = 0;
	for (u32 at = 0; at < s->held;) {
		struct sock_record r;
		memcpy(&r, data + at, sizeof(r));
		before = last;
		last = at;
		at += (u32)sizeof(r) + r.address_len + r.len;
	}
	reverse(data + before, data + last); /* [a b] becomes [b a]: each backwards, then both */
	reverse(data + last, data + s->held);
	reverse(data + before, data + s->held);
}

u32 sock_record_count(const struct vk_sock *s, u32 *bytes)
{
	u32 n = 0;
	*bytes = 0;
	for (u32 at = 0; at < s->held; n++) {
		struct sock_record r;
		memcpy(&r, data_of(s) + at, sizeof(r));
		at += (u32)sizeof(r) + r.address_len + r.len;
		*bytes += r.len;
	}
	return n;
}
