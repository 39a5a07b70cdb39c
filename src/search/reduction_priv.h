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
/* So many objects are kept that all footprints of a control point have in common. */
#define NEEDS 12u
/* A control point of the target is told apart by details into so many; if there are more, it is one again. */
#define VARIANTS 24u
/* Longer uses of memory are kept as ranges. */
#define WIDE_BYTES 16u
#define WIDE_PAGE 4096u
/* Objects of the reduction's own, beside enum object_class: pages with long ranges, dependent pairs. */
#define OBJECT_PAGE OBJECT_CLASSES
#define OBJECT_PAIR (OBJECT_CLASSES + 1)
#define FIRST_WORDS 4u
#define NO_POINT 0xffffffffu
/* As control_point.joins: what a fiber does aside that waits for another's end (knowledge_aside). */
#define JOINS_ASIDE 0xffffffffu

/* Does a fact belong to the pending operation, or to steps that were made? */
enum fact_kind { FACT_PENDING, FACT_TAKEN, FACT_KINDS };

struct control_point {
	u64 key; /* the same for every worker */
	u32 fiber;
	u32 joins;  /* target_reduction.joins */
	u64 coarse; /* target_reduction.point */
	u32 need_count[FACT_KINDS];
	u64 need[FACT_KINDS][NEEDS]; /* objects that every footprint here used, as things that are there */
	bool needs_more[FACT_KINDS]; /* the first footprint here used more of them than are kept */
	u32 edges_in, edges_out;     /* 1 + index of the first struct link */
	u32 next_print[FACT_KINDS];
	u64 print[FACT_KINDS][PRINTS];
	u64 edge[2];            /* keys of those seen last */
	u64 stamp;              /* of the walk that was here last */
	bool world[FACT_KINDS]; /* conflicts with everything */
	bool ends[FACT_KINDS];  /* so it does, but nobody else has to mind */
	bool future_world;
};

/* Sets of bits that each point has. */
enum bit_set {
	SET_PENDING, /* bits of uses that conflict with the pending operation, */
	SET_TAKEN,   /* with steps from here */
	SET_OWN,     /* uses here */
	SET_FUTURE,  /* uses at points reachable from here, its own included */
	BIT_SETS
};

struct link {
	u32 from, to;
	u32 next_in, next_out; /* of the same target; of the same source */
	u32 made, made_count;  /* what the step made, by which it came about: struct reduction.made */
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
/* Steps from this control point, in all its variants, use an object of the eye's (reduction_depend). */
struct dependent {
	u64 coarse, object;
};
struct variants {
	u64 key;   /* target_reduction.point */
	u32 count; /* above VARIANTS: they are one */
};
struct key_only {
	u64 key;
};
/* A pair whose futures conflict as a whole: do they, with what can't be reached left out? */
struct refined {
	u64 key;
	u64 news; /* known to be so until there are so many; CONFLICT: for ever */
};
#define CONFLICT (~(u64)0)

struct reduction {
	const struct target_ops *ops;
	void *self;
	bool failed;  /* out of memory, or too many fibers: nothing is left out any more */
	bool wrong;   /* a decision of this pass was */
	bool hearing; /* with several workers: what is learnt now comes from another one */

	struct table point_table; /* struct key_index */
	struct table variants;    /* struct variants */
	struct pages_vec points;  /* struct control_point */
	u64 *bits;                /* BIT_SETS sets of `words` words for each point */
	u64 bits_room;            /* points */
	u32 words, bit_count;

