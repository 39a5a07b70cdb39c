/*
 * spread.h: a search by many machines. Each *rank* has a target of its own and a part of the visited table: a
 * state's fingerprint says whose (spread_owner). docs/design/many-machines.md has the whole picture.
 *
 * The rank that finds a state asks the owner whether it is new, and goes on with other work until the
 * answer comes; if it is, the state is the finder's to extend. So states don't travel, only fingerprints
 * do. Who has nothing to do asks others for work, and gets paths.
 *
 * Nothing here knows how messages travel: a *port* does, MPI behind shared memory for programs
 * (runtime/engine/, mpi/), MPI itself for toy targets in a simulated cluster (bench/many-machines/), queues
 * in tests. Messages between two ranks must keep their order, and none may be lost.
 *
 * Freestanding, like the search.
 */
#ifndef HEDDLE_SEARCH_SPREAD_H
#define HEDDLE_SEARCH_SPREAD_H

#include "base/base.h"
#include "wire/search_options.h"
#include "wire/wire_spread.h"

struct spread_port {
	void *self;
	u32 rank, ranks;
	/* May wait until there is room; meanwhile messages for this rank must find room elsewhere. */
	void (*send)(void *self, u32 to, u16 kind, const void *bytes, u32 len);
	/* The next message, if there is one: its length; *from and *kind are set. -1: there is none. */
	long (*receive)(void *self, u32 *from, u16 *kind, void *bytes);
	/* There is nothing to do until a message comes: wait a little. */
	void (*rest)(void *self);
	/* Out: */
	u32 why;                           /* enum spread_why */
	u64 messages, bytes, asked, given; /* sent; fingerprints asked for; states given away */
};

struct search;
struct spread;

/* Before the first pass, and after the last one. */
struct spread *spread_new(struct search *s);
void spread_free(struct spread *d);
/* The walks before the search have come to this: MOVE_KNOWN, MOVE_HALT or MOVE_RESTART. */
void spread_walked(struct spread *d, u32 move);
u32 spread_rank(const struct spread *d);

u32 spread_owner(struct fingerprint fp, u32 ranks);

#endif
