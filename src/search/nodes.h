/*
 * nodes.h: the nodes of a breadth-first search: each holds what leads from its
 * parent to it and stays as long as somebody below it, or the target's position, needs it.
 */
#ifndef HEDDLE_SEARCH_NODES_H
#define HEDDLE_SEARCH_NODES_H

#include "base/base.h"

struct node {
	struct node *parent; /* NULL: the initial state */
	struct node *next;   /* in the queue, or in a list of free nodes */
	u32 action;          /* from the parent */
	u32 depth;
	u32 refs; /* live children; the queue; the position */
	u32 size_class;
	char delta[] __attribute__((aligned(8))); /* against the parent */
};

#define NODE_CLASSES 256

struct nodes {
	struct node *free[NODE_CLASSES];
	char *chunk, *chunk_end;
	void *chunks; /* all of them, linked by their first word */
	u64 bytes;
};

/* A node with refs 1; the parent gets one more. NULL when memory is out. */
struct node *node_new(struct nodes *all, struct node *parent, u32 action, size_t delta_size);
/* One reference less; a node that nobody needs is freed, and perhaps its ancestors with it. */
void node_put(struct nodes *all, struct node *n);
void nodes_free(struct nodes *all);

#endif
