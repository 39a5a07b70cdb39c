/*
 * Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler
 * with probabilistic guarantees of finding bugs, ASPLOS 2010). Each fiber has a random priority; the
 * enabled fiber with the highest one runs. At d - 1 random points of a run the fiber that would run next
 * falls below those that never fell. A bug that needs d ordering constraints is found with probability at
 * least 1 / (n k^(d-1)) in each run, for n fibers and k steps.
 *
 * Two things the paper leaves to the reader:
 *  - k is not known. It follows the lengths of the runs seen: up at once, down slowly.
 *  - A fiber of high priority that waits by looking again and again (try-lock, yield) would run for
 *    ever. While one fiber runs on, its states are watched for a cycle (Brent's algorithm: compare with a
 *    state that is renewed at powers of two, so that any cycle is met); a fiber caught in one,
 *    or that made PATIENCE steps in a row, falls below all others.
 */
#include "search/walk.h"

#define MAX_FIBERS 65536 /* fiber numbers are 16 bits of an action */
#define DEFAULT_DEPTH 3
#define MAX_CHANGES 64
#define FIRST_ESTIMATE 64
#define PATIENCE 16384
/*
 * Initial priorities have the topmost bit. The i-th change point (they are in no order) has priority
 * CHANGED + i, as in the paper; who falls for running in circles is below all, the last one lowest.
 */
#define INITIAL (1ull << 63)
#define CHANGED (1ull << 62)

struct fallen {
	u64 run; /* in which run it fell; earlier ones don't count */
	u64 priority;
};

struct pct {
	struct walk_runs walk;
	u64 priorities; /* of this run: the seed of the initial ones */
	u64 lowest;     /* priority in use */
	u64 estimate;   /* of the length of a run */
	u64 change[MAX_CHANGES];
	u32 changes;

	/* The fiber that runs on, and what it did since it started to. */
	u32 runner;
	u64 streak, renew_at;
	struct fingerprint watched;

	struct fallen fallen[MAX_FIBERS]; /* pages of it that nobody falls into cost nothing */
};

static struct pct *of(struct walk_runs *w)
{
	return (struct pct *)w;
}

static void begin_run(struct walk_runs *w)
{
	struct pct *p = of(w);
	p->priorities = walk_random(w);
	p->lowest = CHANGED;
	p->streak = 0;
	for (u32 i = 0; i < p->changes; i++)
		p->change[i] = walk_below(w, p->estimate);
}

static u64 score(struct walk_runs *w, u32 fiber)
{
	struct pct *p = of(w);
	hd_assert(fiber < MAX_FIBERS);
	if (p->fallen[fiber].run == w->run)
		return p->fallen[fiber].priority;
	return walk_scatter(p->priorities, fiber) | INITIAL;
}

static void fall(struct walk_runs *w, u32 fiber, u64 priority)
{
	struct pct *p = of(w);
	p->fallen[fiber] = (struct fallen){w->run, priority};
	p->streak = 0;
}

static void before_step(struct walk_runs *w, const u32 *actions, u32 n)
{
	struct search *s = w->s;
	struct pct *p = of(w);
	for (u32 i = 0; i < p->changes; i++)
		if (p->change[i] == search_depth(s))
			fall(w, s->ops->action_fiber(s->self, walk_choose(w, actions, n)), CHANGED + i);
}

static bool same(struct fingerprint a, struct fingerprint b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

static void watch_from_here(struct pct *p, u32 fiber, struct fingerprint fp)
{
	p->runner = fiber;
	p->streak = 1;
	p->renew_at = 2;
	p->watched = fp;
}

static void after_step(struct walk_runs *w, u32 fiber)
{
	struct pct *p = of(w);
	struct fingerprint fp = w->s->ops->fingerprint(w->s->self);
	if (!p->streak || fiber != p->runner) {
		watch_from_here(p, fiber, fp);
		return;
	}
	if (same(fp, p->watched) || ++p->streak > PATIENCE) {
		fall(w, fiber, --p->lowest);
	} else if (p->streak == p->renew_at) {
		p->watched = fp;
		p->renew_at *= 2;
	}
}

static void end_run(struct walk_runs *w)
{
	struct pct *p = of(w);
	u64 length = HD_MAX(search_depth(w->s), 1ull);
	p->estimate = length > p->estimate ? length : p->estimate - (p->estimate - length) / 8;
}

struct walk_runs *walk_pct_new(struct search *s, u32 depth)
{
	struct pct *p = pages_map(sizeof(*p));
	if (!p)
		return NULL;
	p->walk = (struct walk_runs){.s = s,
				     .begin_run = begin_run,
				     .end_run = end_run,
				     .score = score,
				     .before_step = before_step,
				     .after_step = after_step,
				     .size = sizeof(*p)};
	p->estimate = FIRST_ESTIMATE;
	p->changes = HD_MIN((depth ? depth : DEFAULT_DEPTH) - 1, (u32)MAX_CHANGES);
	return &p->walk;
}

static enum move pct_run(struct search *s)
{
	struct walk_runs *w = walk_pct_new(s, s->o->pct_depth);
	if (!w)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	enum move m = walk_run_all(w);
	walk_free(w);
	return m;
}

static u64 pct_memory(const struct search *s)
{
	return s->scratch.cap;
}

const struct strategy strategy_pct = {.run = pct_run, .memory = pct_memory};
