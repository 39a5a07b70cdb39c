/*
 * transport.h: what the cache asks of the physical world. The runtime's transport speaks to the broker over
 * the wire (runtime/net); tests have scripted ones. Numbers and flags are those of wire/wire_net.h.
 */
#ifndef HEDDLE_IOCACHE_TRANSPORT_H
#define HEDDLE_IOCACHE_TRANSPORT_H

#include "iocache/tree.h"

struct transport_reply {
	int status; /* as in struct wire_net */
	u32 conn, flags;
	u32 group;  /* of open, as in struct wire_net */
	u32 client; /* of NET_ERROR_ANOTHER, likewise */
	void *data; /* valid until the next call; the cache may change it */
	u64 len;
	u64 saved; /* of save */
	u64 now;   /* seconds since 1970 */
	const char *text;
};

struct transport {
	void *self;
	/* The peer has not been heard yet: an exchange without data follows. */
	void (*open)(void *self, const struct tree_key *k, struct transport_reply *r);
	/* Any length; the whole reply is in r. end: shut down writing behind the data. */
	void (*exchange)(void *self, u32 conn, const void *data, u64 n, bool end, struct transport_reply *r);
	/* Before an exchange: as wire_net.expected. May be NULL. */
	void (*expect)(void *self, u64 expected);
	/* Connections end here, and nowhere else. */
	void (*close)(void *self, u32 conn);
	/* NET_NEXT: conn 0 in the answer if the client opens no more. May be NULL. */
	void (*next)(void *self, u32 conn, struct transport_reply *r);
	/* The same as an exchange without data, but first wait, long, for the peer to speak. May be NULL. */
	void (*await)(void *self, u32 conn, struct transport_reply *r);
	/* NET_SAVE, NET_RESTORE, NET_DROP. May be NULL, all of them. */
	void (*save)(void *self, u32 conn, struct transport_reply *r);
	void (*restore)(void *self, u64 saved, struct transport_reply *r);
	void (*drop)(void *self, u64 saved);
	/* Nanoseconds: what the others cost. May be NULL. */
	u64 (*now)(void *self);
};

#endif
