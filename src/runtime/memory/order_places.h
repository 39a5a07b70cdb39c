/*
 * order_places.h: the places in memory whose accesses order.c follows. A unit is 4 bytes, or 1 where smaller
 * accesses are made; it has a number as long as the run lasts. For order.c only.
 */
#ifndef HEDDLE_RUNTIME_ORDER_PLACES_H
#define HEDDLE_RUNTIME_ORDER_PLACES_H

#include "base/base.h"

void order_places_setup(void);
/* Part of the 4 bytes at `cell` are accessed, or all of them. May want a restart. how: enum memory_how. */
void order_place_used(u64 cell, bool whole, u64 how);
/* Calls fn for each unit of the range that has a number, until it returns false. */
void order_each_unit(u64 address, u64 size, bool (*fn)(void *self, u32 unit, u64 address), void *self);
/* Do volatile accesses to this place act like atomics, as atomic instructions in assembly work on it, too? */
bool order_volatile_acts(u64 address);
/* There is no room to follow something (order_left_out). */
void order_leave_out(void);

#endif
