/*
 * script_model.h: what writer and reader of a search script know alike at each transition, and what they
 * expect of
 * the next one. What comes as expected costs nothing in the file; docs/SCRIPT-FORMAT.md has the rules, word
 * for word, for programs that are not this one.
 *
 * A script is walked from its beginning, or from the beginning of a block, where everything is forgotten but
 * the path: the states on it, their transitions, and how many of these are done.
 */
#ifndef HEDDLE_SCRIPT_SCRIPT_MODEL_H
#define HEDDLE_SCRIPT_SCRIPT_MODEL_H

#include "base/base.h"

/* Numbers of states are below; a state has at most so many transitions. */
#define MODEL_MAX_NUMBER ((1u << 28) - 1)
#define MODEL_MAX_LIST 65536u
/* Transitions of all states on the path together: more is no script that heddle writes. */
#define MODEL_MAX_STACK (1u << 25)
/* Lists of transitions that followed a label, as differences to the list before. */
#define MODEL_RANKS 16u

struct script_label {
	u64 order;  /* transitions of one state ascend by it, as a rule */
	u32 thread; /* slot */
	u32 choice; /* outcome of the operation */
	u32 kind;   /* of operation */
	u32 module; /* 1 + place in the list of modules; 0: offset is an address, or 0 */
	u64 offset;
	u64 pc; /* in a process of heddle's; 0: not known. Not in the file */
};

/* Where a transition leads. */
enum model_to { MODEL_NEW, MODEL_KNOWN, MODEL_NOWHERE };

struct model_edge {
	u32 label, to; /* number of the state; 0: not known here, or nowhere */
};

struct model_frame {
	u32 number, into; /* label of the transition that led here; ~0: the initial state */
	u32 first;        /* place of its transitions in `edges` */
	u32 count, done;
	bool led_away; /* some transition led to a state that is not on the path */
	u64 size;      /* transitions of the subgraph so far; those before a block are in it */
	u64 start;     /* transitions before it was entered */
};

struct model_guess {
	enum model_to to;
	u32 number;              /* for MODEL_KNOWN */
	u32 across, back, shift; /* candidates; 0: none */
};

struct script_model {
	bool trustful;
	bool reduced;                     /* led_away is kept */
	const struct script_label *label; /* grows: see model_labels */
	u32 labels;
	u64 transitions; /* so far; of a trustful script only those to new states */
	u64 listed;      /* so far, all */
	u32 states;

	struct model_frame *frame;
	u32 frames, frames_room;
	struct model_edge *edge;
	u32 edges, edges_room;

	struct model_tables *tables;
	bool failed; /* out of memory */
};

/* -1: out of memory. */
int model_init(struct script_model *m, bool trustful);
void model_free(struct script_model *m);
/* There are more labels. */
bool model_labels(struct script_model *m, const struct script_label *label, u32 labels);

/* A block begins. */
void model_forget(struct script_model *m);

/*
 * A state is entered, with these transitions. False: no room. The number is the next one, unless states was
 * set before.
 */
bool model_enter(struct script_model *m, const u32 *label, u32 n);
/* More transitions of the topmost state. */
bool model_more(struct script_model *m, const u32 *label, u32 n);
void model_leave(struct script_model *m);
static inline struct model_frame *model_top(const struct script_model *m)
{
	return &m->frame[m->frames - 1];
}
static inline struct model_edge *model_edges(const struct script_model *m, const struct model_frame *f)
{
	return &m->edge[f->first];
}

/* What is expected of the next transition of the topmost state. */
void model_expect(struct script_model *m, struct model_guess *out);
/* What came. For MODEL_NEW, number is the one that the state will have. */
void model_came(struct script_model *m, const struct model_guess *guess, enum model_to to, u32 number);

/*
 * Lists. The transitions of a state as a difference to those of the state it was entered from, ranked by how
 * lately the same difference came after the same label. rank: MODEL_RANKS if it was not among the last ones.
 */
u32 model_rank(struct script_model *m, const u32 *label, u32 n);
/* The list of this rank, in *label; -1: there is none. Valid until the next call. */
int model_list(struct script_model *m, u32 rank, const u32 **label, u32 *n);
/* This list came: to be called before model_enter. */
bool model_list_came(struct script_model *m, const u32 *label, u32 n);

/* Is the state on the path? */
bool model_on_path(const struct script_model *m, u32 number);

#endif
