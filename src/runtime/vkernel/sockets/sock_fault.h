/*
 * sock_fault.h: faults of the network, on request (--net-faults): between the program and its peers a
 * connection breaks, a connect is refused or times out, datagrams are lost, doubled, overtaken. Private to
 * vkernel/.
 *
 * A fault is an action of its own: the fiber that is about to look at a socket stays where it is, and what
 * the network does to that socket is done to its state (sock_model.h: broken, refusal, in_fault, out_fault).
 * Then the fiber's operation is looked at again; so a fault meets everything else that can happen there. It
 * is offered only where somebody is about to look, as arrival is decided (sock_arrival.c): between looks
 * nobody could tell.
 *
 *   F1  With a budget (--fault-budget) faults are counted in model memory; where it
 *   is used up and another one
 *       could happen, the verdict is bounded. Without, no state tells how many there were.
 *   F2  A fault leads to a state in which the same fault is not possible again, so
 *   each execution has finitely
 *       many.
 *   F3  A fault is no excuse: a state that is a deadlock without it is one (engine_target.c).
 *
 * Given up: the peer learns that a connection is broken when the program closes it, and has got all that was
 * sent before. Datagrams to peers are lost and doubled, but don't overtake each other on the way there.
 */
#ifndef HEDDLE_RUNTIME_SOCK_FAULT_H
#define HEDDLE_RUNTIME_SOCK_FAULT_H

#include "runtime/vkernel/sockets/sock.h"

struct net_faults {
	u32 count;
	struct net_fault_at {
		u32 slot;   /* of the socket */
		u32 kind;   /* enum net_fault */
		u32 source; /* datagrams: whose (sock_dgram_source.c); 0: the one that is about to be sent */
	} at[ALT_FAULTS];
};

void sock_fault_add(struct net_faults *out, const struct vk_desc *d, enum net_fault kind, u32 source);
/* op_class.faults of a step on one socket; and what a selector can tell. */
void sock_look_faults(const struct op *o, struct net_faults *out);
void sock_recv_faults(const struct op *o, struct net_faults *out);
void sock_send_faults(const struct op *o, struct net_faults *out);
void sock_connect_faults(const struct op *o, struct net_faults *out);
void sock_poll_faults(const struct vk_desc *d, struct net_faults *out);

/* ---- sock_dgram_source.c ---- */

void sock_source_faults(const struct vk_desc *d, struct net_faults *out);
void sock_source_fault(struct vk_sock *s, u32 source, enum net_fault kind);
void sock_describe_fault_source(u32 source, struct text *t);

#endif
