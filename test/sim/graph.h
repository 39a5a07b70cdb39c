/*
 * graph.h: random directed graphs as toy targets, and a second, simple way to
 * enumerate them that shares nothing with the search.
 */
#ifndef HEDDLE_TEST_GRAPH_H
#define HEDDLE_TEST_GRAPH_H

#include "models.h"

#define GRAPH_NODES 60
#define GRAPH_EDGES 4

struct graph {
	u32 nodes;
	struct graph_node {
		u32 edges;
		u32 to[GRAPH_EDGES];
		enum step_result result[GRAPH_EDGES]; /* STEP_OK, STEP_VIOLATION or STEP_PRUNED */
		bool bad;                             /* as an end: TERMINAL_VIOLATION */
	} node[GRAPH_NODES];
};

/* What there is to find. */
struct graph_facts {
	u64 states, transitions, end_states, pruned, violations;
	u64 shortest; /* path to a violation; ~0 if there is none */
	u64 key_sum;  /* of all violations */
	bool beyond;  /* a state at the bound has actions */
};

static inline u64 graph_draw(u64 *random, u64 n)
{
	*random = *random * 6364136223846793005ull + 1442695040888963407ull;
	return (*random >> 33) % n;
}

static inline void graph_random(struct graph *g, u64 seed)
{
	u64 random = seed * 2654435761u + 1;
	*g = (struct graph){.nodes = 1 + (u32)graph_draw(&random, GRAPH_NODES)};
	u64 ends = graph_draw(&random, 4), faults = graph_draw(&random, 3);
	for (u32 i = 0; i < g->nodes; i++) {
		struct graph_node *n = &g->node[i];
		n->edges = graph_draw(&random, 10) < ends ? 0 : 1 + (u32)graph_draw(&random, GRAPH_EDGES);
		n->bad = graph_draw(&random, 4) < faults;
		for (u32 e = 0; e < n->edges; e++) {
			u64 draw = graph_draw(&random, 100);
			n->to[e] = (u32)graph_draw(&random, g->nodes);
			n->result[e] = draw < 2 * faults ? STEP_VIOLATION : draw < 12 ? STEP_PRUNED : STEP_OK;
		}
	}
}

/* The node number is spread over three variables, so that a step changes one word or more. */
static inline u32 graph_at(const struct toy *t)
{
	return (u32)(t->var[0] + 4 * t->var[1] + 16 * t->var[2]);
}

static inline u32 graph_actions(const struct toy *t, u32 *out)
{
	const struct graph *g = t->model->arg;
	u32 n = g->node[graph_at(t)].edges;
	for (u32 e = 0; e < n; e++)
		out[e] = MODEL_ACTION(e / 2, e % 2);
	return n;
}

/* One violation per edge and per node. */
static inline u64 graph_edge_key(u32 node, u32 edge)
{
	return 1000 + node * GRAPH_EDGES + edge;
}

static inline enum step_result graph_step(struct toy *t, u32 action)
{
	const struct graph *g = t->model->arg;
	u32 at = graph_at(t), edge = MODEL_FIBER(action) * 2 + (action & 1), to = g->node[at].to[edge];
	toy_set(t, 0, (int)(to % 4));
	toy_set(t, 1, (int)(to / 4 % 4));
	toy_set(t, 2, (int)(to / 16));
	t->key = graph_edge_key(at, edge);
	return g->node[at].result[edge];
}

static inline enum terminal_kind graph_terminal(struct toy *t)
{
	const struct graph *g = t->model->arg;
	t->key = graph_at(t);
	return g->node[graph_at(t)].bad ? TERMINAL_VIOLATION : TERMINAL_END;
}

static inline struct toy_model graph_model(const struct graph *g)
{
	return (struct toy_model){.vars = 3,
				  .actions = graph_actions,
				  .step = graph_step,
				  .terminal = graph_terminal,
				  .arg = g};
}

/* Distances by repeated relaxation until nothing changes: slow and plain. */
static inline void graph_distances(const struct graph *g, u64 *distance)
{
	for (u32 i = 0; i < g->nodes; i++)
		distance[i] = i ? ~0ull : 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 i = 0; i < g->nodes; i++) {
			const struct graph_node *n = &g->node[i];
			for (u32 e = 0; distance[i] != ~0ull && e < n->edges; e++) {
				if (n->result[e] != STEP_OK || distance[n->to[e]] <= distance[i] + 1)
					continue;
				distance[n->to[e]] = distance[i] + 1;
				changed = true;
			}
		}
	}
}

static inline void graph_found(struct graph_facts *f, u64 key, u64 distance)
{
	f->violations++;
	f->key_sum += key;
	f->shortest = HD_MIN(f->shortest, distance);
}

/* Everything within `bound` steps of node 0; ~0: no bound. */
static inline struct graph_facts graph_enumerate(const struct graph *g, u64 bound)
{
	u64 distance[GRAPH_NODES];
	struct graph_facts f = {.shortest = ~0ull};
	graph_distances(g, distance);
	for (u32 i = 0; i < g->nodes; i++) {
		const struct graph_node *n = &g->node[i];
		if (distance[i] == ~0ull || distance[i] > bound)
			continue;
		f.states++;
		if (!n->edges && n->bad)
			graph_found(&f, i, distance[i]);
		f.end_states += !n->edges && !n->bad;
		if (distance[i] == bound) {
			f.beyond |= n->edges > 0;
			continue;
		}
		for (u32 e = 0; e < n->edges; e++) {
			f.pruned += n->result[e] == STEP_PRUNED;
			f.transitions += n->result[e] != STEP_PRUNED;
			if (n->result[e] == STEP_VIOLATION)
				graph_found(&f, graph_edge_key(i, e), distance[i] + 1);
		}
	}
	return f;
}

#endif
