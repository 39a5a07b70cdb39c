/*
 * learnt.h: what a search learns about the program, for the whole run: all its workers use it, replays are
 * given it beforehand. It only grows, and every entry means the same in each process:
 *
 * - A thread's slot is the place of its name (parent's slot, number among the parent's children) in `name`.
 *   Slot 0 is main. A slot is named once and keeps its name, so the slots in a path or in a state are
 *   understood by every worker of the run, and elsewhere by whoever has the table of names with the path.
 * - Lessons are addresses. These don't depend on the schedule, as the program starts the same way each time.
 *
 * Several workers add at the same time, without a lock that one of them could die with: an entry that is 0
 * is free, and is taken by a compare-and-exchange. The counts follow, so whoever reads one may rely on all
 * entries below.
 */
#ifndef HEDDLE_WIRE_LEARNT_H
#define HEDDLE_WIRE_LEARNT_H

#include "base/base.h"
#include "wire/layout.h"
#include "wire/wire_net.h"

#define WIRE_MAX_OBSERVED 65536
#define WIRE_MAX_CELLS (1u << 19)
#define WIRE_MAX_ORDERED 32768
#define WIRE_MAX_KNOWERS 4096
#define WIRE_MAX_PROPERTY_PLACES 4096
struct wire_learnt {
	u32 names;           /* slots with a name, main's included */
	u32 observed;        /* of observed_addr */
	u32 cells;           /* of cell_range */
	u32 clock_read;      /* the program looks at the clock: time is part of the state */
	u32 cancel_used;     /* threads are cancelled */
	u32 signals_used;    /* signals come from other threads, or from timers */
	u32 fair;            /* yielding in circles was seen: sched/fair.c */
	u32 weak;            /* atomics weaker than acquire and release are used: memory/order.c */
	u32 ordered;         /* of ordered_unit */
	u32 knowers;         /* of knower */
	u32 property_places; /* of property_place */
	u32 shared;          /* server peers are one joint conversation: NET_JOINT, --peers */
	u32 peer_time;       /* … and told when the program sleeps: NET_JOINT_CLOCK */
	u32 busy;            /* the program waits busily: livelocks are looked for */
	u32 heap_reused;     /* threads give back many blocks of others: heap/heap.h, heap_retire */
	u32 recycles;        /* a pointer to freed memory was compared with: sched/recycle.h */
	u32 ends;            /* some execution ends: no lesson by itself, and ... */
	u32 slept;   /* ... some other one was taken for idle, as it goes on with threads that sleep */
	u64 horizon; /* of virtual time, if it was widened: engine/engine_horizon.h; 0: not yet */
	/* Client peers that have several connections at a time, bit n - 1: NET_JOINT. */
	u64 joint_clients[NET_MAX_CLIENTS / 64];
	u64 name[LAYOUT_MAX_FIBERS];          /* WIRE_NAME; of slot 0 nothing */
	u64 observed_addr[WIRE_MAX_OBSERVED]; /* synchronisation objects whose release is a step of its own */
	u64 cell_range[WIRE_MAX_CELLS];       /* memory that several threads use: LEARNT_RANGE */
	u64 ordered_unit[WIRE_MAX_ORDERED];   /* of these, or of their bytes, those with plain accesses */
	u64 knower[WIRE_MAX_KNOWERS];         /* who can know of accesses: no lessons, but names */
	/* What invariants have read through pointers: runtime/engine/engine_properties.c */
	u64 property_place[WIRE_MAX_PROPERTY_PLACES];
};

/*
 * Cells of 4 bytes, one behind the other, with their level (runtime/memory/shadow.h), in one number: the
 * address of the first, the level in its lowest bits, the number of the others above.
 */
#define LEARNT_GRAIN 4u
#define LEARNT_RANGE_MAX 65536u
#define LEARNT_RANGE(address, cells, level) ((u64)((cells)-1) << 48 | (address) | (level))
#define LEARNT_RANGE_ADDRESS(range) ((range) & ((1UL << 48) - LEARNT_GRAIN))
#define LEARNT_RANGE_CELLS(range) ((u32)((range) >> 48) + 1)
#define LEARNT_RANGE_LEVEL(range) ((u32)((range)&3))

/* A thread's name in one number that is never 0. */
#define WIRE_NAME(parent, index) ((u64)(parent) << 32 | ((u64)(u32)(index) + 1))
#define WIRE_NAME_PARENT(name) ((u32)((name) >> 32))
#define WIRE_NAME_INDEX(name) ((u32)((name)&0xffffffffu) - 1)

/* The place of `value` in list[from..max), where it is put if it is not there. max: there is no room. */
static inline u32 learnt_place(u64 *list, u32 from, u32 max, u32 *count, u64 value)
{
	u32 at = from, known;

	for (; at < max; at++) {
		u64 there = __atomic_load_n(&list[at], __ATOMIC_ACQUIRE);
		if (there == value)
			return at;
		if (!there && __atomic_compare_exchange_n(&list[at], &there, value, false, __ATOMIC_ACQ_REL,
							  __ATOMIC_ACQUIRE))
			break;
		if (there == value) /* another worker was faster */
			return at;
	}
	if (at == max)
		return max;
	known = __atomic_load_n(count, __ATOMIC_ACQUIRE);
	while (known < at + 1 &&
	       !__atomic_compare_exchange_n(count, &known, at + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return at;
}

/* The slot of the thread with this name, a new one if need be; 0: all slots are taken. */
static inline u32 learnt_slot(struct wire_learnt *l, u32 parent, u32 index)
{
	u32 slot = learnt_place(l->name, 1, LAYOUT_MAX_FIBERS, &l->names, WIRE_NAME(parent, index));
	return slot < LAYOUT_MAX_FIBERS ? slot : 0;
}

/* False: no room for another lesson. The caller knows that it has not learnt this one before. */
static inline bool learnt_observe(struct wire_learnt *l, u64 address)
{
	return learnt_place(l->observed_addr, l->observed, WIRE_MAX_OBSERVED, &l->observed, address) <
	       WIRE_MAX_OBSERVED;
}

static inline bool learnt_cells(struct wire_learnt *l, u64 range)
{
	return learnt_place(l->cell_range, l->cells, WIRE_MAX_CELLS, &l->cells, range) < WIRE_MAX_CELLS;
}

#endif
