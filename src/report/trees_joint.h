/*
 * trees_joint.h: joint conversations (wire_net.h, "A joint peer has several connections at a time") taken
 * apart, for all who print trees: bytes in a row of one connection, and what happened to connections.
 */
#ifndef HEDDLE_REPORT_TREES_JOINT_H
#define HEDDLE_REPORT_TREES_JOINT_H

#include "wire/wire_net.h"

struct joint_part {
	u32 number; /* of the connection; 0: of none */
	u32 event;  /* enum net_joint_event; 0: bytes */
	const u8 *bytes;
	u64 len;
	struct net_address to; /* of NET_JOINT_CONNECT; family 0: not known */
};

/*
 * Calls `part` for each part of these symbols. *pending: 0 at first; what a fork has cut off of a symbol
 * waits there, so it belongs to the way through the tree.
 */
void joint_take_apart(u64 *pending, const u8 *symbols, u64 len,
		      void (*part)(void *self, const struct joint_part *p), void *self);
/* "closes it" */
const char *joint_event_words(u32 event);

#endif
