/*
 * reduction.h: partial-order reduction by learnt stubborn sets, which lives with state matching.
 *
 * In a state, often only some of the enabled actions have to be explored: those of a set T of fibers such
 * that nothing the others could ever do, before a member of T moves, conflicts with what the members do next.
 * What fibers will do is not known beforehand; it is learnt. docs/REDUCTION.md has the argument; in short:
 *
 *   control point   where a fiber stands: the fiber, its pending operation, place in the program
 *                   (target_reduction.point);
 *   facts           of each control point: what the pending operation there touches, even if it never came
 *                   to pass; what steps from there touched; which control points came next. Facts are only
 *                   ever added, and survive passes and restarts;
 *   future(c)       all that is touched at control points reachable from c.
 *   T               closed: with a member u, every fiber v whose future conflicts with the next step of u,
 *                   or, if u waits, with what could end its wait;
 *   pass            a search from the initial state. Each decision relies on pairs (u, v) that don't
 *                   conflict. If at the end of the pass, with all that was learnt in it, one of these pairs
 *                   does conflict, another pass follows; otherwise every decision was right.
 *
 * The proviso against ignoring a fiber for ever is the strategy's: it explores the rest of the actions where
 * all the chosen ones lead back into the path (dfs), or to known states (bfs).
 *
 * Freestanding, like the search.
 */
#ifndef HEDDLE_SEARCH_REDUCTION_H
#define HEDDLE_SEARCH_REDUCTION_H

#include "search/target.h"

struct reduction;

/* Room for what is learnt; NULL: no memory, or the target can't be reduced. */
struct reduction *reduction_new(const struct target *t);
void reduction_free(struct reduction *r);
u64 reduction_memory(const struct reduction *r);

/* A pass begins: nothing is relied upon yet. */
void reduction_begin_pass(struct reduction *r);
/*
 * The target stands in a state that is going to be extended; these are its enabled actions. Moves those that
 * have to be explored to the front and returns their number, n: all of them. States are entered and left
 * like a stack.
 */
u32 reduction_enter(struct reduction *r, u32 *actions, u32 n);
/* The same without a decision: for who only learns on the way (prelude.h), or follows another worker. */
void reduction_meet(struct reduction *r);
void reduction_leave(struct reduction *r);
/* The target stands in a state in which nobody can move: what they wait for there is learnt all the same. */
void reduction_look(struct reduction *r);
/*
 * In the state entered last, the action was executed; the target stands where it led. ended: the step was cut
 * short, nothing comes after it.
 */
void reduction_learn(struct reduction *r, u32 action, bool ended);
/*
 * In the current state, pending steps of these fibers depend on each other in a way that their footprints
 * don't tell (eye.h): from now on they count as dependent, wherever the fibers stand at these control points.
 */
void reduction_depend(struct reduction *r, u32 fiber, u32 other);

/* With several workers: say() gets what is learnt here, for reduction_hear of the others. */
void reduction_share(struct reduction *r, void (*say)(void *to, const u64 *word, u32 words), void *to);
void reduction_hear(struct reduction *r, const u64 *word, u32 words);
/* The same, and what is new in it is said again: to those who don't hear what this one hears. */
void reduction_pass_on(struct reduction *r, const u64 *word, u32 words);
/* A search is saved in the middle of a pass, and others go on with it: what the pass relies on goes along. */
void reduction_say_relied(const struct reduction *r, void (*say)(void *to, const u64 *word, u32 words),
			  void *to);
void reduction_rely(struct reduction *r, const u64 *word, u32 words);
/* Words of a stranger: can they be heard? */
bool reduction_makes_sense(const struct reduction *r, const u64 *word, u32 words);
/* By all that is known now: was some decision of this pass wrong? Then there must be another one. */
bool reduction_was_wrong(struct reduction *r);
/* How many facts are known: to see whether there are new ones. */
u64 reduction_facts(const struct reduction *r);

#endif
