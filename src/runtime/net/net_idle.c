#include "runtime/net/net_idle.h"

#include "runtime/net/net.h"
#include "runtime/rt.h"
#include "runtime/sched/sched.h"
#include "wire/wire.h"

#define IDLE_MAX 512
/* All zero at first. Of several workers all have the same: any of them may see that one goes on. */
struct idle_list {
	u32 count, pad;
	struct cache_pos at[IDLE_MAX];
};
_Static_assert(sizeof(struct idle_list) <= WIRE_IDLE_SIZE, "clients that were taken for idle");
static struct idle_list own_idle, *idle = &own_idle;
static struct cache *cache;
static u64 idle_polls; /* when they were last looked at: trees grow by polls only */

static bool same_place(const struct cache_pos *a, const struct cache_pos *b)
{
	return a->tree == b->tree && a->branch == b->branch && a->written == b->written;
}

bool net_waits_for_more(const struct cache_pos *pos)
{
	cache_lock(cache);
	bool goes_on = cache_goes_on(cache, pos);
	u32 i = 0;
	while (i < idle->count && !same_place(&idle->at[i], pos))
		i++;
	if (!goes_on && i == idle->count && i < IDLE_MAX)
		idle->at[idle->count++] = *pos;
	cache_unlock(cache, 0);
	return goes_on;
}

/* Has one of them gone on by now, in another execution? Then it was not idle, and is to be judged again. */
void net_look_at_idle(void)
{
	u64 polls = trees_stats(cache_trees(cache))->polls;
	if (hd_likely(!idle->count || polls == idle_polls))
		return;
	bool wrong = false;
	cache_lock(cache);
	idle_polls = polls;
	for (u32 i = 0; i < idle->count;)
		if (cache_goes_on(cache, &idle->at[i])) {
			idle->at[i] = idle->at[--idle->count];
			wrong = true;
		} else {
			i++;
		}
	cache_unlock(cache, 0);
	if (wrong)
		sched_want_restart();
}

void net_idle_setup(struct cache *c)
{
	cache = c;
	if (rt_wire->team)
		idle = (struct idle_list *)((char *)rt_wire + WIRE_IDLE);
}
