/*
 * sock_addr.c: addresses: from and to the SUT, what they mean, and who holds them (bind, getsockname,
 * getpeername).
 *
 * Any address of the host's can be bound, whatever the host does with it. A port is an object by which fibers
 * meet (OBJECT_PORT): who binds, listens or lets go changes it, who connects uses it. A path is a name in the
 * virtual file system, and met there.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/un.h>

#include "runtime/vkernel/files/overlay.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

#define PATH_AT offsetof(struct sockaddr_un, sun_path)
#define IN6_MIN 24 /* without the scope, as old programs have it */
#define ADDRESS_MAX 128

static const u8 mapped[12] = {[10] = 0xff, [11] = 0xff};
static const u8 loopback4[4] = {127, 0, 0, 1}, loopback6[16] = {[15] = 1}, none[16];

/* ---- from and to the SUT ---- */

static u16 swap(u16 port)
{
	return __builtin_bswap16(port);
}

static void inet_in(const struct sockaddr_in *a, struct net_address *out)
{
	out->port = swap(a->sin_port);
	memcpy(out->ip, &a->sin_addr, 4);
}

static void inet6_in(const struct sockaddr_in6 *a, struct net_address *out)
{
	out->port = swap(a->sin6_port);
	memcpy(out->ip, &a->sin6_addr, 16);
}

static long unix_in(const struct sockaddr_un *a, long len, struct net_address *out)
{
	size_t n = (size_t)len - PATH_AT;
	if (len < (long)PATH_AT || len > (long)sizeof(*a))
		return -EINVAL;
	if (n && a->sun_path[0])
		for (n = 0; n < (size_t)len - PATH_AT && a->sun_path[n];)
			n++;
	out->path_len = (u16)n;
	memcpy(out->path, a->sun_path, n);
	return 0;
}

/* IPv4 addresses are good for IPv6 sockets only where no connection is made. */
static long ip_in(const struct vk_sock *s, u64 user, long len, struct net_address *out)
{
	bool four = out->family == NET_INET && (s->family == NET_INET || s->type == NET_DGRAM);
	long least = four || s->family == NET_INET ? (long)sizeof(struct sockaddr_in) : IN6_MIN;
	if (len < least)
		return -EINVAL;
	if (!four && out->family != s->family)
		return -EAFNOSUPPORT;
	if (four)
		inet_in((const void *)user, out);
	else
		inet6_in((const void *)user, out);
	return 0;
}

long sock_address_check(u64 user, long len)
{
	if (len < 0 || len > ADDRESS_MAX)
		return -EINVAL;
	return vk_user_ok(user, (size_t)len) ? 0 : -EFAULT;
}

long sock_address_in(const struct vk_sock *s, u64 user, long len, struct net_address *out)
{
	long err = sock_address_check(user, len);
	if (err)
		return err;
	if (len < (long)sizeof(u16))
		return -EINVAL;
	struct net_address a = {.family = *(const u16 *)user, .type = s->type};
	if (a.family == AF_UNSPEC_)
		a.type = 0;
	else if (s->family == NET_UNIX)
		err = a.family == NET_UNIX ? unix_in((const void *)user, len, &a) : -EINVAL;
	else
		err = ip_in(s, user, len, &a);
	if (!err)
		*out = a;
	return err;
}

