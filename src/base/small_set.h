/*
 * small_set.h: a few numbers in an array, ascending, zeros behind: the same set is the same words, so it may
 * be part of a state. 0 is no member; a number may be one several times (a lock that is held twice).
 */
#ifndef HEDDLE_BASE_SMALL_SET_H
#define HEDDLE_BASE_SMALL_SET_H

#include "base/base.h"

/* False: there is no room. */
static inline bool small_set_add(u64 *set, u32 room, u64 value)
{
	u32 at = room - 1;
	if (set[at])
		return false;
	for (; at && (!set[at - 1] || set[at - 1] > value); at--)
		set[at] = set[at - 1];
	set[at] = value;
	return true;
}

/* False: it was not there. */
static inline bool small_set_remove(u64 *set, u32 room, u64 value)
{
	u32 at = 0;
	while (at < room && set[at] != value)
		at++;
	if (at == room)
		return false;
	for (; at < room; at++)
		set[at] = at + 1 < room ? set[at + 1] : 0;
	return true;
}

#endif
