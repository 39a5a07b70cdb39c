/*
 * team.h: what the workers of a parallel search have in common: memory that all of them map, which holds the
 * table of visited states, work to be handed over, and what one of them has to tell the others. No search in
 * here; parallel.h is how a search uses it. docs/design/parallel.md has the whole picture.
 *
 *   units     work that somebody gave away and nobody has taken yet: bytes, of which only the strategy knows
 *             what they mean;
 *   notes     what workers have learnt, in a list that only grows: each reads behind the last one it knows;
 *   meetings  all workers stop where they are and come together, because one of them has called: to let the
 *             table grow, to start again, to end. Nobody goes on before all know what was decided.
 *
 * Locks are held for short moments, and a worker that dies may die with one: then the others wait for ever,
 * and whoever started them ends them and starts the run anew (session/session.c).
 */
#ifndef HEDDLE_SEARCH_TEAM_H
#define HEDDLE_SEARCH_TEAM_H

#include "base/pages.h"
#include "state/shared_visited.h"
#include "wire/wire_team.h"

/* At the start of WIRE_TEAM_SIZE bytes of shared memory that were zero when the first worker came. */
struct team;

/* What a worker keeps for itself. */
struct team_member {
	struct team *team;
	u32 number; /* from 0: the one that begins at the initial state, and may have to go on alone */
	struct shared_table table;
	u64 heard; /* words of notes */
	bool joined;
	bool met; /* the search returns because of what a meeting decided */
};

/* Why workers meet. Bits, as several may call at a time. */
enum team_call {
	TEAM_GROW = 1,       /* the table is nearly full */
	TEAM_RESTART = 2,    /* steps were too coarse: from the initial state again */
	TEAM_PASS = 4,       /* the same, because of a wrong decision of the reduction */
	TEAM_END = 8,        /* the search is over */
	TEAM_ALONE = 16,     /* worker 0 goes on alone, from the initial state */
	TEAM_SAVE = 32,      /* the search is to be written down as it is */
	TEAM_UNREADY = 64,   /* … but this worker is in the middle of something: later */
	TEAM_LIVELOCK = 128, /* TEAM_ALONE, if nobody has a reason to start again: there is a livelock */
	TEAM_FILTER = 512,   /* a filter takes the table's place: memory runs short */
	TEAM_DISAGREE =
		256, /* a path led elsewhere than another worker said: TEAM_RESTART, but not for ever */
};

/* Comes before everything else. False: the search is over already. */
bool team_join(struct team_member *m, void *memory, u32 number);

/* The fingerprint of this worker's initial state. False: another worker has another one. */
bool team_same_start(struct team_member *m, struct fingerprint initial);

/* ---- cheap looks, for whoever is busy ---- */

/* What was called for? 0: nobody has called. */
u32 team_called(const struct team_member *m);
/* Does somebody wait for work, of which there is none? */
bool team_is_hungry(const struct team_member *m);
/* States of all workers, by what they have published. */
u64 team_states(const struct team_member *m);
/* Tells the others how many states this worker found, and how much memory it has of its own. */
void team_publish(struct team_member *m, u64 states, u64 memory);
/* The sum of what all workers have published. */
u64 team_memory(const struct team_member *m);
/* One state more, of all workers' together: how many there are before it. */
u64 team_count_state(struct team_member *m);

/* ---- meetings ---- */

/* With TEAM_FILTER: how many bytes it may have. How many states there were when it began, 0: it has not. */
void team_call_filter(struct team_member *m, u64 bytes);
u64 team_filtered_from(const struct team_member *m);
/* `end`, with TEAM_END: why, enum search_end. The first one to say so is heard. */
void team_call(struct team_member *m, u32 why, u32 end);
/*
 * Wait for all others. check() is called when all are there, and tells why else there must be a meeting; it
 * gets what was called for so far. Returns what was decided: one of enum team_call, or 0: go on. TEAM_GROW
 * has been done; TEAM_FILTER is under way: shared_visited_pour, then team_filter_end; TEAM_SAVE is under
 * way: team_deposit, team_save_begin, team_save_end. *end: with TEAM_END, why.
 */
u32 team_meet(struct team_member *m, u32 (*check)(void *self, u32 called, u32 end), void *self, u32 *end);

void team_filter_end(struct team_member *m);

/*
 * Saving: each worker leaves a unit with all it has still to do (bytes 0: nothing; too many: it can't be
 * saved) and says what the search relies on. When all have done so (team_save_begin; false: it can't be
 * saved), whoever started them copies the memory, and they go on after team_save_end.
 */
void team_deposit(struct team_member *m, const void *unit, size_t bytes);
bool team_save_begin(struct team_member *m);
void team_save_end(struct team_member *m);
/*
 * The memory is a copy: what was left is work to be taken, and no worker has come yet. To be called once,
 * before all else, by the process that will be worker 0.
 */
void team_revive(void *memory);
/* Was the note that was heard last said when the search was saved that is gone on with? */
bool team_heard_saved(const struct team_member *m);

/* ---- work ---- */

/* Worker 0 has begun: if all wait for work from now on, there is none. False: there was work already. */
bool team_begin(struct team_member *m);
/* A unit of at most TEAM_UNIT_BYTES. False: nobody waits for one any more. */
bool team_give(struct team_member *m, const void *unit, size_t bytes);
/*
 * Waits for a unit and appends it to `out`: 1. 0: there is a call (perhaps as all work is done, which
 * then calls TEAM_END with SEARCH_COMPLETE). -ENOMEM: no memory for it.
 */
int team_take(struct team_member *m, struct pages_vec *out);
#define TEAM_UNIT_BYTES (16UL << 20)

/* ---- notes ---- */

/* kind: not 0. False: there is no room for more of them. */
bool team_say(struct team_member *m, u16 kind, const u64 *word, u32 words);
/* Calls fn for each note of a kind that anybody said since this search began, in their order. */
void team_each_note(const struct team_member *m, u16 kind, void (*fn)(void *self, const u64 *word, u32 words),
		    void *self);
/* The next note of another worker that this one has not read yet; NULL: there is none. */
const u64 *team_hear(struct team_member *m, u16 *kind, u32 *words);

#endif