union sockaddr_any {
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

_Static_assert(sizeof(union sockaddr_any) > sizeof(struct sockaddr_un), "room for a zero behind a path");

static u32 fill(const struct net_address *a, union sockaddr_any *out)
{
	memset(out, 0, sizeof(*out));
	switch (a->family) {
	case NET_INET:
		out->in = (struct sockaddr_in){.sin_family = NET_INET, .sin_port = swap(a->port)};
		memcpy(&out->in.sin_addr, a->ip, 4);
		return sizeof(out->in);
	case NET_INET6:
		out->in6 = (struct sockaddr_in6){.sin6_family = NET_INET6, .sin6_port = swap(a->port)};
		memcpy(&out->in6.sin6_addr, a->ip, 16);
		return sizeof(out->in6);
	case NET_UNIX:
		out->un.sun_family = NET_UNIX;
		memcpy(out->un.sun_path, a->path, a->path_len);
		/*
		 * A name in the file system is told with the zero that ends it, for which the union has room.
		 */
		return (u32)PATH_AT + a->path_len + (a->path_len && a->path[0]);
	default:
		return 0;
	}
}

long sock_address_out(const struct net_address *a, u64 user, u64 user_len)
{
	static union sockaddr_any any;
	if (!vk_user_out_ok(user_len, sizeof(int)))
		return -EFAULT;
	int room = *(int *)user_len;
	if (room < 0)
		return -EINVAL;
	u32 len = fill(a, &any), n = HD_MIN(len, (u32)room);
	if (n && !vk_user_out_ok(user, n))
		return -EFAULT;
	memcpy((void *)user, &any, n);
	*(int *)user_len = (int)len;
	return 0;
}

/* ---- what they mean ---- */

static bool is_mapped(const struct net_address *a)
{
	return a->family == NET_INET6 && !memcmp(a->ip, mapped, sizeof(mapped));
}

bool sock_address_is_any(const struct net_address *a)
{
	return !memcmp(a->ip, none, sizeof(none));
}

struct net_address sock_address_plain(const struct net_address *a)
{
	HD_WIDE_FRAME();
	struct net_address p = *a;
	if (is_mapped(a)) {
		p.family = NET_INET;
		memset(p.ip, 0, sizeof(p.ip));
		memcpy(p.ip, a->ip + 12, 4);
	}
	if (p.family == NET_INET && sock_address_is_any(&p))
		memcpy(p.ip, loopback4, sizeof(loopback4));
	if (p.family == NET_INET6 && sock_address_is_any(&p))
		memcpy(p.ip, loopback6, sizeof(loopback6));
	return p;
}

bool sock_address_reaches(const struct net_address *local, const struct net_address *to)
{
	if (local->type != to->type)
		return false;
	if (local->family == NET_UNIX || to->family == NET_UNIX)
		return local->family == to->family && local->path_len && local->path_len == to->path_len &&
		       !memcmp(local->path, to->path, to->path_len);
	struct net_address there = sock_address_plain(to), here = sock_address_plain(local);
	if (here.port != there.port)
		return false;
	if (sock_address_is_any(local)) /* :: takes IPv4, too */
		return local->family == there.family || local->family == NET_INET6;
	return here.family == there.family && !memcmp(here.ip, there.ip, sizeof(here.ip));
}

bool sock_is_cut_off(const struct vk_sock *s, const struct net_address *to)
{
	return is_mapped(to) && sock_option(s, SOCK_ONLY_IPV6);
}

bool sock_is_reached(const struct vk_sock *s, const struct net_address *to)
{
	if (!s->bound || !sock_address_reaches(&s->local, to))
		return false;
	bool four = sock_address_plain(to).family == NET_INET;
	return four ? !sock_option(s, SOCK_ONLY_IPV6) : !s->was_four;
}

bool sock_hears(const struct vk_sock *s, const struct net_address *from)
{
	struct net_address there = sock_address_plain(from), here = sock_address_plain(&s->local);
	struct net_address remote = sock_address_plain(&s->remote);
	if (!sock_address_is_any(&s->local) && here.family != there.family)
		return false;
	if (!s->remote.family)
		return there.family == NET_INET || !s->was_four;
	return remote.family == there.family && remote.port == there.port &&
	       !memcmp(remote.ip, there.ip, sizeof(there.ip));
}

static void describe_ip4(const u8 *ip, struct text *t)
{
	for (u32 i = 0; i < 4; i++) {
		text_str(t, i ? "." : "");
		text_dec(t, ip[i]);
	}
}

static void describe_ip6(const u8 *ip, struct text *t)
{
	static const char digits[] = "0123456789abcdef";
	text_str(t, "[");
	if (!memcmp(ip, none, 15)) { /* :: and ::1 */
		text_str(t, ip[15] ? "::" : "::]");
		if (ip[15])
			text_dec(t, ip[15]);
	}
	for (u32 i = 0; i < 16 && memcmp(ip, none, 15) != 0; i++) {
		char c[2] = {digits[ip[i] >> 4], digits[ip[i] & 15]};
		text_str(t, i && i % 2 == 0 ? ":" : "");
		text_bytes(t, c, 2);
	}
	text_str(t, ip[15] || memcmp(ip, none, 15) != 0 ? "]" : "");
}

void sock_describe_address(const struct net_address *a, struct text *t)
{
	if (a->family == NET_UNIX) {
		bool abstract = a->path_len && !a->path[0];
		text_str(t, abstract ? "@" : a->path_len ? "" : "a socket without a name");
		text_bytes(t, a->path + abstract, a->path_len - abstract);
		return;
	}
	if (a->family == NET_INET)
		describe_ip4(a->ip, t);
	else
		describe_ip6(a->ip, t);
	text_str(t, ":");
	text_dec(t, a->port);
}

/* ---- ports ---- */

static u64 port_object(const struct net_address *a)
{
	return object_id(OBJECT_PORT, (u64)a->type << 16 | a->port);
}

void sock_describe_port(u64 key, struct text *t)
{
	text_str(t, key & 0xffff ? "port " : "the names of sockets");
	if (key & 0xffff)
		text_dec(t, (long)(key & 0xffff));
}

static HD_NOINLINE bool touch_port(struct vk_call *c, const struct net_address *a, enum access_mode mode)
{
	bool known = a->family == NET_UNIX ? a->path_len : a->port != 0;
	return known && vk_touch(c, port_object(a), mode);
}

void sock_port_look(struct vk_call *c, const struct net_address *a)
{
	touch_port(c, a, ACCESS_READ);
}

void sock_declare_port(const struct net_address *a, enum access_mode mode)
{
	if (a->family == NET_UNIX ? a->path_len : a->port)
		vk_declare(port_object(a), mode);
}

void sock_port_change(struct vk_call *c, const struct net_address *a)
{
	if (!touch_port(c, a, ACCESS_WRITE))
		return;
	vk_order(c, port_object(a), ACCESS_WRITE);
	touch_port(c, a, ACCESS_WRITE);
}

/* Do two bound sockets want the same? */
static bool overlap(const struct vk_sock *s, const struct vk_sock *other)
{
	const struct net_address *a = &s->local, *b = &other->local;
	if (a->type != b->type || a->port != b->port || b->family == NET_UNIX)
		return false;
	if (a->family != b->family && !is_mapped(a) && !is_mapped(b)) {
		const struct vk_sock *six = a->family == NET_INET6 ? s : other;
		return sock_address_is_any(&six->local) && !sock_option(six, SOCK_ONLY_IPV6);
	}
	return sock_address_is_any(a) || sock_address_is_any(b) || sock_address_reaches(a, b);
}

static bool agree(const struct vk_sock *s, const struct vk_sock *other)
{
	bool listens = other->flavour == SOCK_LISTEN && !(other->shut & SHUT_READ);
	if (sock_option(s, SOCK_REUSE_PORT) && sock_option(other, SOCK_REUSE_PORT))
		return true;
	return !listens && sock_option(s, SOCK_REUSE_ADDRESS) && sock_option(other, SOCK_REUSE_ADDRESS);
}

bool sock_port_taken(const struct vk_sock *s)
{
	for (u32 i = 0; i < vk->desc_limit; i++) {
		const struct vk_sock *other = &vk->sock[i];
		if (other != s && other->bound && overlap(s, other) && !agree(s, other))
			return true;
	}
	return false;
}

void sock_bind_ephemeral(struct vk_desc *d, const struct net_address *to)
{
	struct vk_sock *s = sock_of(d);
	if (s->family == NET_UNIX)
		return; /* stays without a name */
	sock_declare(s);
	sock_names_change(s);
	s->local.family = s->family;
	s->local.type = s->type;
	if (!s->bound) {
		s->local.port = (u16)(SOCK_EPHEMERAL + vk_desc_slot(d));
		s->bound = 1;
		sock_declare_port(&s->local, ACCESS_WRITE);
	}
	if (!to || !sock_address_is_any(&s->local))
		return;
	if (s->family == NET_INET) {
		memcpy(s->local.ip, loopback4, sizeof(loopback4));
	} else if (is_mapped(to) || to->family == NET_INET) {
		memcpy(s->local.ip, mapped, sizeof(mapped));
		memcpy(s->local.ip + 12, loopback4, sizeof(loopback4));
	} else {
		memcpy(s->local.ip, loopback6, sizeof(loopback6));
	}
}
