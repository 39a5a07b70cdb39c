/*
 * label_lists.h: lists of labels, each kept once and named by a number, and how the transitions of a state
 * differ from those of the state before it. Programs have many states and few such lists, so most questions
 * were asked before: the answers are kept, too.
 *
 * Numbers of lists and of differences are never 0, and die at lists_forget.
 */
#ifndef HEDDLE_SCRIPT_LABEL_LISTS_H
#define HEDDLE_SCRIPT_LABEL_LISTS_H

#include "base/base.h"

/* A state has at most so many transitions at first. */
#define MODEL_MAX_LIST 65536u
/* Differences that are remembered for each label. */
#define MODEL_RANKS 16u
/* Words of all lists together: more is no script that heddle writes. */
#define MODEL_MAX_WORDS ((1u << 25) + (1u << 24))

struct script_label {
	u64 order;  /* transitions of one state ascend by it, as a rule */
	u32 thread; /* slot */
	u32 choice; /* outcome of the operation */
	u32 kind;   /* of operation */
	u32 module; /* 1 + place in the list of modules; 0: offset is an address, or 0 */
	u64 offset;
	u64 pc; /* in a process of heddle's; 0: not known. Not in the file */
};

struct label_lists {
	const struct script_label *label;
	u32 *word; /* records: number of labels, what it is, the labels */
	u32 used, room;
	u32 *slot, slots, filled; /* where records are, by hash */
	u32 *recent;              /* MODEL_RANKS differences by label, the latest first */
	u32 recent_room;          /* labels */
	struct list_answer *applied, *changed;
	u32 *scratch; /* 4 * MODEL_MAX_LIST */
	bool failed;  /* out of memory, or too much */
};

/* False: out of memory. */
bool lists_init(struct label_lists *l);
void lists_free(struct label_lists *l);
/* There are more labels. */
bool lists_labels(struct label_lists *l, const struct script_label *label, u32 labels);
void lists_forget(struct label_lists *l);

/* The number of this list; 0: no room. */
u32 lists_number(struct label_lists *l, const u32 *label, u32 n);
static inline u32 lists_count(const struct label_lists *l, u32 list)
{
	return l->word[list];
}
/* Valid until the next list comes. */
static inline const u32 *lists_of(const struct label_lists *l, u32 list)
{
	return &l->word[list + 2];
}

/*
 * A state has the transitions `from`, and its transition `at` led to a new one with the transitions `list`.
 * The rank of the difference among those that came after the same label, the latest first; MODEL_RANKS: it is
 * none of them, or there is none that could be used. It is the latest one from now on.
 */
u32 lists_rank(struct label_lists *l, u32 from, u32 at, u32 list);
/* The other way round: the list; 0: there is none, or no room. */
u32 lists_ranked(struct label_lists *l, u32 from, u32 at, u32 rank);

#endif
