/*
 * eye.h: a glance at what is not declared. An observer of the search (observer.h), on by default where the
 * target asks for it (target_audit.unmodified): a program whose loads and stores nobody sees.
 *
 * Threads of such a program are interleaved at visible operations only. That is enough as long as they
 * synchronise; where they race, executions are left out, and "verified" says less than it seems to. Two
 * steps of different fibers that are enabled together and share no declared object should commute, and store
 * to different words. In some states, pairs of steps are looked at for that: those with new pairs of
 * control points first, as long as it costs no more than a few percent of the steps of the search. Which
 * states these are depends on the search alone, so that each run looks at the same.
 *
 * Steps that conflict (those that begin at atomic instructions on one variable, say) hide what follows their
 * operations, and what a step does behind a release, or behind a
 * thread that it makes, is never enabled together with what that lets others do. So single steps are cut
 * there as well (target_audit.pause), and each part is looked at beside what others can do, and go on to do,
 * while its fiber stands before it.
 *
 * The reduction (reduction.h) is told which pairs don't commute: what races is explored in all orders.
 *
 * What is found is noted (target_audit.note_race), and changes no count: it belongs to the verdict's
 * headline. Nothing found means little. The audit (audit.h) looks more closely, and at the declarations
 * themselves.
 */
#ifndef HEDDLE_SEARCH_EYE_H
#define HEDDLE_SEARCH_EYE_H

#include "search/observer.h"

#define EYE_FREE 3000     /* steps that are always spent */
#define EYE_PRELUDE 30000 /* the same, before a search with reduction (prelude.h) */
#define EYE_SHARE 40      /* then one for so many of the search */

extern const struct observer observer_eye;

#endif
