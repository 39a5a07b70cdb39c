/*
 * The engine as one of several workers (search/parallel.h). The lessons lie in memory that all share
 * (wire/learnt.h) and are loaded at each restart. What leads to them, who used which object and how, is found
 * in the executions of all workers together, so each tells the others of what it sees.
 *
 * One worker has to go on alone where the whole path or the whole search counts: livelocks are loops of it
 * (search/livelock.h), the horizon of virtual time is moved when a search is complete, and accesses to memory
 * of instrumented programs are not told to others.
 */
#include "runtime/engine/engine_priv.h"
#include "runtime/engine/engine_properties.h"
#include "runtime/memory/memory.h"
#include "runtime/net/net.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/sched.h"

static void (*say)(void *to, const u64 *word, u32 words);
static void *say_to;

static void news(u64 object, u64 mutex, u32 slot, u32 how)
{
	const u64 word[] = {object, mutex, slot, how};
	say(say_to, word, HD_ARRAY_LEN(word));
}

void engine_load_lessons(void)
{
	rt_load_lessons();
	net_load_lessons();
	access_load_lessons();
	properties_load_lessons();
}

static void join(void *t, void (*with)(void *to, const u64 *word, u32 words), void *to)
{
	(void)t;
	say = with;
	say_to = to;
	access_share(news);
	engine_load_lessons();
}

static void leave(void *t)
{
	(void)t;
	access_share(NULL);
}

static bool hear(void *t, const u64 *word, u32 words)
{
	(void)t;
	(void)words;
	access_hear(word[0], word[1], (u32)word[2], (u32)word[3]);
	return run_wants_restart();
}

static bool wants_alone(void *t)
{
	(void)t;
	u32 why = sched_busy_seen()      ? WIRE_ALONE_BUSY
		  : engine_horizon_hit() ? WIRE_ALONE_HORIZON
		  : memory_on()          ? WIRE_ALONE_MEMORY
					 : WIRE_ALONE_NOT;
	if (hd_unlikely(why))
		rt_wire->alone = why;
	return why;
}

const struct target_team engine_team = {
	.join = join,
	.leave = leave,
	.hear = hear,
	.wants_alone = wants_alone,
};
