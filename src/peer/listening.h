/*
 * listening.h: does a peer listen at an address? For servers with a port of their own choice.
 */
#ifndef HEDDLE_PEER_LISTENING_H
#define HEDDLE_PEER_LISTENING_H

#include <sys/types.h>

#include "wire/wire_net.h"

/* Has this process, or one below it, a socket that takes connections (or datagrams) for the address? */
bool listening_is_below(pid_t root, const struct net_address *at);

#endif
