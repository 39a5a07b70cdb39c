/*
 * fake_net.h: a scripted network for tests of the virtual kernel: one peer, whose answers depend on how many
 * bytes it got. Without a script (`there` is false) there is nobody.
 */
#ifndef HEDDLE_TEST_FAKE_NET_H
#define HEDDLE_TEST_FAKE_NET_H

#include "runtime/net/net.h"

/* Once it got `got` bytes (and the end, if ended), the peer has said `says` in all. Ascending. */
struct fake_line {
	u64 got;
	bool ended;
	const char *says;
	u32 flags;
};
struct fake_net {
	bool there; /* port 8080 can be connected to, and `clients` come to it */
	struct fake_line script[4];
	u32 lines, clients;
	char heard[4096]; /* what the peer got */
	u32 writes, ends, closes;
	const struct net_sut *sut;
};
extern struct fake_net fake_net;

#endif
