/*
 * transfer.c: bytes to and from a peer. Sending never waits without receiving: a peer that writes while we
 * write would otherwise wait for us while we wait for it.
 */
#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "broker/broker_priv.h"

#define CHUNK 65536
#define YIELDS 4 /* looks before the first sleep: a fast peer answers within microseconds */
#define DELAY_MAX_US 500
#define AWAIT_MS 50

u8 *transfer_room(struct bytes *s, size_t more)
{
	if (s->cap - s->len < more) {
		s->cap = HD_MAX(2 * s->cap, s->len + more);
		s->data = realloc(s->data, s->cap);
		hd_assert(s->data != NULL);
	}
	return s->data + s->len;
}

static void put_length(u8 *at, u32 len)
{
	for (u32 i = 0; i < NET_FRAME_HEAD; i++)
		at[i] = (u8)(len >> 8 * i);
}

static u32 get_length(const u8 *at)
{
	return (u32)at[0] | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24;
}

static bool would_wait(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static ssize_t receive(struct connection *c, u8 *to)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	ssize_t n = recvfrom(c->fd, to, CHUNK, MSG_DONTWAIT, (struct sockaddr *)&from, &len);
	if (n >= 0 && c->from_len && (len != c->from_len || memcmp(&from, &c->from, len)))
		c->another = true;
	return n;
}

static bool drain_once(struct connection *c)
{
	size_t head = c->framed ? NET_FRAME_HEAD : 0;
	u8 *at = transfer_room(&c->reply, CHUNK + head);
	ssize_t n = receive(c, at + head);
	if (n < 0) {
		c->reset |= !would_wait(errno);
		return false;
	}
	if (n == 0 && !c->framed) {
		c->eof = true;
		return false;
	}
	if (c->framed)
		put_length(at, (u32)n);
	c->reply.len += (size_t)n + head;
	return true;
}

/*
 * A peer that writes in small pieces waits for our acknowledgement (Nagle): it is not to wait for the delayed
 * one.
 */
static void acknowledge(const struct connection *c)
{
	if (c->to.family != NET_UNIX && !c->framed)
		setsockopt(c->fd, IPPROTO_TCP, TCP_QUICKACK, &(int){1}, sizeof(int));
}

/* Who writes to a peer that has closed gets a reset, which reading does not show. */
static void notice_reset(struct connection *c)
{
	int error = 0;
	socklen_t len = sizeof(error);
	if (c->eof && getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error)
		c->reset = true;
}

bool transfer_drain(struct connection *c)
{
	size_t before = c->reply.len;
	int over = c->eof + c->reset;
	while (!c->eof && !c->reset && c->reply.len - c->given < REPLY_MAX && drain_once(c))
		;
	if (c->reply.len != before)
		acknowledge(c);
	notice_reset(c);
	return c->reply.len != before || c->eof + c->reset != over;
}

bool transfer_lost(const struct connection *c)
{
	u32 info[SK_MEMINFO_VARS] = {0};
	socklen_t len = sizeof(info);
	return c->framed && getsockopt(c->fd, SOL_SOCKET, SO_MEMINFO, info, &len) == 0 &&
	       info[SK_MEMINFO_DROPS];
}

void transfer_pause(const struct connection *c, short events, u32 *delay_us)
{
	struct pollfd p = {.fd = c && !c->eof && !c->reset ? c->fd : -1, .events = events};
	struct timespec t = {.tv_nsec = *delay_us * 1000L};
	if (*delay_us < YIELDS) {
		sched_yield();
		*delay_us += 1;
		return;
	}
	if (ppoll(&p, 1, &t, NULL) > 0)
		*delay_us = 0;
	else
		*delay_us = HD_MIN(*delay_us * 2, DELAY_MAX_US);
}

void transfer_await(struct broker *b, const struct connection *c)
{
	struct pollfd p = {.fd = c->fd, .events = POLLIN | POLLRDHUP};
	u64 start = monotonic_ms();
	standing_hold(b, c, false); /* time is to pass */
	while (!c->eof && !c->reset && monotonic_ms() - start < b->options.peer_timeout_ms &&
	       !broker_interrupted(b) && poll(&p, 1, AWAIT_MS) == 0)
		;
}

