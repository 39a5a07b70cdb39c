/*
 * sequences.h: random sequences of calls, played on both kernels step by step: return values, error numbers
 * and data must agree. A sequence that fails is shrunk and printed.
 */
#ifndef HEDDLE_CONFORM_SEQUENCES_H
#define HEDDLE_CONFORM_SEQUENCES_H

#include <stdbool.h>

#include "play.h"

struct sequences {
	const char *name; /* what the calls are on */
	unsigned length;  /* calls in one */
	unsigned tries;   /* a difference counts if it is there as often as this */
	void (*fresh)(void);
	struct step (*random)(uint64_t *rng);
	void (*play)(kernel *k, const struct step *s, struct answer *out);
	/* Answers that are Linux's own and not to be compared; may be NULL. */
	bool (*is_free_choice)(const struct step *s);
	void (*print)(FILE *to, const struct step *s);
};

/* 0: all agree. */
int sequences_compare(const struct sequences *q, unsigned long count, uint64_t seed);

#endif
