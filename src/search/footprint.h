/*
 * footprint.h: what a step touched: a list of (object, mode), and which pairs of modes commute.
 *
 * A footprint is the search's whole knowledge of why two steps of different fibers might not commute. Whoever
 * executes steps (runtime/sched/access.h) declares every use, those merged into a longer step included.
 * In doubt a step touches the world, which commutes with nothing.
 */
#ifndef HEDDLE_SEARCH_FOOTPRINT_H
#define HEDDLE_SEARCH_FOOTPRINT_H

#include "base/base.h"

/*
 * Object ids: the class in the top byte, a key below: an address, a number, or 56 bits of a hash (two objects
 * with the same key are only taken to be dependent, which does no harm).
 */
enum object_class {
	OBJECT_MEMORY = 0, /* bytes of the SUT's memory, synchronisation objects among them; key: address */
	OBJECT_WORLD,      /* everything; key 0; key 1: the end of everything, FOOTPRINT_END */
	OBJECT_THREAD,     /* a fiber's life, cancellation, what it waits for; key: slot | part << 16 */
	OBJECT_PROCESS,    /* process-wide state of its own: clock, umask, cwd …; key: which */
	OBJECT_FD,         /* a descriptor number; key: the number */
	OBJECT_FD_TABLE,   /* which numbers are free; key 0 */
	OBJECT_DESC,       /* an open file description: position, flags, references; key: slot */
	OBJECT_NAME,       /* a path; key: hash */
	OBJECT_LISTING,    /* which names a directory has; key: hash of its path */
	OBJECT_FILE,       /* contents and attributes of a file; key: identity */
	OBJECT_PIPE,       /* key: slot */
	OBJECT_SOCKET,     /* one socket, one direction or both; key: see vkernel */
	OBJECT_PORT,       /* a local address that can be bound or connected to; key: hash */
	OBJECT_SIGNALS,    /* pending signals and actions; key: slot or whole process */
	OBJECT_MAPPING,    /* the memory map; key: see vkernel */
	OBJECT_HEAP,       /* which blocks of an arena are in use; key: the arena */
	OBJECT_WINDOW,     /* who may be about to access memory: runtime/memory/window.c; key: see there */
	OBJECT_PROPERTY,   /* the user's invariants, as readers of their variables; key: number */
	OBJECT_CLASSES
};
#define OBJECT_KEY_BITS 56
#define OBJECT_THREAD_SLOT 0xffffu
#define OBJECT_KEY_MASK ((1UL << OBJECT_KEY_BITS) - 1)
static inline u64 object_id(enum object_class of, u64 key)
{
	return (u64)of << OBJECT_KEY_BITS | (key & OBJECT_KEY_MASK);
}
static inline enum object_class object_class(u64 object)
{
	return (enum object_class)(object >> OBJECT_KEY_BITS);
}

/* How an object is used. The tables in footprint.c say which pairs commute, and which a step may swallow. */
enum access_mode {
	ACCESS_READ,    /* looks */
	ACCESS_WRITE,   /* changes, in a way that depends on or decides what others find */
	ACCESS_ADD,     /* a change that commutes with others of its kind: two closes, two new names */
	ACCESS_ACQUIRE, /* takes a lock or the like; always a step by itself */
	ACCESS_RELEASE, /* gives it back: can only enable others */
	ACCESS_TRY,     /* takes it or finds that it can't: can tell whether it is held, or there at all */
	ACCESS_MAKE,    /* makes something that is not there; all uses but TRY are of something that is */
	ACCESS_MODES
};
/* Do two uses of one object by different fibers give the same in both orders? */
bool access_commutes(enum access_mode a, enum access_mode b);
/*
 * Can no execution tell where inside its step a fiber did a, if others do b? Then a may be merged into a
 * longer step.
 */
bool access_merges(enum access_mode a, enum access_mode b);

struct access {
	u64 object;
	u32 bytes; /* OBJECT_MEMORY: the range; else 1 */
	u32 mode;  /* enum access_mode */
};

#define FOOTPRINT_MAX 62
/*
 * A step that ends everything (exit) commutes with nothing, either. But who does something else first need
 * not fear it: what comes before the end is the same, and afterwards there is nothing (docs/REDUCTION.md).
 */
#define FOOTPRINT_END object_id(OBJECT_WORLD, 1)
enum { FOOTPRINT_WORLD = 1, FOOTPRINT_ENDS = 2 };
struct footprint {
	u32 count;
	u32 world; /* FOOTPRINT_WORLD: more than the list can say; commutes with nothing. FOOTPRINT_ENDS */
	struct access access[FOOTPRINT_MAX];
};

void footprint_add(struct footprint *f, u64 object, u32 bytes, enum access_mode mode);
static inline void footprint_clear(struct footprint *f)
{
	f->count = f->world = 0;
}
/* Are they uses of one object, in modes that don't commute? */
bool access_conflicts(const struct access *a, const struct access *b);
/* Is some use of a and some use of b one of the same object, in modes that don't commute? */
bool footprint_conflicts(const struct footprint *a, const struct footprint *b);
/* access_merges, for each use of a and each of b of one object. */
bool footprint_merges(const struct footprint *a, const struct footprint *b);
/* Does f hold a use of this object (of this byte of memory) in a mode that may change it? */
bool footprint_writes(const struct footprint *f, u64 object);

#endif
