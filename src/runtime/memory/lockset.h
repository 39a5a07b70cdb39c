/*
 * lockset.h: sets of locks as small numbers. Persistent: the same set is the same number for the whole run.
 */
#ifndef HEDDLE_RUNTIME_LOCKSET_H
#define HEDDLE_RUNTIME_LOCKSET_H

#include "base/base.h"

#define LOCKSET_ALL 0u /* not restricted yet */
#define LOCKSET_NONE 1u
#define LOCKSET_MAX_LOCKS 6
#define LOCKSET_BITS 16 /* numbers stay below 2^16 */

void lockset_setup(void);
/* locks: ascending, n of them, at most LOCKSET_MAX_LOCKS. */
u32 lockset_of(const u64 *locks, u32 n);
u32 lockset_meet(u32 a, u32 b);
/* The locks of a set, into an array of LOCKSET_MAX_LOCKS: how many there are. */
u32 lockset_get(u32 a, u64 *locks);
/* A number for the locks in it, which does not depend on the sets that were there before. */
u64 lockset_key(u32 a);

#endif
