/*
 * What the reduction (reduction.h) needs of the other ranks: what they know, and whether one of their
 * decisions was wrong.
 *
 * Facts go up a tree of ranks (0; 1 and 2 below it; 3 and 4 below 1 …): who hears one from below that is new
 * to it tells the rank above. Rank 0 tells those below, and each tells it on as it came. So all hear the same
 * facts in the same order, a control point before whatever is said about it; and a fact that many ranks find
 * at the same time goes up once from each part of the tree, not from each rank to each other.
 *
 * A rank is not quiet (spread.c) while it knows one of its decisions to be wrong. The end is seen if nothing
 * was under way between two questions, so that each rank has answered with all that anybody knows.
 */
#include "search/reduction.h"
#include "search/spread_priv.h"

/* To those below. */
static void tell(struct spread *d, const u64 *word, u32 words)
{
	u32 first = 2 * d->port->rank + 1;
	for (u32 to = first; to < first + 2 && to < d->port->ranks; to++)
		spread_send(d, to, KIND_KNOWN, word, words * (u32)sizeof(*word));
}

/* Something new: known here, or by one of those below. */
static void say(void *to, const u64 *word, u32 words)
{
	struct spread *d = to;
	if (d->port->rank)
		spread_send(d, (d->port->rank - 1) / 2, KIND_FACT, word, words * (u32)sizeof(*word));
	else
		tell(d, word, words);
}

void spread_share_facts(struct spread *d)
{
	reduction_share(d->s->reduction, say, d);
}

void spread_hear_fact(struct spread *d, const u64 *word, u32 words)
{
	if (d->s->reduction)
		reduction_pass_on(d->s->reduction, word, words);
}

void spread_hear_known(struct spread *d, const u64 *word, u32 words)
{
	tell(d, word, words);
	if (d->s->reduction)
		reduction_hear(d->s->reduction, word, words);
}

bool spread_was_wrong(struct spread *d)
{
	return d->s->reduction && reduction_was_wrong(d->s->reduction);
}

void spread_check_pass(struct spread *d)
{
	struct search *s = d->s;
	bool idle = !d->stack.len && !d->rests.len;
	if (!idle && s->ticks < d->checked_at + CHECK_EVERY)
		return;
	d->checked_at = s->ticks;
	if (search_check_pass(s, idle) == MOVE_RESTART)
		spread_stop_all(d, SPREAD_PASS, SEARCH_INTERRUPTED);
}
