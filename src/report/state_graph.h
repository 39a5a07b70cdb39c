/*
 * state_graph.h: the graph of states that a search explored, for dot(1).
 */
#ifndef HEDDLE_REPORT_STATE_GRAPH_H
#define HEDDLE_REPORT_STATE_GRAPH_H

#include "launch/problem.h"
#include "report/symbols.h"
#include "wire/wire_graph.h"

struct graph_state {
	char *label; /* what each thread stands at; owned */
	char *wrong; /* the violation that it is; NULL: none; owned */
	bool is_end;
};

struct graph_edge {
	u32 from, to, thread;
	char *label; /* owned */
};

struct state_graph {
	struct graph_state *state;
	struct graph_edge *edge;
	u32 states, edges;
	bool more; /* there were more states than are shown */
};

/*
 * From the records of a worker, which are foreign input; symbols: for the names in them. -1: no memory, or
 * they make no sense.
 */
int state_graph_read(struct state_graph *g, const void *records, u64 bytes, struct symbols *symbols);
int state_graph_write(const struct state_graph *g, const char *path, struct problem *p);
void state_graph_free(struct state_graph *g);

#endif
