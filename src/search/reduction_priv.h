/*
 * reduction_priv.h: what the two files of the reduction share: knowledge.c, what is known of a program, and
 * reduction.c, what is explored because of it.
 */
#ifndef HEDDLE_SEARCH_REDUCTION_PRIV_H
#define HEDDLE_SEARCH_REDUCTION_PRIV_H

#include "base/pages.h"
#include "base/table.h"
#include "search/reduction.h"

/* With more live fibers than that, nothing is left out. */
#define FIBERS_MAX 256u
#define FIBER_WORDS (FIBERS_MAX / 64)
/* Footprints seen last at a control point are recognised by their hash. */
#define PRINTS 6u
/* Longer uses of memory are kept as ranges. */
#define WIDE_BYTES 16u
#define WIDE_PAGE 4096u
/* Objects of the reduction's own, beside enum object_class: pages with long ranges, dependent pairs. */
#define OBJECT_PAGE OBJECT_CLASSES
#define OBJECT_PAIR (OBJECT_CLASSES + 1)
#define FIRST_WORDS 4u
#define NO_POINT 0xffffffffu

/* Does a fact belong to the pending operation, or to steps that were made? */
enum fact_kind { FACT_PENDING, FACT_TAKEN, FACT_KINDS };

struct control_point {
	u64 key;
	u32 fiber;
	u32 edges_in; /* 1 + index of the first struct link */
	u32 next_print[FACT_KINDS];
	u64 print[FACT_KINDS][PRINTS];
	u32 successor[2];       /* those seen last, + 1 */
	bool world[FACT_KINDS]; /* conflicts with everything */
	bool future_world;
};

/* Sets of bits that each point has. */
enum bit_set {
	SET_PENDING, /* bits of uses that conflict with the pending operation, */
	SET_TAKEN,   /* with steps from here */
	SET_FUTURE,  /* uses at points reachable from here, its own included */
	BIT_SETS
};

struct link {
	u32 from;
	u32 next; /* of the same target */
};

struct fact {
	u32 point;
	u32 next; /* of the same object */
	u8 mode, kind;
};

/* Something that is touched. Only what several fibers use in modes that don't commute has bits. */
struct object {
	u64 key;
	u32 facts;             /* 1 + index of the first */
	u32 fiber;             /* 1 + the first one that used it */
	u8 modes[2];           /* of that one; of all others */
	bool in_bits;          /* bits were given */
	u32 bit[ACCESS_MODES]; /* + 1; 0: nobody uses it so */
};

struct wide_fact {
	u64 start, end;
	u32 point;
	u8 mode, kind;
};

struct key_index {
	u64 key;
	u32 index;
};
struct key_only {
	u64 key;
};

struct reduction {
	const struct target_ops *ops;
	void *self;
	bool failed; /* out of memory, or too many fibers: nothing is left out any more */

	struct table point_table; /* struct key_index */
	struct pages_vec points;  /* struct control_point */
	u64 *bits;                /* BIT_SETS sets of `words` words for each point */
	u32 words;
	u64 bits_room; /* points */
	u32 bit_count;

	struct table objects;      /* struct object */
	struct table fact_table;   /* struct key_only */
	struct table edge_table;   /* struct key_only */
	struct table relied;       /* struct key_only: pairs, see pair_key */
	struct pages_vec facts;    /* struct fact */
	struct pages_vec edges;    /* struct link */
	struct pages_vec wide;     /* struct wide_fact */
	struct pages_vec worklist; /* u32 */
	u64 news;                  /* facts and edges */
	u64 checked;               /* `news` when the pairs were checked last */
	bool wrong;
	/* With several workers: tells the others what is new, but for what they have just told. */
	void (*say)(void *to, const u64 word[TARGET_NOTE_WORDS]);
	void *to;
	bool hearing;

	struct pages_vec
		path; /* u32: the points of the live fibers of each state entered, and their number */

	/* Scratch: of the state that is entered. */
	u32 n, fiber[FIBERS_MAX], at[FIBERS_MAX];
	u32 action_count[FIBERS_MAX];
	u64 drags[FIBERS_MAX][FIBER_WORDS];
	bool have_drags[FIBERS_MAX];
	struct pages_vec sorted; /* u32 */
};
static inline u64 mix_hash(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static inline struct control_point *point_at(const struct reduction *r, u32 i)
{
	return (struct control_point *)r->points.data + i;
}

static inline u32 point_count(const struct reduction *r)
{
	return (u32)(r->points.len / sizeof(struct control_point));
}

static inline u64 *bits_of(const struct reduction *r, u32 point, enum bit_set set)
{
	return r->bits + ((u64)point * BIT_SETS + set) * r->words;
}

static inline bool has_bit(const u64 *bits, u32 bit)
{
	return bits[bit / 64] >> (bit % 64) & 1;
}

static inline void put_bit(u64 *bits, u32 bit)
{
	bits[bit / 64] |= 1UL << (bit % 64);
}

static inline struct fact *fact_at(const struct reduction *r, u32 i)
{
	return (struct fact *)r->facts.data + i;
}

static inline bool reduction_fail(struct reduction *r)
{
	r->failed = true;
	return false;
}

/* The index of this control point of the fiber, known or new; NO_POINT: no memory. */
u32 knowledge_point(struct reduction *r, u32 fiber, u64 key);
/* `to` follows `from`. */
void knowledge_edge(struct reduction *r, u32 from, u32 to);
/* At this point, an object is used; all of a footprint is touched. */
void knowledge_use(struct reduction *r, u32 point, u64 key, enum access_mode mode, enum fact_kind kind);
void knowledge_print(struct reduction *r, u32 point, const struct footprint *f, enum fact_kind kind);
/* What another worker learnt: what knowledge.c said there. */
void knowledge_hear(struct reduction *r, const u64 word[TARGET_NOTE_WORDS]);
/* Does what is done next at u (what is pending there, if u does not move) conflict with the future of v? */
bool knowledge_conflicts(const struct reduction *r, u32 u, bool u_moves, u32 v);

#endif
