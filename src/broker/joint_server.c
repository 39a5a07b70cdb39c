/*
 * joint_server.c: all connections to the server peers as one conversation of symbols (wire_net.h, NET_JOINT),
 * so that servers which remember what they were told are known by all that they were told. Each such
 * conversation has a set of servers to itself, processes that nobody else has ever spoken to; they end with
 * it.
 *
 * A connection that a server does not accept while it serves another one waits in the backlog, as it would:
 * that is its answer.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "broker/address.h"
#include "broker/broker_priv.h"
#include "wire/net_joint.h"

#define SET_MAX 64u /* server commands */

static struct peer_procs *procs_of_set(struct broker *b, u32 set)
{
	pid_t pid[SET_MAX];
	u32 n = b->peers.server_pids(b->peers.self, set, pid, SET_MAX);
	struct peer_procs *t = n ? peer_procs_of(b, pid[0]) : NULL;
	for (u32 i = 1; i < n; i++)
		quiet_add(t->q, pid[i]);
	return t;
}

int joint_server_open(struct broker *b, struct wire_net *n)
{
	struct problem p;
	u32 set = 0;
	if (b->connection_count >= NET_MAX_CONNS)
		return reply_full(n);
	if (!b->peers.take_servers)
		return reply_error(n, NET_ERROR_TOOL,
				   "there are no server peers that could be started again");
	if (b->saver)
		b->saver->prepare(b->saver->self, true);
	int failed = b->peers.take_servers(b->peers.self, b, &set, &p);
	if (b->saver)
		b->saver->prepare(b->saver->self, false);
	if (failed)
		return reply_error(n, NET_ERROR_TOOL, "%s", p.text);
	struct peer_procs *t = set ? procs_of_set(b, set) : NULL;
	if (!t)
		return reply_error(n, NET_ERROR_FULL, "there is no room for one more process of each server");
	if (b->saver)
		b->saver->adopt(b->saver->self, t->root);
	struct connection *c = connection_add(b, -1, &n->to);
	hd_assert(c != NULL); /* there was room */
	c->joint = true;
	c->set = set;
	c->procs = t;
	n->conn = c->id;
	n->group = t->group;
	return 0;
}

void joint_server_end(struct broker *b, u32 set)
{
	b->peers.end_servers(b->peers.self, b, set);
}

/* ---- connecting ---- */

static int add_part(struct broker *b, struct connection *whole, u32 number, const struct net_address *to,
		    int fd, struct wire_net *n)
{
	struct connection *c = connection_add(b, fd, to);
	if (!c) {
		close(fd);
		return reply_full(n);
	}
	c->whole = whole;
	c->number = number;
	c->procs = whole->procs;
	c->procs->uses++;
	whole->asked = ~0ull; /* one more connection: something to think about */
	return 0;
}

int joint_server_connect(struct broker *b, struct connection *whole, u32 number, const u8 *at, u64 len,
			 struct wire_net *n)
{
	u8 packed[NET_PACKED_MAX];
	struct net_address to;
	u64 bytes = len >= NET_JOINT_SYMBOL ? at[1] : 0;
	int fd = -1;
	if (!whole->set || !bytes || bytes > sizeof(packed) || NET_JOINT_SYMBOL * bytes > len)
		return reply_error(n, NET_ERROR_TOOL, "a connect of the program under test is damaged");
	for (u64 i = 0; i < bytes; i++)
		packed[i] = at[NET_JOINT_SYMBOL * i + 1];
	if (!net_address_unpack(packed, (u32)bytes, &to))
		return reply_error(n, NET_ERROR_TOOL, "the program under test connects to no address");
	/* Of one that has ended, a saved copy may still hold the socket at which it listened. */
	bool ended = !quiet_alive(whole->procs->q);
	int status = ended ? -ECONNREFUSED : server_dial(b, whole, &to, n, &fd);
	if (NET_IS_ERRNO(status)) {
		whole->refused[number] = (u16)-status;
		return n->status = 0;
	}
	return status ? status : add_part(b, whole, number, &to, fd, n);
}

/* ---- what they say ---- */

/*
 * How a peer has ended is told when nothing is left of it. Saved copies are left: they go, and the next one
 * is started again.
 */
static bool has_ended(struct broker *b, pid_t pid, int *how)
{
	if (b->saver)
		b->saver->forget(b->saver->self, pid);
	for (u32 i = 0; i < 200 && !broker_interrupted(b); i++) {
		if (b->peers.ended(b->peers.self, pid, how))
			return true;
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	return false;
}

static int ended_badly(struct broker *b, const struct connection *whole, struct wire_net *n)
{
	pid_t pid[SET_MAX];
	u32 count = b->peers.server_pids(b->peers.self, whole->set, pid, SET_MAX);
	for (u32 i = 0; i < count; i++) {
		int how = 0;
		if (!has_ended(b, pid[i], &how) || !how)
			continue;
		reply_error(n, NET_ERROR_NO_PEER, "a server peer has ended in the middle of the search");
		reply_add_exit(b, n, pid[i], how);
		return NET_ERROR_NO_PEER;
	}
	return 0;
}

int joint_server_collect(struct broker *b, struct connection *whole, struct wire_net *n)
{
	bool ends = false;
	for (u32 number = 1; number <= NET_JOINT_MAX; number++) {
		struct connection *c = joint_part(b, whole, number);
		if (whole->refused[number]) {
			joint_put_symbol(&whole->reply, (u8)(NET_JOINT_EVENT + number), NET_JOINT_REFUSED);
			joint_put_symbol(&whole->reply, (u8)number, (u8)whole->refused[number]);
			whole->refused[number] = 0;
		}
		if (!c)
			continue;
		if (!c->told)
			joint_put_symbol(&whole->reply, (u8)(NET_JOINT_EVENT + number), NET_JOINT_OPENED);
		c->told = true;
		ends |= (c->eof && !c->eof_told) || (c->reset && !c->reset_told);
		joint_tell(whole, c);
	}
	return ends && !quiet_alive(whole->procs->q) ? ended_badly(b, whole, n) : 0;
}
