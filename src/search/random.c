/*
 * Random walk: at each state every enabled fiber has the same chance, however
 * many outcomes its operation has; then each outcome has. The visited table only counts.
 */
#include "search/walk.h"

struct random_walk {
	struct walk_runs walk;
	u64 draw; /* scores are drawn anew for each step */
};

static void before_step(struct walk_runs *w, const u32 *actions, u32 n)
{
	(void)actions;
	(void)n;
	((struct random_walk *)w)->draw = walk_random(w);
}

static u64 score(struct walk_runs *w, u32 fiber)
{
	return walk_scatter(((struct random_walk *)w)->draw, fiber);
}

struct walk_runs *walk_random_new(struct search *s)
{
	struct random_walk *r = pages_map(sizeof(*r));
	if (!r)
		return NULL;
	r->walk = (struct walk_runs){.s = s, .score = score, .before_step = before_step, .size = sizeof(*r)};
	return &r->walk;
}

static enum move random_run(struct search *s)
{
	struct walk_runs *w = walk_random_new(s);
	if (!w)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	enum move m = walk_run_all(w);
	walk_free(w);
	return m;
}

static u64 random_memory(const struct search *s)
{
	return s->scratch.cap;
}

const struct strategy strategy_random = {.run = random_run, .memory = random_memory};
