/*
 * play_selector.h: one call of a random sequence about selectors: epoll, poll and select over socket pairs,
 * TCP connections, pipes and eventfds, none of which waits.
 */
#ifndef HEDDLE_CONFORM_PLAY_SELECTOR_H
#define HEDDLE_CONFORM_PLAY_SELECTOR_H

#include "play.h"

struct step random_selector_step(uint64_t *rng);
void play_selector_step(kernel *k, const struct step *s, struct answer *out);
void print_selector_step(FILE *to, const struct step *s);

#endif
