/*
 * play_socket.h: one socket call of a random sequence, and how to play it. Ports the kernel chooses are told as "some".
 */
#ifndef HEDDLE_CONFORM_PLAY_SOCKET_H
#define HEDDLE_CONFORM_PLAY_SOCKET_H

#include "play.h"

/* Find ports of this machine that nobody uses. */
void socket_setup(void);
struct step random_socket_step(uint64_t *rng);
void play_socket_step(kernel *k, const struct step *s, struct answer *out);
void print_socket_step(FILE *to, const struct step *s);

#endif