/* What to hand to the kernel next; 0: nothing more (part of a datagram waits for the rest). */
static size_t next_part(const struct connection *c, const u8 **part)
{
	const u8 *at = c->unsent.data + c->out;
	size_t left = c->unsent.len - c->out, whole;
	*part = at;
	if (!c->framed || !left)
		return left;
	whole = left < NET_FRAME_HEAD ? left + 1 : NET_FRAME_HEAD + (size_t)get_length(at);
	*part = at + NET_FRAME_HEAD;
	return left < whole ? 0 : whole;
}

/* A peer that has gone away is told by reset. False: nothing went out. */
static bool push(struct connection *c)
{
	const u8 *part;
	size_t size = next_part(c, &part), head = c->framed ? NET_FRAME_HEAD : 0;
	const struct sockaddr *to = c->from_len ? (const struct sockaddr *)&c->from : NULL;
	ssize_t n = sendto(c->fd, part, size - head, MSG_DONTWAIT | MSG_NOSIGNAL, to, c->from_len);
	if (n < 0) {
		c->reset |= !would_wait(errno) && errno != ENOBUFS;
		return false;
	}
	c->sent += (u64)n;
	c->out += (size_t)n + head;
	return true;
}

/* Nothing goes out. Status: 0 as long as there is hope. */
static int stalled(struct broker *b, struct connection *c, u64 start, u64 *asleep_since, struct wire_net *n)
{
	u64 now = monotonic_ms();
	char name[200];
	if (broker_interrupted(b))
		return reply_error(n, NET_ERROR_TOOL, "interrupted while sending to a peer");
	if (!c->procs || !quiet_asleep(c->procs->q))
		*asleep_since = now;
	connection_text(c, name, sizeof(name));
	if (c->procs &&
	    now - *asleep_since >= (quiet_has_periodic(c->procs->q) ? SETTLE_PERIODIC_MS : SETTLE_MS))
		return reply_error(n, NET_ERROR_STUCK,
				   "%s: the peer is at rest and does not read what is sent to it", name);
	if (now - start >= b->options.peer_timeout_ms)
		return reply_error(n, NET_ERROR_SLOW,
				   "%s: the peer did not read what was sent to it within %u ms", name,
				   b->options.peer_timeout_ms);
	return 0;
}

static int send_all(struct broker *b, struct connection *c, struct wire_net *n)
{
	u64 start = monotonic_ms(), asleep_since = start;
	const u8 *part;
	u32 delay = 0;
	int status = 0;
	while (!status && !c->reset && next_part(c, &part)) {
		if (push(c) || transfer_drain(c)) {
			start = asleep_since = monotonic_ms();
			delay = 0;
			continue;
		}
		transfer_pause(c, POLLIN | POLLOUT, &delay);
		if (delay == DELAY_MAX_US)
			status = stalled(b, c, start, &asleep_since, n);
	}
	return status;
}

int transfer_send(struct broker *b, struct connection *c, struct wire_net *n)
{
	return transfer_send_bytes(b, c, n->data, n->len, n);
}

int transfer_send_bytes(struct broker *b, struct connection *c, const u8 *data, size_t len,
			struct wire_net *n)
{
	if (!len)
		return 0;
	memcpy(transfer_room(&c->unsent, len), data, len);
	c->unsent.len += len;
	if (c->whole && !c->accepted && !c->framed) {
		memcpy(transfer_room(&c->early, len), data, len);
		c->early.len += len;
	}
	int status = send_all(b, c, n);
	if (c->reset || c->out == c->unsent.len)
		c->out = c->unsent.len = 0;
	return status;
}

/*
 * Of datagrams nobody is told of an end; and saved conversations have the same socket, which would be shut
 * down for them, too.
 */
void transfer_end(struct connection *c)
{
	if (c->to.type != NET_DGRAM)
		shutdown(c->fd, SHUT_WR);
	c->ended = true;
	c->asked = ~0ull; /* that is something to think about, too */
}

void transfer_deliver(struct connection *c, struct wire_net *n)
{
	size_t left = c->reply.len - c->given;
	n->len = HD_MIN(left, NET_DATA);
	if (n->len)
		memcpy(n->data, c->reply.data + c->given, n->len);
	c->given += n->len;
	n->flags = c->given < c->reply.len ? NET_MORE : c->answer;
	if (c->given == c->reply.len)
		c->given = c->reply.len = 0;
}
