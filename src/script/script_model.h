/*
 * script_model.h: what writer and reader of a search script know alike at each transition, and what they
 * expect of the next one. What comes as expected costs nothing in the file; docs/SCRIPT-FORMAT.md has the
 * rules, word for word, for programs that are not this one.
 *
 * A script is walked from its beginning, or from the beginning of a block, where everything is forgotten but
 * the path: the states on it, their transitions, and how many of these are done.
 */
#ifndef HEDDLE_SCRIPT_SCRIPT_MODEL_H
#define HEDDLE_SCRIPT_SCRIPT_MODEL_H

#include "script/label_lists.h"

/* Numbers of states are below. */
#define MODEL_MAX_NUMBER ((1u << 28) - 1)

/* Where a transition leads. */
enum model_to { MODEL_NEW, MODEL_KNOWN, MODEL_NOWHERE };

struct model_frame {
	u32 number, into; /* label of the transition that led here; ~0: the initial state */
	u32 list;         /* its transitions: lists_of */
	u32 first;        /* where they led, in `to`. Not of trustful scripts */
	u32 count, done;
	u64 size;  /* transitions of the subgraph so far; those before a block are in it */
	u64 start; /* transitions before it was entered */
};

/* A state that was entered in this block. */
#define MODEL_COMINGS 3u
struct model_state {
	u32 list, first; /* as in its frame */
	struct {
		u32 from, label;
	} came[MODEL_COMINGS]; /* transitions that led here, the latest first; from 0: none */
};

struct model_guess {
	enum model_to to;
	u32 number;                     /* for MODEL_KNOWN */
	u32 across, back, shift, slide; /* candidates; 0: none */
	u32 near; /* numbers that nothing expects are told by their distance to this one */
};

struct script_model {
	bool trustful;
	u64 transitions; /* so far; of a trustful script only those to new states */
	u64 listed;      /* so far, all */
	u32 states;
	u32 base; /* states before this block */

	struct label_lists lists;
	struct model_frame *frame;
	u32 frames, frames_room;
	u32 *to; /* numbers; 0: not known here, or nowhere */
	u32 tos, tos_room;
	struct model_state *state; /* by number - base - 1 */
	u32 states_room;

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
 * A state is entered, with this list of transitions. False: no room. The number is the next one,
 * unless states was set before.
 */
bool model_enter(struct script_model *m, u32 list);
/* More transitions of the topmost state. */
bool model_more(struct script_model *m, const u32 *label, u32 n);
void model_leave(struct script_model *m);
static inline struct model_frame *model_top(const struct script_model *m)
{
	return &m->frame[m->frames - 1];
}
/* The labels of a state's transitions. */
static inline const u32 *model_list_of(const struct script_model *m, const struct model_frame *f)
{
	return lists_of(&m->lists, f->list);
}

/*
 * The short way, for most transitions of full scripts. The next one of the topmost state leads to this known
 * state: true if there was no doubt of it; then it has come. False: ask with model_expect.
 */
bool model_sure(struct script_model *m, u32 number);
/* The next ones come as expected: where those lead of which there is no doubt,
   `room` at most. They have come. */
u32 model_sure_run(struct script_model *m, u32 *number, u32 room);
/* The same of trustful scripts: so many, `most` at most, lead to known states. */
u32 model_sure_known(struct script_model *m, u32 most);
/* What is expected of the next transition of the topmost state. */
void model_expect(struct script_model *m, struct model_guess *out);
/* What came. For MODEL_NEW, number is the one that the state will have. */
void model_came(struct script_model *m, const struct model_guess *guess, enum model_to to, u32 number);

/*
 * The list of the state that the transition just made leads to, as a rank (lists_rank), and the other way
 * round; 0: there is no such list. To be called before model_enter.
 */
u32 model_rank(struct script_model *m, u32 list);
u32 model_ranked(struct script_model *m, u32 rank);

#endif