	struct table objects;      /* struct object */
	struct table fact_table;   /* struct key_only */
	struct table edge_table;   /* struct key_only */
	struct table relied;       /* struct key_only: pairs, see pair_key */
	struct table refined;      /* struct refined: pairs */
	struct pages_vec pairs;    /* struct dependent */
	struct pages_vec made;     /* u64: objects */
	u64 stamp;                 /* of the last walk through the points */
	struct pages_vec facts;    /* struct fact */
	struct pages_vec edges;    /* struct link */
	struct pages_vec wide;     /* struct wide_fact */
	struct pages_vec worklist; /* u32 */
	u64 news;                  /* facts and edges */
	u64 checked;               /* `news` when the pairs were checked last */
	/* With several workers: tells the others what is new, but for what was heard from them. */
	void (*say)(void *to, const u64 *word, u32 words);
	void *to;

	struct pages_vec
		path; /* u32: the points of the live fibers of each state entered, and their number */

	/* Scratch: of the state that is entered. */
	u32 n, fiber[FIBERS_MAX], at[FIBERS_MAX];
	u32 action_count[FIBERS_MAX];
	u64 drags[FIBERS_MAX][FIBER_WORDS];
	bool have_drags[FIBERS_MAX];
	struct pages_vec sorted; /* u32 */
};
/* `hash` is one already, or a constant: of two values that are none, exchanged bits would not be noticed. */
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

/* i: 1 + its index */
static inline struct link *link_at(const struct reduction *r, u32 i)
{
	return (struct link *)r->edges.data + (i - 1);
}

/*
 * Nothing is left out here any more, nor learnt: the others must not rely on hearing of what is met here.
 */
bool reduction_fail(struct reduction *r);

/* The index of the control point where the fiber stands, known or new; NO_POINT: it is gone, or no memory. */
u32 knowledge_point(struct reduction *r, u32 fiber);
/*
 * A fiber that waits at this point for another's end does something aside: the point where that is learnt,
 * beside this one, since it comes before the other's end (conflicts.c). Any other point: itself.
 */
u32 knowledge_aside(struct reduction *r, u32 point);
/* To the end of the list of points that a walk through them has still to visit; false: no memory. */
bool knowledge_push_work(struct reduction *r, u32 point);
/* `to` follows `from`, after a step with this footprint. */
void knowledge_edge(struct reduction *r, u32 from, u32 to, const struct footprint *by);
/* At this point, an object is used; all of a footprint is touched. */
void knowledge_use(struct reduction *r, u32 point, u64 key, enum access_mode mode, enum fact_kind kind);
void knowledge_print(struct reduction *r, u32 point, const struct footprint *f, enum fact_kind kind);
/* Two steps, of which this point has one, depend on each other, for which this object stands. */
void knowledge_pair(struct reduction *r, u32 point, u64 object);

/*
 * With several workers (knowledge_news.c): tell the others what is new here, and hear what is new there. All
 * that is known follows from that.
 */
void knowledge_say_point(const struct reduction *r, u32 point);
void knowledge_say_edge(const struct reduction *r, u32 from, u32 to, const struct footprint *by);
void knowledge_say_print(const struct reduction *r, u32 point, const struct footprint *f,
			 enum fact_kind kind);
void knowledge_say_pair(const struct reduction *r, u32 point, u64 object);
u32 knowledge_told_point(const struct reduction *r, u64 key); /* that was told */
void knowledge_hear(struct reduction *r, const u64 *word, u32 words);
void knowledge_heard_point(struct reduction *r, u32 fiber, u32 joins, u64 coarse, u64 key);

/* Whose action it is: an index into the target's fibers, or TARGET_NOBODY. */
static inline u32 actor_of(const struct reduction *r, u32 action)
{
	const struct target_reduction *t = r->ops->reduction;
	return t->actor ? t->actor(r->self, action) : r->ops->action_fiber(r->self, action);
}

static inline u64 pair_key(u32 u, bool u_moves, u32 v)
{
	return ((u64)u << 32 | (u64)v << 1 | u_moves) + 1;
}
/*
 * Does what is done next at u (what is pending there, if u does not move) conflict with what v can do before
 * u's fiber moves?
 */
bool knowledge_conflicts(struct reduction *r, u32 u, bool u_moves, u32 v);

#endif
