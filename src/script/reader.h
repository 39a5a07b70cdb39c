/*
 * reader.h: a script file, walked from its beginning or from any of its transitions. The file is foreign
 * input: whatever it holds, the walk ends, with an error or at the end, and needs memory for one block and
 * for the path.
 *
 * What comes in a walk:
 *
 *   SCRIPT_ENTER    a new state, the topmost one now, with n transitions; but for the initial one, the next
 *                   transition of the state before leads there
 *   SCRIPT_KNOWN    the next transition of the topmost state leads to a state that was met before: number.
 *                   In a trustful script, whose readers need not care: 0
 *   SCRIPT_NOWHERE  ... ends in nothing: an assumption of the program fails
 *   SCRIPT_MORE     the topmost state has n more transitions
 *   SCRIPT_LEAVE    the topmost state is done; size: its entry in Subgraphs
 *   SCRIPT_END      that was all. States may be left that are not done: then the script is not complete
 */
#ifndef HEDDLE_SCRIPT_READER_H
#define HEDDLE_SCRIPT_READER_H

#include <jansson.h>

#include "script/container.h"
#include "script/script_model.h"
#include "script/modules.h"
#include "script/script.h"

enum script_event_kind {
	SCRIPT_ENTER,
	SCRIPT_KNOWN,
	SCRIPT_NOWHERE,
	SCRIPT_MORE,
	SCRIPT_LEAVE,
	SCRIPT_END,
};

struct script_event {
	enum script_event_kind kind;
	u32 number;
	u32 n; /* transitions: the last ones of the topmost state */
	u64 size;
};

struct script {
	struct container_in file;
	bool trustful, complete, reduced;
	bool trusted; /* set by who follows: of a full script, too, only the spanning tree */
	u64 states, transitions, listed;
	struct script_label *label;
	u32 labels;
	struct modules modules;
	u32 blocks;
	struct byte_buffer facts; /* records: a length in words of 64 bits, the words */

	struct script_model model; /* where the walk is */
	u32 block;
	u64 block_end; /* listed transitions */
	struct byte_buffer column[SCRIPT_COLUMNS];
	struct byte_cursor at[SCRIPT_COLUMNS];
	u64 run;
	bool begun;
};

/*
 * Checks the index and loads labels and facts; blocks are read by who walks. The index's other members are
 * the caller's to read.
 */
int script_open(struct script *s, const char *path, struct problem *p);
void script_close(struct script *s);

/* The walk begins anew. */
int script_rewind(struct script *s, struct problem *p);
int script_next(struct script *s, struct script_event *out, struct problem *p);
/*
 * The short way: numbers of known states that the next transitions lead to, as SCRIPT_KNOWN would tell them,
 * at most `room`. Perhaps none: then script_next has to be asked.
 */
u32 script_known(struct script *s, u32 *number, u32 room);
/* Of a trustful script: those are passed over. */
void script_pass_known(struct script *s);
/* To the last block that begins at or before this transition; SCRIPT_ENTER comes for none of the path. */
int script_seek(struct script *s, u64 transition, struct problem *p);
/* The walk stands at or before this transition, and as near as script_seek would come: go on from here. */
bool script_is_near(const struct script *s, u64 transition);

/* The labels of a script or of a part of one. */
int script_labels_load(const struct container_in *file, u64 count, u32 modules, struct script_label **out,
		       struct problem *p);

/* The trees it carries; *out is empty if there are none. */
int script_trees(const struct script *s, struct byte_buffer *out, struct problem *p);

#endif
