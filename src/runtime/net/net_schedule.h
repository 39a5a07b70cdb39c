/*
 * net_schedule.h: the execution so far, in words, for messages of the cache (cache_set_schedule).
 */
#ifndef HEDDLE_RUNTIME_NET_SCHEDULE_H
#define HEDDLE_RUNTIME_NET_SCHEDULE_H

#include "base/base.h"

void net_schedule(void *self, char *out, size_t cap);

#endif
