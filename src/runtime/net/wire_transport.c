#include "runtime/net/wire_transport.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/pages.h"
#include "base/sys.h"
#include "runtime/rt.h"
#include "runtime/sched/sched.h"
#include "wire/wire.h"

static struct pages_vec whole; /* a reply that came in several parts */
static u64 expected;           /* of the next exchange */

static void (*on_wait)(bool waits);

void wire_transport_on_wait(void (*wait)(bool waits))
{
	on_wait = wait;
}

/* Should the controller die meanwhile, the kernel kills this process (PR_SET_PDEATHSIG). */
static void ask(struct wire_net *n)
{
	const u64 one = 1;
	u32 mine = n->request + 1;
	__atomic_store_n(&n->request, mine, __ATOMIC_RELEASE);
	sys_call3(SYS_write, WIRE_BELL_FD, (long)&one, sizeof(one));
	on_wait(true);
	for (;;) {
		u32 seen = __atomic_load_n(&n->reply, __ATOMIC_ACQUIRE);
		if (seen == mine)
			break;
		sys_call6(SYS_futex, (long)&n->reply, FUTEX_WAIT, seen, 0, 0, 0);
	}
	on_wait(false);
}

static struct wire_net *request(enum net_op op, u32 conn)
{
	struct wire_net *n = &rt_worker->net;
	n->op = op;
	n->conn = conn;
	n->client = n->flags = n->group = 0;
	n->len = n->expected = 0;
	return n;
}

/* The real one. */
static u64 now_s(void)
{
	struct {
		long seconds, nanoseconds;
	} t = {0, 0};
	sys_call3(SYS_clock_gettime, 0 /* CLOCK_REALTIME */, (long)&t, 0);
	return (u64)t.seconds;
}

static void answer(struct wire_net *n, struct transport_reply *r)
{
	*r = (struct transport_reply){.status = n->status,
				      .conn = n->conn,
				      .flags = n->flags,
				      .group = n->group,
				      .client = n->client,
				      .data = n->data,
				      .now = now_s(),
				      .len = n->len,
				      .saved = n->saved,
				      .text = n->text};
}

static void wire_open(void *self, const struct tree_key *k, struct transport_reply *r)
{
	struct wire_net *n = request(NET_OPEN, 0);
	(void)self;
	n->to = k->to;
	n->client = k->client;
	n->flags = k->joint ? NET_JOINT : 0;
	ask(n);
	answer(n, r);
}

/*
 * More than the request holds goes in parts; only the last one waits for the peer. False: trouble, told in
 * *r.
 */
static bool send_parts(u32 conn, const u8 *data, u64 size, bool end, struct transport_reply *r)
{
	u64 sent = 0;
	do {
		struct wire_net *n = request(NET_EXCHANGE, conn);
		n->len = HD_MIN(size - sent, (u64)NET_DATA);
		if (n->len)
			memcpy(n->data, data + sent, n->len);
		sent += n->len;
		n->flags = sent < size ? NET_MORE : end ? NET_END : 0;
		n->expected = sent < size ? 0 : expected;
		ask(n);
		answer(n, r);
	} while (!r->status && sent < size);
	return !r->status;
}

static void collect_parts(u32 conn, struct transport_reply *r)
{
	whole.len = 0;
	for (;;) {
		void *to = pages_vec_push(&whole, r->len);
		hd_assert(to);
		memcpy(to, r->data, r->len);
		if (!(r->flags & NET_MORE) || r->status)
			break;
		struct wire_net *n = request(NET_EXCHANGE, conn);
		ask(n);
		answer(n, r);
	}
	r->data = whole.data;
	r->len = whole.len;
}

static void wire_exchange(void *self, u32 conn, const void *data, u64 n, bool end, struct transport_reply *r)
{
	(void)self;
	bool done = send_parts(conn, data, n, end, r);
	expected = 0;
	if (done && (r->flags & NET_MORE))
		collect_parts(conn, r);
}

static void wire_expect(void *self, u64 bytes)
{
	(void)self;
	expected = bytes;
}

static void wire_await(void *self, u32 conn, struct transport_reply *r)
{
	struct wire_net *n = request(NET_EXCHANGE, conn);
	(void)self;
	n->flags = NET_PATIENT;
	ask(n);
	answer(n, r);
	if (!r->status && (r->flags & NET_MORE))
		collect_parts(conn, r);
}

static void wire_close(void *self, u32 conn)
{
	(void)self;
	ask(request(NET_CLOSE, conn));
}

static void wire_next(void *self, u32 conn, struct transport_reply *r)
{
	struct wire_net *n = request(NET_NEXT, conn);
	(void)self;
	ask(n);
	answer(n, r);
}

static void wire_save(void *self, u32 conn, struct transport_reply *r)
{
	struct wire_net *n = request(NET_SAVE, conn);
	(void)self;
	ask(n);
	answer(n, r);
}

static void wire_restore(void *self, u64 saved, struct transport_reply *r)
{
	struct wire_net *n = request(NET_RESTORE, 0);
	(void)self;
	n->saved = saved;
	ask(n);
	answer(n, r);
}

static void wire_drop(void *self, u64 saved)
{
	struct wire_net *n = request(NET_DROP, 0);
	(void)self;
	n->saved = saved;
	ask(n);
}

static u64 wire_now(void *self)
{
	(void)self;
	return monotonic_ns();
}

const struct transport *wire_transport(void)
{
	static const struct transport t = {.open = wire_open,
					   .exchange = wire_exchange,
					   .expect = wire_expect,
					   .close = wire_close,
					   .next = wire_next,
					   .await = wire_await,
					   .save = wire_save,
					   .restore = wire_restore,
					   .drop = wire_drop,
					   .now = wire_now};
	return &t;
}
