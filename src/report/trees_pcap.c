/*
 * trees_pcap.c: a capture file for wireshark, tshark and tcpdump. Nobody captured these packets: each
 * trace, from the root of a tree to one of its ends, is laid out as a conversation of its own, told apart
 * by the port of the side that connects (10000, 10001 …). Whoever speaks in a trace speaks in a segment,
 * and every segment acknowledges all that came before. Each connection of a joint conversation is one of its
 * own, too. A UNIX socket becomes port 1 of this machine. The clock moves by a millisecond per packet.
 */
#include <arpa/inet.h>
#include <string.h>

#include "report/trees.h"
#include "report/trees_joint.h"
#include "report/trees_walk.h"

#define PCAP_MAGIC 0xa1b2c3d4u
#define LINKTYPE_RAW 101 /* packets start with an IP header, of either version */
#define SNAPLEN 262144
#define SEGMENT 1400
#define MOST_DATAGRAM 65000
#define UNIX_PORT 1
#define FIRST_PORT 10000
#define PORTS 50000

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16 };
enum { SUT = 0, PEER = 1 };

struct side {
	u8 ip[16];
	u16 port;
	u32 seq;       /* of the next byte */
	bool finished; /* has sent a FIN or RST */
};

/* A datagram that is not complete yet: four bytes of length, then its bytes. */
struct datagram {
	u8 bytes[4 + MOST_DATAGRAM];
	u32 have;
};

struct pcap_flow {
	struct side side[2];
	bool v6, open, refused;
};

struct capture {
	FILE *f;
	u64 packets;
	bool v6, datagrams;
	struct side *side; /* of the connection that speaks */
	struct datagram datagram[2];
	u32 connections; /* all there were: their numbers are ports */
	/* Of a joint conversation by number; of others the first. */
	struct pcap_flow all[NET_JOINT_MAX + 1];
	const struct tree_key *joint; /* NULL: it is none */
	u64 half[2];                  /* of a symbol, by side */
};

static void put16(u8 *to, u16 v)
{
	v = htons(v);
	memcpy(to, &v, sizeof(v));
}

static void put32(u8 *to, u32 v)
{
	v = htonl(v);
	memcpy(to, &v, sizeof(v));
}

/* The Internet checksum: ones' complement sum of 16-bit words. */
static u64 sum_words(const u8 *bytes, size_t n, u64 sum)
{
	for (size_t i = 0; i + 1 < n; i += 2)
		sum += (u64)bytes[i] << 8 | bytes[i + 1];
	return n % 2 ? sum + ((u64)bytes[n - 1] << 8) : sum;
}

static u16 checksum_of(u64 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (u16)~sum;
}

static size_t address_size(const struct capture *c)
{
	return c->v6 ? 16 : 4;
}

static size_t put_ip(const struct capture *c, u8 *to, const struct side *from, const struct side *dest,
		     u8 protocol, size_t payload)
{
	memset(to, 0, 40);
	if (c->v6) {
		to[0] = 0x60;
		put16(to + 4, (u16)payload);
		to[6] = protocol;
		to[7] = 64;
		memcpy(to + 8, from->ip, 16);
		memcpy(to + 24, dest->ip, 16);
		return 40;
	}
	to[0] = 0x45;
	put16(to + 2, (u16)(20 + payload));
	put16(to + 4, (u16)c->packets);
	put16(to + 6, 0x4000); /* don't fragment */
	to[8] = 64;
	to[9] = protocol;
	memcpy(to + 12, from->ip, 4);
	memcpy(to + 16, dest->ip, 4);
	put16(to + 10, checksum_of(sum_words(to, 20, 0)));
	return 20;
}

/* Header and payload of the upper protocol, its checksum field still zero; `at` is where that field is. */
static void send_packet(struct capture *c, int who, u8 protocol, u8 *packet, size_t n, size_t at)
{
	const struct side *from = &c->side[who], *dest = &c->side[!who];
	u8 ip[40];
	size_t size = address_size(c), head = put_ip(c, ip, from, dest, protocol, n);
	u64 sum = sum_words(from->ip, size, sum_words(dest->ip, size, protocol + n));
	u16 checksum = checksum_of(sum_words(packet, n, sum));
	const u32 record[4] = {(u32)(c->packets / 1000), (u32)(c->packets % 1000 * 1000), (u32)(head + n),
			       (u32)(head + n)};

	put16(packet + at, checksum ? checksum : 0xffff);
	fwrite(record, sizeof(record), 1, c->f);
	fwrite(ip, head, 1, c->f);
	fwrite(packet, n, 1, c->f);
	c->packets++;
}

