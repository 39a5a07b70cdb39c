/*
 * sockdiag.c: questions to NETLINK_SOCK_DIAG. One socket is asked for by its addresses (TCP, UDP) or its
 * inode (UNIX), not searched in a dump: that takes microseconds on a machine with thousands of connections,
 * too.
 */
#include "broker/sockdiag.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

int sockdiag_open(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	return fd < 0 ? -errno : fd;
}

union diag_answer {
	struct nlmsghdr header;
	u8 bytes[16384];
};

static ssize_t ask(int nl, const void *question, size_t len, union diag_answer *a)
{
	ssize_t n;
	a->header = (struct nlmsghdr){0};
	if (send(nl, question, len, 0) < 0)
		return -errno;
	do
		n = recv(nl, a, sizeof(*a), 0);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* 1: an answer of at least this size; 0: no such socket. */
static int answered(const union diag_answer *a, ssize_t n, size_t size)
{
	const struct nlmsgerr *e = (const void *)(a->bytes + NLMSG_HDRLEN);
	if (n < 0)
		return (int)n;
	if (n < (ssize_t)sizeof(a->header))
		return -EPROTO;
	if (a->header.nlmsg_type == NLMSG_ERROR)
		return e->error == -ENOENT || e->error == -ECONNREFUSED ? 0
		       : e->error < 0                                   ? e->error
									: -EPROTO;
	return a->header.nlmsg_len >= NLMSG_LENGTH(size) ? 1 : -EPROTO;
}

static void put_address(const struct sockaddr_storage *s, __be16 *port, __be32 ip[4])
{
	const struct sockaddr_in *v4 = (const void *)s;
	const struct sockaddr_in6 *v6 = (const void *)s;
	if (s->ss_family == AF_INET) {
		*port = v4->sin_port;
		ip[0] = v4->sin_addr.s_addr;
	} else {
		*port = v6->sin6_port;
		memcpy(ip, &v6->sin6_addr, 16);
	}
}

/* The attribute of this type behind a message's fixed part. */
static const void *attribute(const union diag_answer *a, size_t fixed, u16 type, size_t *size)
{
	const struct rtattr *r = (const void *)(a->bytes + NLMSG_SPACE(fixed));
	int left = (int)(a->header.nlmsg_len - NLMSG_SPACE(fixed));
	for (; RTA_OK(r, left); r = RTA_NEXT(r, left))
		if (r->rta_type == type) {
			*size = RTA_PAYLOAD(r);
			return RTA_DATA(r);
		}
	return NULL;
}

static void take_counts(const union diag_answer *a, struct sockdiag_end *out)
{
	size_t size;
	struct tcp_info info = {0};
	const void *found = attribute(a, sizeof(struct inet_diag_msg), INET_DIAG_INFO, &size);
	if (!found || size < offsetof(struct tcp_info, tcpi_bytes_retrans) + sizeof(info.tcpi_bytes_retrans))
		return;
	memcpy(&info, found, HD_MIN(size, sizeof(info)));
	out->counted = true;
	out->received = info.tcpi_bytes_received;
	out->sent = info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
	out->unsent = info.tcpi_notsent_bytes;
}

int sockdiag_inet(int nl, int protocol, const struct sockaddr_storage *there,
		  const struct sockaddr_storage *here, struct sockdiag_end *out)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 body;
	} q = {.header = {.nlmsg_len = sizeof(q),
			  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST},
	       .body = {.sdiag_family = (u8)there->ss_family,
			.sdiag_protocol = (u8)protocol,
			.idiag_ext = 1 << (INET_DIAG_INFO - 1),
			.idiag_states = ~0u,
			.id.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}};
	union diag_answer a;
	const struct inet_diag_msg *m = (const void *)(a.bytes + NLMSG_HDRLEN);
	/*
	 * The kernel takes the addresses of UDP as a datagram to that socket has them: the other way round.
	 */
	if (protocol == IPPROTO_UDP) {
		put_address(here, &q.body.id.idiag_sport, q.body.id.idiag_src);
		put_address(there, &q.body.id.idiag_dport, q.body.id.idiag_dst);
	} else {
		put_address(there, &q.body.id.idiag_sport, q.body.id.idiag_src);
		put_address(here, &q.body.id.idiag_dport, q.body.id.idiag_dst);
	}
	int r = answered(&a, ask(nl, &q, sizeof(q), &a), sizeof(*m));
	if (r <= 0)
		return r;
	*out = (struct sockdiag_end){.state = m->idiag_state,
				     .inode = m->idiag_inode,
				     .unread = m->idiag_rqueue,
				     .unacked = m->idiag_wqueue};
	take_counts(&a, out);
	return 1;
}

int sockdiag_unix_peer(int nl, u64 inode, u64 *peer)
{
	struct {
		struct nlmsghdr header;
		struct unix_diag_req body;
	} q = {.header = {.nlmsg_len = sizeof(q),
			  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST},
	       .body = {.sdiag_family = AF_UNIX,
			.udiag_states = ~0u,
			.udiag_ino = (u32)inode,
			.udiag_show = UDIAG_SHOW_PEER,
			.udiag_cookie = {~0u, ~0u}}};
	union diag_answer a;
	size_t size;
	int r = answered(&a, ask(nl, &q, sizeof(q), &a), sizeof(struct unix_diag_msg));
	if (r <= 0)
		return r;
	const u32 *found = attribute(&a, sizeof(struct unix_diag_msg), UNIX_DIAG_PEER, &size);
	if (!found || size < sizeof(*found))
		return 0;
	*peer = *found;
	return 1;
}

/* What is looked for among the listening sockets: the one with this inode, or all on this port. */
struct listeners {
	u64 inode;
	u16 port;
	u64 *found;
	size_t cap, count;
};

static void note_listener(struct listeners *l, const struct inet_diag_msg *m)
{
	u16 port = ntohs(m->id.idiag_sport);
	if (l->inode && m->idiag_inode == l->inode)
		l->port = port;
	else if (!l->inode && port == l->port && l->count < l->cap)
		l->found[l->count++] = m->idiag_inode;
}

/* Goes through one part of a dump; true: the last one. */
static bool in_dump(const union diag_answer *a, ssize_t n, struct listeners *l)
{
	const struct nlmsghdr *h = &a->header;
	size_t left = (size_t)HD_MAX(n, 0);
	for (; NLMSG_OK(h, left); h = NLMSG_NEXT(h, left)) {
		if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR)
			return true;
		note_listener(l, NLMSG_DATA(h));
	}
	return n <= 0;
}

static void listeners_of(int nl, u8 family, struct listeners *l)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 body;
	} q = {.header = {.nlmsg_len = sizeof(q),
			  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
	       .body = {.sdiag_family = family,
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_states = 1u << STATE_LISTEN}};
	union diag_answer a = {.header = {0}};
	ssize_t n = ask(nl, &q, sizeof(q), &a);
	while (n > 0 && !in_dump(&a, n, l))
		n = recv(nl, &a, sizeof(a), 0);
}

u16 sockdiag_listens(int nl, u64 inode)
{
	struct listeners l = {.inode = inode};
	listeners_of(nl, AF_INET, &l);
	if (!l.port)
		listeners_of(nl, AF_INET6, &l);
	return l.port;
}

size_t sockdiag_listeners(int nl, u16 port, u64 *inode, size_t cap)
{
	struct listeners l = {.port = port, .found = inode, .cap = cap};
	listeners_of(nl, AF_INET, &l);
	listeners_of(nl, AF_INET6, &l);
	return l.count;
}
