/*
 * play_socket.h: one socket call of a random sequence, and how to play it. Ports the kernel chooses are told
 * as "some".
 */
#ifndef HEDDLE_CONFORM_PLAY_SOCKET_H
#define HEDDLE_CONFORM_PLAY_SOCKET_H

#include <stdbool.h>

#include "play.h"

struct step random_socket_step(uint64_t *rng);
void play_socket_step(kernel *k, const struct step *s, struct answer *out);
/*
 * Odd uses that are not modelled: a connection to port 0, a TCP connection of a socket to itself, another
 * life after its end; a name for a socket that has sent something (Linux tells it to those who receive that
 * later).
 */
bool is_odd_socket_step(const struct step *s);
void print_socket_step(FILE *to, const struct step *s);

#endif
