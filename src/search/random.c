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

static enum move random_run(struct search *s)
{
	struct random_walk r = {.walk = {.s = s, .score = score, .before_step = before_step}};
	return walk_run_all(&r.walk);
}

static u64 random_memory(const struct search *s)
{
	return s->scratch.cap;
}

const struct strategy strategy_random = {.run = random_run, .memory = random_memory};
