/*
 * script.h: names and limits of the script format that writer and reader share.
 */
#ifndef HEDDLE_SCRIPT_SCRIPT_H
#define HEDDLE_SCRIPT_SCRIPT_H

#include "base/base.h"

#define SCRIPT_MAGIC "heddle_script"
#define SCRIPT_VERSION 3
#define SCRIPT_MAX_LABELS (1u << 24)
/*
 * A block has so many transitions, listed ones: the first, or a share of all before it, but at most the last.
 * Who follows a part reads from the beginning of a block on: it has to be short beside one of 100 parts.
 */
#define SCRIPT_BLOCK_SHARE 16u
#define SCRIPT_BLOCK_FIRST (1u << 16)
#define SCRIPT_BLOCK_LAST (1u << 23)

/* The columns of a block. */
enum script_column {
	COLUMN_PATH,    /* the path where it begins */
	COLUMN_RUNS,    /* how many transitions come as expected before one that does not */
	COLUMN_CASES,   /* where that one leads: enum script_case */
	COLUMN_NUMBERS, /* distances of numbers that nothing expects */
	COLUMN_RANKS,   /* transitions of each new state, by rank */
	COLUMN_LISTS,   /* those that have none */
	COLUMN_MORE,    /* where a state has a second list */
	COLUMN_SIZES,   /* subgraphs */
	SCRIPT_COLUMNS
};
#define SCRIPT_COLUMN_NAMES \
	{ \
		"path", "runs", "cases", "numbers", "ranks", "lists", "more", "sizes" \
	}

enum script_case {
	CASE_NEW,
	CASE_ACROSS,
	CASE_BACK,
	CASE_SHIFT,
	CASE_NUMBER,
	CASE_NOWHERE,
	CASE_SLIDE,
	CASES
};

#endif
