/*
 * net_idle.h: clients that were taken for idle, because nobody had seen them go on: net_waits_for_more and
 * net_look_at_idle of net.h.
 */
#ifndef HEDDLE_RUNTIME_NET_IDLE_H
#define HEDDLE_RUNTIME_NET_IDLE_H

#include "iocache/cache.h"

void net_idle_setup(struct cache *c);

#endif
