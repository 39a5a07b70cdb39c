/*
 * wire_transport.h: the cache's way to the broker: requests over the wire, one at a time.
 */
#ifndef HEDDLE_RUNTIME_WIRE_TRANSPORT_H
#define HEDDLE_RUNTIME_WIRE_TRANSPORT_H

#include "iocache/transport.h"

const struct transport *wire_transport(void);
/* Called before a reply is waited for, and after. */
void wire_transport_on_wait(void (*wait)(bool waits));

#endif
