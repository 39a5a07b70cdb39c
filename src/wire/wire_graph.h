/*
 * wire_graph.h: the graph of states that a search explored, as a worker tells it: a list of records in its
 * arena, each followed by its text, without a terminator, up to a multiple of 8 bytes.
 */
#ifndef HEDDLE_WIRE_WIRE_GRAPH_H
#define HEDDLE_WIRE_WIRE_GRAPH_H

#include "base/base.h"

#define WIRE_GRAPH_STATES 1000

enum wire_graph_kind {
	WIRE_GRAPH_STATE = 1, /* text: what each thread stands at, a line each */
	WIRE_GRAPH_END,       /* state `to` is an end of the program */
	WIRE_GRAPH_VIOLATION, /* state `to` is one; text: what it is */
	WIRE_GRAPH_EDGE,      /* from `from` to `to`, text: what the thread does */
};

struct wire_graph_record {
	u32 kind;
	u32 from, to; /* numbers of states, in order of discovery; 0: the initial one */
	u32 thread;   /* of an edge; main is 1 */
	u32 len, pad; /* of the text; addresses in it as {0x…} */
};

struct wire_graph {
	u64 offset, bytes; /* in the worker's part; 0: none */
	u64 more;          /* 1: there were more states */
};

#endif
