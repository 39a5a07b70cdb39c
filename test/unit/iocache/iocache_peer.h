/*
 * iocache_peer.h: a world for tests of the I/O cache: a peer that is a small state machine, a transport to it
 * that counts and can be told to misbehave, and memory for trees.
 *
 * The peer answers byte by byte, so its answer is a function of the bytes it was sent, however they are cut.
 * It greets; it answers each line by a line that depends on everything before; 'q' makes it close, 'r' reset;
 * what comes behind a close resets; the end of writing is answered by "bye" and a close.
 */
#ifndef HEDDLE_TEST_IOCACHE_PEER_H
#define HEDDLE_TEST_IOCACHE_PEER_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "iocache/cache.h"

#define PEER_SAYS 4096u
#define WORLD_CONNS 4096u

struct machine {
	u64 seed, state;
	u32 flags;
	u32 len;
	u8 said[PEER_SAYS];
};

static inline void machine_say(struct machine *m, const char *s)
{
	size_t n = strlen(s);
	assert_true(m->len + n <= sizeof(m->said));
	memcpy(m->said + m->len, s, n);
	m->len += (u32)n;
}

static inline void machine_start(struct machine *m, u64 seed)
{
	m->seed = m->state = seed;
	m->flags = m->len = 0;
	if (seed % 2)
		machine_say(m, "hello\n");
}

static inline void machine_feed(struct machine *m, u8 byte)
{
	char line[32];
	if (m->flags & NET_RESET)
		return;
	if (byte == 'r' || (m->flags & NET_EOF)) {
		m->flags |= NET_EOF | NET_RESET;
		return;
	}
	m->state = m->state * 31 + byte;
	if (byte == 'q')
		m->flags |= NET_EOF;
	if (byte == 'q' || byte == '\n') {
		snprintf(line, sizeof(line), "%llx\n", (unsigned long long)(m->state % 4096));
		machine_say(m, line);
	}
}

static inline void machine_end(struct machine *m)
{
	if (m->flags & NET_EOF)
		return;
	machine_say(m, "bye\n");
	m->flags |= NET_EOF;
}

/* What it says to all of it. */
static inline void machine_run(struct machine *m, u64 seed, const void *data, size_t n, bool end)
{
	machine_start(m, seed);
	for (size_t i = 0; i < n; i++)
		machine_feed(m, ((const u8 *)data)[i]);
	if (end)
		machine_end(m);
}

/* ---- the world ---- */

struct world_conn {
	bool open;
	struct tree_key key;
	struct machine m;
	u32 heard; /* bytes that the cache has */
};

struct world {
	struct trees *trees;
	void *memory;
	u32 conns; /* ever opened */
	u64 opens, exchanges, closes, sent, received;
	u64 random;
	u32 room;            /* so many connections fit, to whomever they lead; 0: any number */
	u32 serves;          /* so many to one address are served, the others wait; 0: any number */
	u64 liar_from;       /* connections from this number on have another seed; 0: none */
	u32 lie;             /* by how much; odd: another greeting */
	int open_status;     /* of the next open; then 0 */
	int exchange_status; /* likewise */
	u32 another_client;  /* told with it */
	u32 refuse_above;    /* so many at a time are accepted; 0: any number */
	bool refuse_all;
	u32 group; /* all lead to one peer with this number; 0: not known */
	const char *note;
	const char *greeting; /* beyond the machine's, said by connections from now on; NULL: none */
	u64 now;
	struct world_conn conn[WORLD_CONNS];
	u8 reply[PEER_SAYS];
};

static inline u32 world_random(struct world *w, u32 below)
{
	w->random = w->random * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(w->random >> 33) % below;
}

static inline u64 world_seed(const struct tree_key *k)
{
	return k->to.port + 1000ull * k->client;
}

static inline u32 world_alive(const struct world *w)
{
	u32 n = 0;
	for (u32 i = 1; i <= w->conns; i++)
		n += w->conn[i].open;
	return n;
}

/* Is it one of those that the peer serves now? */
static inline bool world_is_served(const struct world *w, u32 conn)
{
	u32 before = 0;
	for (u32 i = 1; i < conn; i++)
		before += w->conn[i].open &&
			  !memcmp(&w->conn[i].key.to, &w->conn[conn].key.to, sizeof(w->conn[i].key.to));
	return !w->serves || before < w->serves;
}

static inline void world_open(void *self, const struct tree_key *k, struct transport_reply *r)
{
	struct world *w = self;
	r->status = w->open_status;
	w->open_status = 0;
	r->group = w->group;
	if (w->refuse_all || (w->refuse_above && world_alive(w) >= w->refuse_above))
		r->status = -ECONNREFUSED;
	if (w->room && world_alive(w) >= w->room)
		r->status = NET_ERROR_FULL;
	r->text = "words of the broker";
	if (r->status)
		return;
	w->opens++;
	r->conn = ++w->conns;
	assert_true(w->conns < WORLD_CONNS);
	struct world_conn *c = &w->conn[r->conn];
	*c = (struct world_conn){.open = true, .key = *k};
	machine_start(&c->m, world_seed(k) + (w->liar_from && w->conns >= w->liar_from ? w->lie : 0));
	if (w->greeting)
		machine_say(&c->m, w->greeting);
}

static inline void world_exchange(void *self, u32 conn, const void *data, u64 n, bool end,
				  struct transport_reply *r)
{
	struct world *w = self;
	assert_true(conn >= 1 && conn <= w->conns);
	struct world_conn *c = &w->conn[conn];
	r->status = w->exchange_status;
	r->client = w->another_client;
	w->exchange_status = 0;
	r->text = r->status ? "words of the broker" : w->note;
	assert_true(c->open); /* who closes connections is the cache alone */
	if (r->status)
		return;
	for (u64 i = 0; i < n; i++)
		machine_feed(&c->m, ((const u8 *)data)[i]);
	if (end)
		machine_end(&c->m);
	w->sent += n;
	if (!world_is_served(w, conn)) {
		r->status = NET_ERROR_UNSERVED;
		r->text = "words of the broker";
		return;
	}
	w->exchanges++;
	r->len = c->m.len - c->heard;
	memcpy(w->reply, c->m.said + c->heard, r->len);
	r->data = w->reply;
	r->flags = c->m.flags;
	r->now = w->now;
	c->heard = c->m.len;
	w->received += r->len;
}

static inline void world_close(void *self, u32 conn)
{
	struct world *w = self;
	assert_true(conn >= 1 && conn <= w->conns);
	w->conn[conn].open = false;
	w->closes++;
}

static inline void *world_map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		       0);
	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static inline struct world *world_new(u64 seed)
{
	struct world *w = calloc(1, sizeof(*w));
	assert_non_null(w);
	w->random = seed;
	w->memory = world_map(TREES_SIZE);
	return w;
}

static inline void world_free(struct world *w)
{
	munmap(w->memory, TREES_SIZE);
	free(w);
}

static inline struct transport world_transport(struct world *w)
{
	return (struct transport){
		.self = w, .open = world_open, .exchange = world_exchange, .close = world_close};
}

static inline struct tree_key world_key(u16 port, u32 client)
{
	struct tree_key k;
	memset(&k, 0, sizeof(k));
	k.to.family = NET_INET;
	k.to.type = NET_STREAM;
	k.to.port = port;
	k.to.ip[0] = 127;
	k.to.ip[3] = 1;
	k.client = client;
	return k;
}

#endif
