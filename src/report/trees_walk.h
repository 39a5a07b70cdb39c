/*
 * trees_walk.h: a communication tree as a sequence of events, for whoever prints one. Trees may be deep and
 * come from files: nothing here recurses.
 */
#ifndef HEDDLE_REPORT_TREES_WALK_H
#define HEDDLE_REPORT_TREES_WALK_H

#include "iocache/tree.h"

enum tree_event_kind {
	TREE_WRITTEN, /* bytes by the SUT */
	TREE_ENDED,   /* the SUT shut down its writing */
	TREE_SAID,    /* bytes by the peer */
	TREE_CLOSED,  /* by the peer */
	TREE_RESET,   /* by the peer */
	TREE_SILENT,  /* the peer came to rest and had nothing to say */
	TREE_UNHEARD, /* a trace ends here, and the peer was never waited for */
};

struct tree_event {
	enum tree_event_kind kind;
	const u8 *bytes; /* of WRITTEN and SAID */
	u64 len;
	u32 flags; /* what the peer does: NET_TIMED, NET_GUESSED */
};

struct tree_visitor {
	void *self;
	void (*event)(void *self, const struct tree_event *e);
	/*
	 * The n-th of several ways on begins, behind `at` bytes of the SUT; depth counts such forks. May be
	 * NULL.
	 */
	void (*way)(void *self, u32 n, u32 of, u64 at, u32 depth);
	/* The visitor's own word: what it was at a fork, it is again when the next way begins. */
	u64 token;
};

/* All events of a tree, each once, depth first. false: no memory. */
bool tree_walk(const struct trees *t, u32 tree, struct tree_visitor *v);
/* The events of one trace, from the root to the end of `branch`. false: no memory. */
bool tree_walk_trace(const struct trees *t, u32 branch, struct tree_visitor *v);
/*
 * Does a trace end where this branch ends? (Of what was copied in part, a branch may go on in another one
 * only.)
 */
bool tree_trace_ends(const struct trees *t, u32 branch);

#endif
