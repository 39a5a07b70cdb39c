/*
 * Lessons about objects, by address.
 *
 * Why it is sound to start coarse: the first search merges releases into longer steps. If
 * in any execution it explores a second fiber uses an object that a fiber looks at, the object becomes
 * observed and the search starts again. Every execution of the fine-grained program that differs
 * needs such a pair, and the coarse search reaches both uses: before the look the holder's
 * critical section is either over or not begun, and in both cases its use of
 * the object is recorded when it comes.
 */
#include "runtime/sched/observe.h"

#include "base/pages.h"
#include "runtime/engine.h"
#include "runtime/scratch.h"
#include "runtime/sched/fiber.h"

#define TABLE (1u << 18)
#define WORDS (LAYOUT_MAX_FIBERS / 64)

struct seen {
	u64 address;
	u64 users[WORDS];
	u64 wait_mutex;
	u8 looked, observed, signalled_early, shared;
};

static struct seen *table;
static u32 used;

static struct seen *seen_find(u64 address)
{
	u64 h = address * 0x9e3779b97f4a7c15u >> 46;
	for (;; h = (h + 1) & (TABLE - 1)) {
		struct seen *s = &table[h & (TABLE - 1)];
		if (hd_likely(s->address == address))
			return s;
		if (s->address)
			continue;
		hd_assert(++used < TABLE / 2);
		s->address = address;
		return s;
	}
}

void observe_setup(void)
{
	table = pages_map(TABLE * sizeof *table);
	hd_assert(table);
	for (u32 i = 0; i < rt_wire->learnt.observed; i++)
		seen_find(rt_wire->learnt.observed_addr[i])->observed = 1;
}

static void become_observed(struct seen *s)
{
	if (s->observed)
		return;
	s->observed = 1;
	hd_assert(learnt_observe(&rt_wire->learnt, s->address));
	engine_want_restart();
}

static void note_user(struct seen *s)
{
	u32 me = engine_current();
	if (s->users[me / 64] >> (me % 64) & 1)
		return;
	for (u32 i = 0; i < WORDS; i++)
		s->shared |= s->users[i] != 0;
	s->users[me / 64] |= 1UL << (me % 64);
}

static u64 observed(u64 object, u64 looks, u64 unused, u64 unused2)
{
	(void)unused;
	(void)unused2;
	struct seen *s = seen_find(object);
	note_user(s);
	s->looked |= (u8)looks;
	if (hd_unlikely(s->looked && s->shared && !s->observed))
		become_observed(s);
	return s->observed;
}

static u64 cond_wait(u64 cond, u64 mutex, u64 unused, u64 unused2)
{
	struct seen *s = seen_find(cond);
	if (!s->wait_mutex) {
		s->wait_mutex = mutex;
		if (s->signalled_early)
			engine_want_restart(); /* now it can be said whether those signals held it */
	} else if (s->wait_mutex != mutex) {
		become_observed(s);
	}
	return observed(cond, false, unused, unused2);
}

static u64 cond_signal(u64 cond, u64 held, u64 unused, u64 unused2)
{
	struct seen *s = seen_find(cond);
	if (!s->wait_mutex)
		s->signalled_early = 1;
	else if (!s->observed && !((bool (*)(u64))held)(s->wait_mutex))
		become_observed(s);
	return observed(cond, false, unused, unused2);
}

bool sched_observed(u64 object, bool looks)
{
	return scratch_call(observed, object, looks, 0, 0);
}

/*
 * Nearly every program destroys its locks after it has joined its threads: nothing can be seen then,
 * and their releases need not be steps. "Has ended" is not enough: a thread may signal its end
 * and unlock after that, all in one of our coarse steps. Joined is.
 */
static u64 all_joined(u64 a, u64 b, u64 c, u64 d)
{
	(void)a;
	(void)b;
	(void)c;
	(void)d;
	if (fiber_ever_detached())
		return false;
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		if (i != engine_current() && sched_fiber(i))
			return false;
	return true;
}

bool sched_all_joined(void)
{
	return scratch_call(all_joined, 0, 0, 0, 0);
}

bool sched_observed_destroy(u64 object)
{
	return sched_observed(object, !sched_all_joined());
}

bool observe_cond_wait(u64 cond, u64 mutex)
{
	return scratch_call(cond_wait, cond, mutex, 0, 0);
}

bool observe_cond_signal(u64 cond, bool (*held)(u64 mutex))
{
	return scratch_call(cond_signal, cond, (u64)held, 0, 0);
}
