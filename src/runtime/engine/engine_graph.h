/*
 * engine_graph.h: the graph of states that the search explores, for --graph: an observer of it
 * (search/observer.h). The first WIRE_GRAPH_STATES states, and the edges between them.
 */
#ifndef HEDDLE_RUNTIME_ENGINE_GRAPH_H
#define HEDDLE_RUNTIME_ENGINE_GRAPH_H

#include "search/observer.h"

extern const struct observer engine_graph;

/* A violation is told (violation_last()); the target stands where it was found. */
void graph_violation(void);
/* The search has ended: the graph goes into the worker's arena. */
void graph_write(void);

#endif
