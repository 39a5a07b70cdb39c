/*
 * wire_spread.h: how a worker that is one rank of many (search/spread.h) and its controller pass messages:
 * two rings in the memory at WIRE_TEAM_FD, one for each direction. One process writes a ring and one reads
 * it. All zero is an empty ring.
 *
 * A message lies in the ring as a head and its bytes, rounded up to 8; it may go round the end.
 */
#ifndef HEDDLE_WIRE_WIRE_SPREAD_H
#define HEDDLE_WIRE_WIRE_SPREAD_H

#include "base/base.h"

#define SPREAD_RING (1u << 23)
/* The longest message: bytes. */
#define SPREAD_MESSAGE 65536u

/* Why a search ended that no single rank decides on. */
enum spread_why {
	SPREAD_OVER = 0, /* search_end says why */
	SPREAD_RESTART,  /* some rank learnt that steps were too coarse: all begin again, with all lessons */
	SPREAD_ALONE,    /* one rank has to do it by itself */
	SPREAD_DISAGREE, /* a path led elsewhere than where another rank said */
	SPREAD_PASS,     /* a decision of the reduction was wrong: the workers begin again by themselves */
};

struct spread_ring {
	u64 written __attribute__((aligned(64))); /* bytes, ever */
	u64 taken __attribute__((aligned(64)));
	u32 sleeps; /* who reads waits for `written` to change: a futex */
	char data[SPREAD_RING] __attribute__((aligned(64)));
};

struct wire_spread {
	u32 rank, ranks; /* ranks 0: the worker is no rank */
	u32 why;         /* at the end: enum spread_why */
	u32 pad;
	u64 messages, bytes, asked, given;
	struct spread_ring out, in; /* as the worker sees it */
};

struct spread_message {
	u32 len;
	u16 kind, rank; /* whom it is for, or from */
};

static inline void spread_ring_copy_in(struct spread_ring *r, u64 at, const void *from, u32 len)
{
	u32 start = (u32)(at % SPREAD_RING), first = HD_MIN(len, SPREAD_RING - start);

	if (!len) /* then from may be NULL */
		return;
	__builtin_memcpy(r->data + start, from, first);
	__builtin_memcpy(r->data, (const char *)from + first, len - first);
}

static inline void spread_ring_copy_out(const struct spread_ring *r, u64 at, void *to, u32 len)
{
	u32 start = (u32)(at % SPREAD_RING), first = HD_MIN(len, SPREAD_RING - start);

	if (!len)
		return;
	__builtin_memcpy(to, r->data + start, first);
	__builtin_memcpy((char *)to + first, r->data, len - first);
}

/* False: there is no room now. */
static inline bool spread_ring_put(struct spread_ring *r, struct spread_message head, const void *bytes)
{
	u64 at = r->written, need = sizeof(head) + HD_ROUND_UP(head.len, 8u);
	if (at + need - __atomic_load_n(&r->taken, __ATOMIC_ACQUIRE) > SPREAD_RING)
		return false;
	spread_ring_copy_in(r, at, &head, sizeof(head));
	spread_ring_copy_in(r, at + sizeof(head), bytes, head.len);
	__atomic_store_n(&r->written, at + need, __ATOMIC_RELEASE);
	return true;
}

/*
 * Who reads is about to wait; false: something has come. It may be woken late, or for nothing: it waits for a
 * moment only. The word to wait at has the value *seen.
 */
static inline bool spread_ring_sleeps(struct spread_ring *r, u32 *seen)
{
	__atomic_store_n(&r->sleeps, 1, __ATOMIC_SEQ_CST);
	*seen = (u32)__atomic_load_n(&r->written, __ATOMIC_SEQ_CST);
	return *seen == (u32)r->taken;
}

static inline void spread_ring_wakes(struct spread_ring *r)
{
	__atomic_store_n(&r->sleeps, 0, __ATOMIC_RELAXED);
}

/* After some were put there: has the reader to be woken? Says so once. */
static inline bool spread_ring_wants_wake(struct spread_ring *r)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return hd_unlikely(__atomic_load_n(&r->sleeps, __ATOMIC_RELAXED)) &&
	       __atomic_exchange_n(&r->sleeps, 0, __ATOMIC_RELAXED);
}

/* False: there is none. head->len above `room`: the ring is damaged. */
static inline bool spread_ring_get(struct spread_ring *r, struct spread_message *head, void *bytes, u32 room)
{
	u64 at = r->taken;
	if (at == __atomic_load_n(&r->written, __ATOMIC_ACQUIRE))
		return false;
	spread_ring_copy_out(r, at, head, sizeof(*head));
	if (head->len > room)
		return true;
	spread_ring_copy_out(r, at + sizeof(*head), bytes, head->len);
	__atomic_store_n(&r->taken, at + sizeof(*head) + HD_ROUND_UP(head->len, 8u), __ATOMIC_RELEASE);
	return true;
}

#endif