static void send_segment(struct capture *c, int who, u8 flags, const u8 *data, size_t n)
{
	struct side *from = &c->side[who], *dest = &c->side[!who];
	u8 packet[20 + SEGMENT] = {0};

	put16(packet, from->port);
	put16(packet + 2, dest->port);
	put32(packet + 4, from->seq);
	if (flags & ACK)
		put32(packet + 8, dest->seq);
	packet[12] = 5 << 4;
	packet[13] = flags;
	put16(packet + 14, 0xffff); /* window */
	if (n)
		memcpy(packet + 20, data, n);
	send_packet(c, who, IPPROTO_TCP, packet, 20 + n, 16);
	from->seq += (u32)n + !!(flags & SYN) + !!(flags & FIN);
	from->finished |= flags & (FIN | RST);
}

static void send_datagram(struct capture *c, int who, const u8 *data, size_t n)
{
	static u8 packet[8 + MOST_DATAGRAM];

	memset(packet, 0, 8);
	put16(packet, c->side[who].port);
	put16(packet + 2, c->side[!who].port);
	put16(packet + 4, (u16)(8 + n));
	memcpy(packet + 8, data, n);
	send_packet(c, who, IPPROTO_UDP, packet, 8 + n, 6);
}

/* A trace may end within a datagram, and a fork may lie within one; longer ones than UDP has are cut. */
static void collect_datagrams(struct capture *c, int who, const u8 *bytes, u64 n)
{
	struct datagram *d = &c->datagram[who];
	u32 len;

	for (u64 i = 0; i < n; i++) {
		if (d->have < sizeof(d->bytes))
			d->bytes[d->have] = bytes[i];
		d->have++;
		if (d->have < 4)
			continue;
		memcpy(&len, d->bytes, sizeof(len));
		if (d->have - 4 < len)
			continue;
		send_datagram(c, who, d->bytes + 4, HD_MIN(len, MOST_DATAGRAM));
		d->have = 0;
	}
}

static void send_data(struct capture *c, int who, const u8 *bytes, u64 n)
{
	u64 part;

	if (c->datagrams) {
		collect_datagrams(c, who, bytes, n);
		return;
	}
	for (u64 at = 0; at < n; at += part) {
		part = HD_MIN(n - at, SEGMENT);
		send_segment(c, who, PSH | ACK, bytes + at, part);
	}
}

static void finish(struct capture *c, int who, u8 how)
{
	if (!c->side[who].finished)
		send_segment(c, who, how | ACK, NULL, 0);
}

static void set_loopback(bool v6, struct side *s)
{
	memset(s->ip, 0, sizeof(s->ip));
	if (v6) {
		s->ip[15] = 1;
	} else {
		s->ip[0] = 127;
		s->ip[3] = 1;
	}
}

/* The one that speaks from now on. Who listens has the address; any address ("0.0.0.0") is this machine's. */
static void set_connection(struct capture *c, struct pcap_flow *n, const struct net_address *to, bool client)
{
	static const u8 any[16];
	struct side *listens = &n->side[client ? SUT : PEER], *connects = &n->side[client ? PEER : SUT];

	*n = (struct pcap_flow){.v6 = to->family == NET_INET6};
	c->v6 = n->v6;
	c->side = n->side;
	set_loopback(n->v6, listens);
	set_loopback(n->v6, connects);
	connects->port = (u16)(FIRST_PORT + c->connections++ % PORTS);
	listens->port = to->family == NET_UNIX ? UNIX_PORT : to->port;
	if (to->family != NET_UNIX && memcmp(to->ip, any, address_size(c)))
		memcpy(listens->ip, to->ip, sizeof(listens->ip));
}

