#include "runtime/engine/notes.h"

#include "base/text.h"
#include "runtime/rt.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/order.h"
#include "runtime/memory/unseen.h"
#include "runtime/sched/recycle.h"
#include "runtime/sched/sched.h"
#include "runtime/vkernel/vk.h"
#include "runtime/engine/terminal.h"
#include "wire/wire.h"

static void note(const char *what)
{
	struct wire_result *r = &rt_worker->result;
	if (r->notes < HD_ARRAY_LEN(r->note))
		str_copy(r->note[r->notes++], sizeof(r->note[0]), what);
}

static void note_what_was_left_out(void)
{
	if (rt_worker->result.yields_merged && !rt_worker->result.yields_cut)
		note("a loop yields until another thread has done something, and counts its rounds: it was "
		     "followed for 3 rounds and for 1,000; numbers in between or beyond count as the same");
	if (sched_busy_seen() && rt_wire->config.search.strategy == SEARCH_BFS)
		note("livelocks (loops of busy waiting that nobody leaves) were not looked for: --strategy "
		     "dfs does that");
	if (terminal_saw_no_client() && vk_was_served())
		note("some executions end with threads that wait for a connection, and no client was given: "
		     "--client 'COMMAND' starts one (see heddle help check)");
	if (terminal_undecided())
		note("some executions end with no client left, a connection still open, and threads that "
		     "wait for a condition, semaphore, futex, rwlock or signal: taken for idle workers; a "
		     "lost "
		     "wake-up or a deadlock looks the same");
	if (terminal_saw_idle_client())
		note("some executions end with a client that keeps its connection open, after all it said "
		     "was "
		     "answered: taken for idle; --strict-idle makes that a communication deadlock");
	if (terminal_saw_waiter())
		note("some executions end with a thread that waits for another one (joins it, or wants its "
		     "lock), "
		     "which waits for clients, and no client is left");
	if (terminal_saw_paused())
		note("some executions end with threads that wait for a signal which the program never sends "
		     "itself: taken for idle; --strict-idle makes that a deadlock");
	if (terminal_saw_sleepers())
		note("some executions go on for ever with threads that sleep while others wait for clients: "
		     "taken for idle; --strict-idle makes that a livelock");
	if (terminal_saw_asleep())
		note("some executions go on for ever with threads that sleep again and again, and all others "
		     "have ended or wait for their end: taken for idle; --strict-idle makes that a livelock");
	if (vk_saw_floods())
		note("the program sends 64 KiB or more to a peer, while as much of what that said is not "
		     "read: where buffers hold no more and the peer does not read meanwhile, both wait for "
		     "ever; up to 2 MiB they are taken to hold all");
	if (recycle_seen())
		note(rt_lessons.recycles
			     ? "a compare-and-exchange compares with a pointer to memory that was freed: "
			       "executions in which a thread gets back what was freed last were explored "
			       "besides "
			       "those in which it gets fresh memory (--heap-reuse)"
			     : "a compare-and-exchange compares with a pointer to memory that was freed, and "
			       "freed memory was not handed out again at once: an ABA problem would be "
			       "missed "
			       "(--heap-reuse auto looks)");
	unseen_tell_notes();
	if (order_left_out()) {
		unseen_add("weaker atomics of more than 256 threads, 32768 places or 4096 objects", 0);
		note("atomics weaker than acquire and release: what they order was followed for the first "
		     "256 threads, 32768 places and 4096 objects only; races beyond that may have been "
		     "missed");
	}
	if (memory_by_clang())
		note("the program was compiled with clang, whose instrumentation leaves out some accesses to "
		     "members of local "
		     "objects; gcc (HEDDLE_CC=gcc heddle cc) does not");
}

#define CLOCK_WORTH_A_NOTE 60000000000u

/* A loop around a timed wait goes on for ever, and as the program reads the clock, no state comes twice. */
static void note_endless_time(void)
{
	struct wire_result *r = &rt_worker->result;
	if (r->end == SEARCH_COMPLETE || r->end == SEARCH_VIOLATION || rt_wire->config.time_horizon_ms ||
	    r->clock_max < CLOCK_WORTH_A_NOTE || r->notes == HD_ARRAY_LEN(r->note))
		return;
	struct text t;
	text_init(&t, r->note[r->notes++], sizeof(r->note[0]));
	text_str(&t, "time-outs took the program's clock to ");
	text_dec(&t, (long)(r->clock_max / 1000000000u));
	text_str(
		&t,
		" s; if it waits periodically, its states never repeat: --time-horizon 10s bounds the clock");
}

#define STATES_WORTH_A_NOTE 20000

/* Then matching states is of no use, and the search as long as there are executions. */
static void note_never_revisited(void)
{
	const struct wire_result *r = &rt_worker->result;
	const struct search_options *o = &rt_wire->config.search;
	if (r->end == SEARCH_COMPLETE || r->end == SEARCH_VIOLATION || o->no_matching ||
	    (o->strategy != SEARCH_DFS && o->strategy != SEARCH_BFS) ||
	    rt_worker->stats.states < STATES_WORTH_A_NOTE || rt_worker->stats.revisited)
		return;
	note("no state was ever reached twice: something in the program counts on and on (a counter, a "
	     "clock, "
	     "a log), so such a search ends only if its executions do; --profile names what changes");
}

static void note_trivial(void)
{
	struct wire_result *r = &rt_worker->result;
	if (r->exit_status && !r->ended_well && rt_wire->learnt.names <= 1)
		r->trivial = WIRE_TRIVIAL_FAILS;
	else if (terminal_saw_no_client() && !vk_was_served())
		r->trivial = WIRE_TRIVIAL_NO_CLIENT;
}

void notes_write(void)
{
	note_trivial();
	note_endless_time();
	note_never_revisited();
	note_what_was_left_out();
}
