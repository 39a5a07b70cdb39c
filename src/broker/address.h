/*
 * address.h: an address as the wire names it, as the kernel takes it, and as people read it.
 */
#ifndef HEDDLE_BROKER_ADDRESS_H
#define HEDDLE_BROKER_ADDRESS_H

#include <sys/socket.h>

#include "wire/wire_net.h"

#define ADDRESS_TEXT 160

/* 0: not a family we know. */
socklen_t address_to_kernel(const struct net_address *a, struct sockaddr_storage *out);
/* "127.0.0.1:80", "[::1]:80", "UNIX socket /run/x", with "UDP " before datagram addresses. */
const char *address_text(const struct net_address *a, char out[ADDRESS_TEXT]);

#endif
