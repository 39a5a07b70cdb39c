/*
 * The engine as one of several workers (search/parallel.h). The lessons lie in memory that all share
 * (wire/learnt.h) and are loaded at each restart. What leads to them, who used which object or which cell of
 * memory and how, is found in the executions of all workers together, so each tells the others of what it
 * sees; and how far virtual time goes.
 *
 * One rank of many machines (search/spread.h) goes on alone where the whole path counts (livelocks are loops
 * of it), where virtual time goes far, and with instrumented programs.
 */
#include "runtime/engine/engine_horizon.h"
#include "runtime/engine/engine_priv.h"
#include "runtime/engine/engine_properties.h"
#include "runtime/heap/heap.h"
#include "runtime/memory/memory.h"
#include "runtime/net/net.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/sched.h"

/* The first word of what is said: what the others are about. */
enum about { ABOUT_OBJECT, ABOUT_MEMORY, ABOUT_HORIZON };

static void (*say)(void *to, const u64 *word, u32 words);
static void *say_to;

/*
 * What a step has to say lies here until it is over: the step runs on the stack of a fiber, on which nobody
 * must leave anything (kstack.h), and the search knows nothing of that. Each message begins with its length.
 */
static u64 queue[1 << 16];
static u32 queued;

void engine_say_all(void)
{
	for (u32 at = 0; at < queued; at += 1 + (u32)queue[at])
		say(say_to, queue + at + 1, (u32)queue[at]);
	queued = 0;
}

static HD_NOINLINE void say_about(enum about what, const u64 *word, u32 words)
{
	if (hd_unlikely(queued + words + 2 > HD_ARRAY_LEN(queue)))
		engine_say_all();
	u64 *to = queue + queued;
	to[0] = words + 1;
	to[1] = what;
	for (u32 i = 0; i < words; i++)
		to[2 + i] = word[i];
	queued += words + 2;
	if (!sched_in_fiber())
		engine_say_all();
}

static void news(u64 object, u64 mutex, u32 slot, u32 how)
{
	const u64 word[] = {object, mutex, slot, how};
	say_about(ABOUT_OBJECT, word, HD_ARRAY_LEN(word));
}

static void memory_news(const u64 *word, u32 words)
{
	say_about(ABOUT_MEMORY, word, words);
}

static void horizon_news(u64 horizon, u64 beyond)
{
	const u64 word[] = {horizon, beyond};
	say_about(ABOUT_HORIZON, word, HD_ARRAY_LEN(word));
}

void engine_load_lessons(void)
{
	rt_load_lessons();
	heap_retire(!rt_lessons.heap_reused);
	net_load_lessons();
	access_load_lessons();
	memory_load_lessons();
	properties_load_lessons();
	horizon_load();
}

static void join(void *t, void (*with)(void *to, const u64 *word, u32 words), void *to)
{
	(void)t;
	say = with;
	say_to = to;
	access_share(news);
	memory_share(memory_news);
	horizon_share(horizon_news);
	engine_load_lessons();
}

static void leave(void *t)
{
	(void)t;
	queued = 0;
	access_share(NULL);
	memory_share(NULL);
	horizon_share(NULL);
}

static bool hear(void *t, const u64 *word, u32 words)
{
	(void)t;
	if (word[0] == ABOUT_OBJECT)
		access_hear(word[1], word[2], (u32)word[3], (u32)word[4]);
	else if (word[0] == ABOUT_MEMORY)
		memory_hear(word + 1, words - 1);
	else
		horizon_hear(word[1], word[2]);
	return run_wants_restart();
}

static bool wants_alone(void *t)
{
	(void)t;
	if (rt_wire->config.search.strategy != SEARCH_SPREAD)
		return false;
	u32 why = sched_busy_seen()   ? WIRE_ALONE_BUSY
		  : horizon_was_hit() ? WIRE_ALONE_HORIZON
		  : memory_on()       ? WIRE_ALONE_MEMORY
				      : WIRE_ALONE_NOT;
	if (hd_unlikely(why))
		rt_wire->alone = why;
	return why;
}

static bool learns_on(void *t)
{
	(void)t;
	return run_wants_restart() && !run_must_restart();
}

static bool widens(void *t)
{
	(void)t;
	return horizon_widen();
}

static void goes_alone(void *t, enum target_alone why)
{
	(void)t;
	rt_wire->alone = why == TARGET_ALONE_LIVELOCK ? WIRE_ALONE_LIVELOCK : WIRE_ALONE_NOTES;
}

const struct target_team engine_team = {
	.join = join,
	.leave = leave,
	.hear = hear,
	.wants_alone = wants_alone,
	.learns_on = learns_on,
	.widens = widens,
	.goes_alone = goes_alone,
};
