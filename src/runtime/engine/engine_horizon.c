/* All of it is persistent. */
#include "runtime/engine/engine_horizon.h"

#include "runtime/rt.h"
#include "runtime/sched/model.h"
#include "wire/wire.h"

#define FIRST_HORIZON 60000000000u

static u64 horizon, next_beyond; /* next_beyond: the first of those that were not explored; 0: none */
static bool hit;
static void (*tell)(u64 horizon, u64 beyond);

static u64 last_horizon(void)
{
	u64 given = rt_wire->config.time_horizon_ms * 1000000;
	return given ? given : (u64)-1;
}

static u64 first_horizon(void)
{
	u32 strategy = rt_wire->config.search.strategy;
	bool widens = (strategy == SEARCH_DFS || strategy == SEARCH_SPREAD) &&
		      rt_worker->task.mode == WIRE_SEARCH && rt_worker->task.script < WIRE_SCRIPT_FOLLOW;
	return widens ? HD_MIN((u64)FIRST_HORIZON, last_horizon()) : last_horizon();
}

bool horizon_was_hit(void)
{
	return hit;
}

bool horizon_widen(void)
{
	if (!hit || horizon >= last_horizon())
		return false;
	horizon = HD_MIN(HD_MAX(horizon * 4, next_beyond), last_horizon());
	/* All workers come to the same, each by itself; who joins later finds it here. */
	if (tell)
		__atomic_store_n(&rt_wire->learnt.horizon, horizon, __ATOMIC_RELEASE);
	hit = false;
	next_beyond = 0;
	return true;
}

void horizon_restarted(void)
{
	rt_worker->result.horizon_hit = 0;
	hit = false;
	next_beyond = 0;
}

static void beyond(u64 deadline)
{
	hit = true;
	rt_worker->result.horizon_hit = horizon == last_horizon();
	if (next_beyond && next_beyond <= deadline)
		return;
	next_beyond = deadline;
	if (tell)
		tell(horizon, deadline);
}

bool horizon_allows(u64 deadline)
{
	if (hd_unlikely(!horizon))
		horizon = first_horizon();
	if (deadline <= HD_MAX(horizon, model->now))
		return true;
	beyond(deadline);
	return false;
}

void horizon_share(void (*told)(u64 horizon, u64 beyond))
{
	tell = told;
}

void horizon_load(void)
{
	u64 all = __atomic_load_n(&rt_wire->learnt.horizon, __ATOMIC_ACQUIRE);
	if (tell && all)
		horizon = all;
}

void horizon_hear(u64 of, u64 deadline)
{
	if (!horizon)
		horizon = first_horizon();
	if (of != horizon) /* of an earlier search */
		return;
	void (*told)(u64, u64) = tell;
	tell = NULL; /* the others have heard it, too */
	beyond(deadline);
	tell = told;
}
