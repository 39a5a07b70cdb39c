/*
 * selector.h: what poll, select and epoll have in common: a list of descriptions, and the ways in which the
 * network can have gone on for those that lead outside (sockets/sock_arrival.c), decided in one step for all
 * of them. What can't be late (pipes, eventfds …) has no part in it.
 *
 * With n sockets that could have something new there are up to 2^n ways, and epoll sees in which order news
 * came. All ways are explored of up to five sockets, and all orders of up to four (with --ready-subsets all:
 * of seven); beyond that nothing new, each one, each pair, and all of them, forwards and backwards, and the
 * verdict is bounded.
 */
#ifndef HEDDLE_RUNTIME_SELECTOR_H
#define HEDDLE_RUNTIME_SELECTOR_H

#include "runtime/vkernel/core/vk_priv.h"

struct selector_item {
	struct vk_desc *desc; /* NULL: none, or one that is of no interest */
	u32 events;           /* POLL* it is asked for */
	bool exact;           /* edges: how much has arrived matters */
	struct vk_desc
		*muted; /* epoll: one that is asked for nothing, until somebody changes that; NULL: none */
};

struct selector {
	const void *list;
	u32 count;
	bool ordered; /* in which order news came matters, too */
	void (*item)(const void *list, u32 i, struct selector_item *out);
};

/*
 * How many ways there are, at least one: way 0 is that nothing is new. *forced: even with way 0 something has
 * come (--read always and its like). Pure, behind sock_resolve of all sockets.
 */
u32 selector_ways(const struct selector *s, bool *forced);
/* That alone; cheaper. */
bool selector_forced(const struct selector *s);
/* The network has gone this way. */
void selector_arrive(const struct selector *s, u32 way);
/* Which items have news then, for people: the first `room` of them; returns how many. Changes nothing. */
u32 selector_news(const struct selector *s, u32 way, u32 *out, u32 room);
/* Declares what a step with this way touches: what it looks at, and what arrives. On the engine's stack. */
void selector_declare(const struct selector *s, u32 way);
/* Asks the network for all that these functions look at. */
void selector_resolve(const struct selector *s);
/* op_class.faults */
void selector_faults(const struct selector *s, struct net_faults *out);
/* op_class.in_vain: a selector that returns has only looked; unless time has passed. */
bool selector_looks(const struct fiber *f, const struct op *o, u32 alt);
/*
 * A selector returns; does one follow another, with no step between them? A thread that goes on like that
 * goes round in circles (sched_tries).
 */
void selector_returns(void);
bool selector_again(void);
/* Who can end a wait for them. */
struct op_wait selector_wait(const struct selector *s);
/* May something be late? */
bool selector_may_be_late(const struct selector *s);

/*
 * The items of an epoll set, and of the sets inside it, one after the other: how many there are, and the nth
 * (epoll_wait.c). A look at one of them may change each of those sets: that is declared.
 */
u32 selector_of_set(const struct vk_desc *set, u32 nth, struct selector_item *out);
void selector_declare_set(const struct vk_desc *set);

/* ---- core/poll.c ---- */

/* 0 and *ns (all ones: for ever), or an error. */
long vk_poll_timeout(const struct __kernel_timespec *t, u64 *ns);
/*
 * The end of a call that had another signal mask (mask: where; 0: it had none), behind vk_mask_enter. One
 * that finds nothing without having to wait takes what was blocked before, as one that waits would.
 */
long vk_poll_leave_mask(long result, long mask, u64 kept);

#endif
