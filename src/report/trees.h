/*
 * trees.h: communication trees for people and for other tools: text, a graph for graphviz, or a capture
 * file in which each trace is a conversation of its own.
 */
#ifndef HEDDLE_REPORT_TREES_H
#define HEDDLE_REPORT_TREES_H

#include <stdio.h>

#include "iocache/tree.h"

struct trees_format {
	const char *name; /* as in --format */
	bool binary;
	/* false: no memory. What the stream has to say is the caller's to ask. */
	bool (*print)(FILE *f, const struct trees *t);
};
/* NULL: no such format. */
const struct trees_format *trees_format_by_name(const char *name);

bool trees_text(FILE *f, const struct trees *t);
bool trees_dot(FILE *f, const struct trees *t);
bool trees_pcap(FILE *f, const struct trees *t);

/*
 * "to 127.0.0.1:8080", "client 2 of port 9000", "to socket /run/x"; with the instance where there are
 * several.
 */
void tree_title(const struct tree_key *k, char *out, size_t cap);
/* "127.0.0.1:8080" */
void tree_address(const struct net_address *a, char *out, size_t cap);
/* How many ways from the root to an end there are. */
u32 tree_traces(const struct trees *t, u32 tree);
/* "branching", "linear", "none". */
const char *cache_mode_name(u32 mode);

#endif
