/*
 * wire_team.h: where the memory lies that the workers of a parallel search share (search/team.h). The
 * controller only makes it: a sparse memory file, all zero, at descriptor WIRE_TEAM_FD of each worker. A run
 * with one worker has none.
 */
#ifndef HEDDLE_WIRE_WIRE_TEAM_H
#define HEDDLE_WIRE_WIRE_TEAM_H

#include "base/base.h"

#define WIRE_TEAM_FD 1003
#define WIRE_TEAM_BASE 0x500000000000UL /* behind the engine's own memory, base/pages.h */
#define WIRE_TEAM_SIZE ((1UL << 40) + (1UL << 33))
#define WIRE_MAX_WORKERS 64

#endif
