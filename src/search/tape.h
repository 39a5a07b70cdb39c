/*
 * tape.h: a depth-first search as a stream of words: what the engine tells while it records (recorder.h), and
 * what it is told when it follows a script (follow.h). It passes between two processes on one machine; the
 * file that others may read is src/script's business.
 *
 * A word is a tag in its lowest bits and a value above. States are numbered from 1 on in the order of
 * discovery. A label stands for an action: one number for each (action, kind, pc).
 *
 *   TAPE_BEGIN            a search begins: all before is void, but for facts
 *   TAPE_LABEL   id       then: action, kind, pc low, pc high. Ids ascend from 0
 *   TAPE_ENTER   n        a new state is entered, the initial one first; then the labels of n actions, in
 *                         the order in which they are explored. What follows tells where each leads
 *     TAPE_ENTER …        to a new state,
 *     TAPE_KNOWN number   to one that was met before,
 *     TAPE_NOWHERE        nowhere: an assumption failed
 *   TAPE_MORE    n        of the topmost state n further actions have to be explored (dfs.c, proviso); then
 *                         their labels
 *   TAPE_LEAVE   how      the topmost state is done. 0: all was told; 1: the search ended here
 *   TAPE_FACT    n        n words of 64 bits, low half first: reduction_hear; 0: forget all of them
 *   TAPE_END     end      enum search_end; + TAPE_UNSETTLED: the reduction was still learning, so that who
 *                         knows all its facts from the beginning would choose otherwise
 *
 * Only for followers, whose part of a script need not begin at its beginning:
 *
 *   TAPE_COUNT   number   of the state that the next TAPE_ENTER is about
 *   TAPE_DOWN             the next action is only the way to this part; TAPE_COUNT and TAPE_ENTER follow
 *   TAPE_SKIP    n        the next n actions of the topmost state belong to other parts
 */
#ifndef HEDDLE_SEARCH_TAPE_H
#define HEDDLE_SEARCH_TAPE_H

#include "base/base.h"

enum tape_tag {
	TAPE_BEGIN,
	TAPE_LABEL,
	TAPE_ENTER,
	TAPE_KNOWN,
	TAPE_NOWHERE,
	TAPE_MORE,
	TAPE_LEAVE,
	TAPE_FACT,
	TAPE_END,
	TAPE_COUNT,
	TAPE_DOWN,
	TAPE_SKIP,
	TAPE_TAGS
};
#define TAPE_BITS 4u
#define TAPE_WORD(tag, value) ((u32)(value) << TAPE_BITS | (u32)(tag))
#define TAPE_TAG(word) ((word) & ((1u << TAPE_BITS) - 1))
#define TAPE_VALUE(word) ((word) >> TAPE_BITS)
#define TAPE_UNSETTLED 256u
/* Numbers of states and labels end here. */
#define TAPE_MAX_VALUE ((1u << (32 - TAPE_BITS)) - 1)

/* Where words go to. write takes all of them; false: nobody takes them any more. */
struct tape_sink {
	bool (*write)(void *self, const u32 *word, u32 n);
	void *self;
};

/*
 * Where words come from. read gives at least one of them; 0: there are no more. again: they shall come once
 * more from the beginning, behind TAPE_MARKS words TAPE_MARK; what was under way comes before. It also makes
 * FP empty. False: they won't.
 */
#define TAPE_MARK 0xffffffffu
#define TAPE_MARKS 4u
struct tape_source {
	u32 (*read)(void *self, u32 *word, u32 room);
	bool (*again)(void *self);
	void *self;
};

#endif
