/*
 * audit.h: are footprints complete? An observer of the search (observer.h), at --sanity 2 and above.
 *
 * What a step touches is declared by hand (footprint.h), and whatever is built on footprints (which uses
 * are merged into a longer step, which steps need not be tried in both orders) says "verified"
 * wrongly where a declaration is missing. So the machine looks for it, in four ways:
 *
 *   A1  What a step changed, it declared: after each step, every changed word of the model belongs to an
 *       object that the step declared as changed, or to the fiber that ran (target_audit.undeclared).
 *   A2  What is declared as independent commutes: from a state, two enabled actions of different fibers whose
 *       footprints don't conflict are executed in both orders. Both must be possible, lead to the same
 *       fingerprint, and leave the same actions enabled. Neither may change which actions the other's
 *       fiber has.
 *   A3  What was merged moves left: a step is op m1 m2 …, with m the uses that were merged into it. The
 *       step is executed once more, but ends before mk; another fiber's step b follows, then the rest.
 *       Unless b and the rest are declared to be a pair that must not be merged (access_merges; then it is
 *       for the lessons to see it), that must lead to the same state as the whole step followed by b.
 *
 *   A4  Who waits says for what: if a step changes which actions another fiber has, its footprint conflicts
 *       with what that fiber's pending operation declares to depend on (target_reduction.pending).
 *
 * At level 3, pairs whose footprints do conflict are executed in both orders as well, and counted
 * (dependence.h): whether they agree is no error, but may be a chance.
 *
 * A pair that fails A2 or A3 is not always our fault: the threads of an unmodified program may race, and
 * nobody declares its plain loads and stores. target_audit.race finds that out by experiment. Such pairs
 * are counted (search_stats.unsynchronised); all else is a tool error that names both steps and the first
 * difference.
 *
 * Steps executed for the audit are counted nowhere but in its own budget: at level 2 as many as the search
 * itself has made, after the first AUDIT_FREE; at level 3 every state is audited.
 */
#ifndef HEDDLE_SEARCH_AUDIT_H
#define HEDDLE_SEARCH_AUDIT_H

#include "search/observer.h"

#define AUDIT_FREE 20000

extern const struct observer observer_audit;

/* A race of the program's own, at this address: counted, and the first at each address kept. */
void audit_count_race(struct search *s, u64 address, u32 a, u32 b);

#endif
