#include "session/workers.h"

#include <stdio.h>
#include <string.h>

static const char *why_one(const struct session_plan *plan)
{
	const struct wire_config *c = &plan->launch.config;

	if (c->search.strategy != SEARCH_DFS)
		return "only --strategy dfs has several";
	if (c->search.max_depth)
		return "--max-depth needs the smallest depth of each state";
	if (c->search.no_matching)
		return "--no-matching shares nothing";
	if (c->search.sanity >= 2)
		return "--sanity 2 and above looks at one path";
	if (c->graph)
		return "--graph draws what one finds";
	if (c->net.mode != CACHE_BRANCHING)
		return "only --cache branching serves several";
	if (plan->launch.trees)
		return "recorded communication is followed by one";
	return NULL;
}

bool workers_may_share(const struct session_plan *plan)
{
	return !why_one(plan);
}

u32 workers_usable(const struct session_plan *plan, struct outcome *o)
{
	const char *why = plan->workers > 1 ? why_one(plan) : NULL;

	o->workers_why[0] = 0;
	if (!why)
		return plan->workers;
	if (plan->workers_asked)
		snprintf(o->workers_why, sizeof(o->workers_why), "%s", why);
	return 1;
}

const struct sut *workers_failed(const struct sut *worker, u32 workers)
{
	const struct sut *found = NULL;

	for (u32 i = 0; i < workers; i++) {
		if (!worker[i].ended || worker[i].worker->phase == WIRE_DONE)
			continue;
		if (worker[i].worker->result.error[0])
			return &worker[i];
		if (!found)
			found = &worker[i];
	}
	return found;
}

bool workers_note_death(const struct sut *worker, u32 workers, struct outcome *o)
{
	const struct sut *dead = workers_failed(worker, workers);
	char how[160];

	if (!dead || dead->worker->result.error[0])
		return false;
	sut_describe_death(dead, how, sizeof(how));
	if (o->notes < HD_ARRAY_LEN(o->note))
		snprintf(o->note[o->notes++], sizeof(o->note[0]),
			 "one of %u workers died (%s): all was done again with %u", workers, how,
			 workers - 1);
	return true;
}

void workers_note_alone(const struct wire_shared *wire, struct outcome *o)
{
	static const char *const why[WIRE_ALONE_REASONS] = {
		[WIRE_ALONE_BUSY] = "the program waits busily, and livelocks are looked for on one path",
		[WIRE_ALONE_HORIZON] = "the program's clock goes far, and the search follows it step by step",
		[WIRE_ALONE_MEMORY] = "what is learnt about memory accesses is learnt by one",
		[WIRE_ALONE_DISAGREE] = "the same path led to different states in different processes",
		[WIRE_ALONE_LIVELOCK] = "a livelock was found, and one looked for the way to it",
		[WIRE_ALONE_NOTES] = "there was no room for what workers tell each other",
		[WIRE_ALONE_NETWORK] = "the program makes connections, and what is said there is one rank's",
	};
	u32 alone = wire->alone;

	if (!alone || alone >= WIRE_ALONE_REASONS)
		return;
	o->workers = 1;
	snprintf(o->workers_why, sizeof(o->workers_why), "%s", why[alone]);
}
