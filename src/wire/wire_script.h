/*
 * wire_script.h: how a search that follows a script went (search/follow.h).
 */
#ifndef HEDDLE_WIRE_WIRE_SCRIPT_H
#define HEDDLE_WIRE_WIRE_SCRIPT_H

#include "base/base.h"

enum wire_deviation {
	DEVIATION_NONE = 0,
	DEVIATION_NO_TRANSITION, /* the script tells a transition that the program does not have, */
	DEVIATION_LEFT_OUT,      /* goes back from a state while transitions are left, */
	DEVIATION_OTHER_STATE,   /* or says that a transition leads to a state which it does not lead to */
	DEVIATION_FACT,          /* the program showed a fact for the reduction that the script lacks */
	DEVIATION_IGNORED,       /* what the reduction leaves out is left out for ever */
	DEVIATION_DAMAGED,       /* the words make no sense */
	DEVIATIONS
};

/* Behind the fingerprints (16 bytes a number, from 0), one byte a number, and then these. */
#define WIRE_MAX_RANGES (1u << 20)
struct wire_range_made {
	u32 number, told, from, to; /* of `told` transitions of the state, these were made */
};
/* And then, of a part: transitions that are steps of busy waiting. */
struct wire_busy_edge {
	u32 from, told, to; /* of `told` transitions of the state */
};
#define WIRE_MAX_BUSY_EDGES (1ul << 28)
#define WIRE_BUSY_AT(numbers) \
	((numbers)*16 + HD_ROUND_UP((numbers), 16) + WIRE_MAX_RANGES * sizeof(struct wire_range_made))
#define WIRE_PRINTS_BYTES(numbers, edges) (WIRE_BUSY_AT(numbers) + (edges) * sizeof(struct wire_busy_edge))

struct wire_followed {
	u32 deviation; /* enum wire_deviation */
	u32 state;     /* its number, */
	u32 thread;    /* and whose transition it is about, from 1; 0: nobody's */
	u32 label;     /* + 1; the script's word for it; 0: none */
	u64 transitions;
	u32 whole;      /* 1: followed to its end */
	u32 unfinished; /* some state was not done when the script ended */
	u32 reduced;    /* with a reduction */
	u32 busy;       /* the program waits busily: livelocks are to be looked for */
	u32 trees;      /* what was asked of the peers is in the trees */
	u32 ranges, ranges_lost;
	u32 busy_lost; /* not all edges are there, */
	u64 busy_edges;
};

#endif
