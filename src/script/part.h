/*
 * part.h: parts of a script. How it is cut (partition), a part as a file of its own, what a follower of a
 * part
 * leaves (a map of fingerprints), and the comparison of all maps, which alone can say that the parts are the
 * whole.
 */
#ifndef HEDDLE_SCRIPT_PART_H
#define HEDDLE_SCRIPT_PART_H

#include "script/feeder.h"
#include "wire/search_options.h"
#include "wire/wire_script.h"

#define PART_MAGIC "heddle_script_part"
#define PART_VERSION 1
#define MAX_PARTS 65536u
#define PRINTS_MAGIC "heddle_fingerprints"
#define PRINTS_VERSION 2

/* One part: intervals of the script's transitions, ascending. */
struct partition_part {
	struct script_interval *interval;
	u32 intervals;
	u64 transitions;
	u32 root; /* number of the subgraph's root; 1: what remains, 0: cut elsewhere */
};

struct partition {
	struct partition_part *part;
	u32 parts;
};

/*
 * k parts. subgraphs: the greedy algorithm of Taleghani and Atlee, which takes whole subgraphs by the table
 * Subgraphs; else cuts are made anywhere between two transitions, inside a state's children too, and all
 * parts are of one size.
 */
int partition_make(struct partition *out, struct script *s, u32 k, bool subgraphs, struct problem *p);
void partition_free(struct partition *q);

/* A part as a file. */
struct script_part {
	struct container_in file;
	u64 states, transitions, number, parts;
	struct container_id script; /* that it is a part of */
	bool trustful;
	struct script_label *label;
	u32 labels;
	struct modules modules;
};
int script_part_write(struct script *s, const struct partition_part *part, u32 number, u32 parts,
		      const char *path, u64 *longest, u64 *sum, u64 *bytes, struct problem *p);
int script_part_open(struct script_part *f, const char *path, struct problem *p);
void script_part_close(struct script_part *f);
void script_part_place(struct script_part *f, const struct modules *here);
int script_part_feed(struct script_part *f, const struct tape_sink *to, struct problem *p);

/* What is said of a part that was followed. */
struct part_result {
	struct container_id script;
	u64 states, number, parts, transitions;
	u32 ranges;
	bool good;      /* certified, as far as a part can be */
	bool busy;      /* the program waits busily, */
	bool busy_lost; /* and not all that shows livelocks is there */
	u64 busy_edges;
	u64 livelock; /* of a merge: a state from which the program only waits, for ever; 0: none */
	char verdict[32], program[80];
};
/* prints: the memory file that the follower wrote. */
int part_prints_write(const struct part_result *r, int prints, const char *path, u64 *bytes,
		      struct problem *p);
/*
 * Do these maps belong to one script, and cover all of it? -1: a file cannot be read. out->good: they do;
 * else `why` says what is wrong.
 */
int part_prints_merge(char *const *path, u32 n, struct part_result *out, char *why, size_t cap,
		      struct problem *p);

#endif
