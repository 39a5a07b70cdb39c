/*
 * profile.h: where the states of a search come from, in words.
 */
#ifndef HEDDLE_REPORT_PROFILE_H
#define HEDDLE_REPORT_PROFILE_H

#include <jansson.h>
#include <stdio.h>

#include "wire/wire_profile.h"

struct profile_place {
	char what[320];  /* "locks mutex m" */
	char where[512]; /* source line */
	u64 threads;     /* as in struct wire_profile_place */
	u64 fresh, met, outcomes;
};

struct profile_word {
	char what[256], where[512]; /* a variable, and where it is declared or else changed; "": not known */
	bool declared;              /* which of both */
	bool only_grows, only_shrinks;
	u64 values;
};

struct profile_lock {
	char what[256];
	u32 thread;
	u64 uses;
};

struct profile {
	bool asked; /* --profile was given */
	bool named; /* what follows is filled in */
	u32 every;
	u64 fresh, met;
	struct profile_place place[WIRE_PROFILE_MAX];
	struct profile_word word[WIRE_PROFILE_MAX];
	struct profile_lock lock[WIRE_PROFILE_MAX];
	u32 places, words, locks;
};

/* Is there something to say, and was it asked for, or did the search come to no end? */
bool profile_has_news(const struct profile *p);
/* The whole, if it was asked for; else in three lines. Nothing without news. */
void profile_print(FILE *f, const struct profile *p);
/* Owned by the caller. */
json_t *profile_json(const struct profile *p);

#endif