static void shake_hands(struct capture *c, struct pcap_flow *n, bool client)
{
	int first = client ? PEER : SUT;

	send_segment(c, first, SYN, NULL, 0);
	send_segment(c, !first, SYN | ACK, NULL, 0);
	send_segment(c, first, ACK, NULL, 0);
	n->open = true;
}

static void joint_event(struct capture *c, struct pcap_flow *n, const struct joint_part *p)
{
	if (p->event == NET_JOINT_EOF)
		finish(c, PEER, FIN);
	else if (p->event == NET_JOINT_RESET)
		finish(c, PEER, RST);
	else if (p->event == NET_JOINT_END || p->event == NET_JOINT_CLOSE)
		finish(c, SUT, FIN);
	if (p->event == NET_JOINT_CLOSE)
		n->open = false; /* its number may be used again */
}

struct speaker {
	struct capture *c;
	int who;
};

static void capture_part(void *self, const struct joint_part *p)
{
	const struct speaker *s = self;
	struct capture *c = s->c;
	struct pcap_flow *n = &c->all[p->number <= NET_JOINT_MAX ? p->number : 0];

	if (!p->number)
		return; /* time passes */
	if (p->event == NET_JOINT_CONNECT) {
		set_connection(c, n, p->to.family ? &p->to : &c->joint->to, false);
		return;
	}
	c->side = n->side;
	c->v6 = n->v6;
	if (p->event == NET_JOINT_REFUSED) {
		send_segment(c, SUT, SYN, NULL, 0);
		send_segment(c, PEER, RST | ACK, NULL, 0);
		n->refused = true; /* the error number follows */
	}
	if (n->refused)
		return;
	if (p->event == NET_JOINT_OPENED) {
		if (c->joint->client)
			set_connection(c, n, &c->joint->to, true);
		shake_hands(c, n, c->joint->client);
	}
	if (!n->open)
		return;
	if (p->event)
		joint_event(c, n, p);
	else
		send_data(c, s->who, p->bytes, p->len);
}

static void capture_event(void *self, const struct tree_event *e)
{
	struct capture *c = self;
	struct speaker s = {c, e->kind == TREE_WRITTEN ? SUT : PEER};

	if ((e->kind == TREE_WRITTEN || e->kind == TREE_SAID) && c->joint)
		joint_take_apart(&c->half[s.who], e->bytes, e->len, capture_part, &s);
	else if (e->kind == TREE_WRITTEN || e->kind == TREE_SAID)
		send_data(c, s.who, e->bytes, e->len);
	else if (c->datagrams || c->joint)
		return;
	else if (e->kind == TREE_ENDED)
		finish(c, SUT, FIN);
	else if (e->kind == TREE_CLOSED)
		finish(c, PEER, FIN);
	else if (e->kind == TREE_RESET)
		finish(c, PEER, RST);
}

static bool capture_trace(struct capture *c, const struct trees *t, const struct tree_key *k, u32 branch)
{
	struct tree_visitor v = {.self = c, .event = capture_event};

	memset(c->all, 0, sizeof(c->all));
	memset(c->half, 0, sizeof(c->half));
	c->datagram[SUT].have = c->datagram[PEER].have = 0;
	c->joint = k->joint ? k : NULL;
	c->datagrams = !k->joint && k->to.type != NET_STREAM;
	if (!k->joint)
		set_connection(c, &c->all[0], &k->to, k->client);
	if (!k->joint && !c->datagrams)
		shake_hands(c, &c->all[0], k->client);
	return tree_walk_trace(t, branch, &v);
}

bool trees_pcap(FILE *f, const struct trees *t)
{
	static struct capture c;
	const u32 magic = PCAP_MAGIC, rest[4] = {0, 0, SNAPLEN, LINKTYPE_RAW};
	const u16 version[2] = {2, 4};

	c = (struct capture){.f = f};
	fwrite(&magic, sizeof(magic), 1, f);
	fwrite(version, sizeof(version), 1, f);
	fwrite(rest, sizeof(rest), 1, f);
	for (u32 i = 0; i < branches_count(t); i++) {
		struct branch_view b;

		branch_get(t, i, &b);
		if (tree_trace_ends(t, i) && !capture_trace(&c, t, tree_key_of(t, b.tree), i))
			return false;
	}
	return true;
}
