/*
 * The checker's main program: runs the search or the replay that the wire asks for.
 */
#include "runtime/engine/engine.h"

#include <sys/syscall.h>
#include <time.h>

#include "base/clock.h"
#include "base/shared_lock.h"
#include "base/sys.h"
#include "base/text.h"
#include "runtime/engine/engine_graph.h"
#include "runtime/engine/engine_horizon.h"
#include "runtime/engine/engine_priv.h"
#include "runtime/engine/engine_properties.h"
#include "runtime/engine/engine_profile.h"
#include "runtime/engine/notes.h"
#include "runtime/engine/replay.h"
#include "runtime/engine/violation_key.h"
#include "runtime/memory/memory.h"
#include "runtime/net/net.h"
#include "runtime/output/output.h"
#include "runtime/rt.h"
#include "runtime/sched/aside.h"
#include "runtime/sched/fair.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/run.h"
#include "search/search.h"
#include "state/fingerprint.h"
#include "state/track.h"
#include "wire/wire.h"
#include "wire/wire_spread.h"

static struct wire_violation last;
u32 engine_names_given;

/* --- loops that yield and count --- */

static void look_at_round(void *self, u64 address, u64 was, u64 is)
{
	(void)was;
	(void)is;
	if (!fair_is_own(self, address))
		rt_worker->result.yields_cut = 1;
}

HD_NOINLINE void engine_forget_rounds(struct fiber *f)
{
	u64 before = track_mark() - 1;
	rt_worker->result.yields_merged = 1;
	track_changed(before, look_at_round, f);
	track_undo(before);
	track_commit(NULL);
}

/* --- violations --- */

struct wire_violation *violation_last(void)
{
	return &last;
}

void violation_set(enum violation_kind kind, u32 slot, u64 pc, u64 address, u32 signo, const char *message)
{
	struct wire_violation *v = &last;
	v->kind = kind;
	v->thread = slot;
	v->pc = pc;
	v->address = address;
	v->signo = signo;
	str_copy(v->message, sizeof(v->message), message);
	bool by_text = violation_traits(kind)->keyed_by_text;
	u64 key[3] = {kind, by_text ? 0 : pc, by_text ? XXH3_64bits(v->message, str_len(v->message)) : 0};
	v->key = XXH3_64bits(key, sizeof(key));
}

void violation_set_other(u32 slot, u64 pc)
{
	last.other_thread = slot;
	last.other_pc = pc;
	last.key = violation_key_race(last.pc, pc);
}

void violation_take(const struct run_failure *f)
{
	char explained[VIOLATION_MESSAGE];
	struct text t;
	text_init(&t, explained, sizeof(explained));
	text_str(&t, f->message);
	if (f->kind == VIOLATION_ABORT && *output_tail()) {
		text_str(&t, ": ");
		text_str(&t, output_tail());
	}
	violation_set(f->kind, f->slot, f->pc, f->address, f->signo, explained);
}

static void tell_violation(const struct run_failure *f)
{
	violation_take(f);
	replay_violation(&last, &f->regs);
}

/* --- hooks of the search --- */

/* A violation whose path can't be handed over can't be shown either: the user is told that there is one. */
static void too_long(u64 len)
{
	struct text t;
	text_init(&t, rt_worker->result.incomplete, sizeof(rt_worker->result.incomplete));
	text_str(&t, "limit: a violation was found (");
	text_str(&t, violation_traits(violation_last()->kind)->name);
	text_str(&t, "), but the path to it, ");
	text_dec(&t, (long)len);
	text_str(&t, " steps, has no room in the shared memory");
}

u64 engine_keep_path(const u32 *path, u64 len)
{
	u64 at = WIRE_ARENA + rt_worker->arena_used;
	if (at + len * sizeof(*path) > WIRE_WORKER_SIZE)
		return 0;
	u32 *to = (u32 *)((char *)rt_worker + at);
	for (u64 i = 0; i < len; i++)
		to[i] = path[i];
	rt_worker->arena_used += HD_ROUND_UP(len * sizeof(*path), 16);
	return at;
}

/* The first end state, and of the 2nd, 4th, 8th … those that were met last. */
void engine_keep_sample(void)
{
	enum { LONGEST = 100000 }; /* longer ones would take too long to play, too */
	struct wire_result *r = &rt_worker->result;
	u32 most = HD_MIN(rt_wire->config.net.samples, WIRE_MAX_SAMPLES);
	u64 nth = ++r->ends, len;
	const u32 *path = search_current_path(&len);
	if ((nth & (nth - 1)) || !len || len > LONGEST || !most)
		return;
	u32 number = (u32)__builtin_ctzll(nth), slot = number;
	if (slot >= most)
		slot = most == 1 ? 0 : 1 + (number - 1) % (most - 1);
	if (most == 1 && number)
		return;
	u64 at = engine_keep_path(path, len);
	if (!at)
		return;
	r->sample[slot] = (struct wire_sample){at, len};
	r->samples = HD_MAX(r->samples, slot + 1);
}

static void hook_violation(void *self, const u32 *path, u64 len)
{
	(void)self;
	struct wire_result *r = &rt_worker->result;
	graph_violation();
	/* Of doubtful ones the first few will do; a certain one must find room. */
	if (r->violations == (model->refused ? WIRE_MAX_DOUBTFUL : WIRE_MAX_VIOLATIONS))
		return;
	u64 at = engine_keep_path(path, len);
	if (!at) {
		too_long(len);
		return;
	}
	struct wire_violation *v = violation_last();
	v->doubtful = model->refused != 0;
	v->by_walk = search_is_walking();
	v->path_offset = at;
	v->path_len = len;
	r->violation[r->violations++] = *v;
}

static bool hook_stop(void *self)
{
	(void)self;
	return *(volatile u32 *)&rt_wire->stop != 0;
}

static u64 cpu_ns(void)
{
	struct timespec ts = {0};
	sys_call3(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)&ts, 0);
	return (u64)ts.tv_sec * 1000000000u + (u64)ts.tv_nsec;
}

static u64 hook_now(void *self)
{
	(void)self;
	return monotonic_ms();
}

static void hook_insane(void *self, const char *what, const u32 *path, u64 len)
{
	(void)self;
	(void)path;
	struct text t;
	text_init(&t, rt_worker->result.error, sizeof(rt_worker->result.error));
	text_str(&t, "sanity check failed: ");
	text_str(&t, what);
	text_str(&t, " (path of ");
	text_dec(&t, (long)len);
	text_str(&t, " steps)");
	u64 address, was, is;
	if (!track_first_difference(&address, &was, &is))
		return;
	text_str(&t, "; the word at ");
	text_hex(&t, address);
	text_str(&t, " was ");
	text_hex(&t, was);
	text_str(&t, " and is ");
	text_hex(&t, is);
}

static u64 started_ms;

/* Of max_time_ms, which is not 0; at least 1. */
static u64 time_left(void)
{
	u64 all = rt_wire->config.search.max_time_ms, gone = hook_now(NULL) - started_ms;
	return gone < all ? all - gone : 1;
}

bool engine_time_is_up(void)
{
	u64 all = rt_wire->config.search.max_time_ms;
	return rt_worker->task.mode == WIRE_SEARCH &&
	       (hook_stop(NULL) || (all && hook_now(NULL) - started_ms >= all));
}

/* ---- the search is saved: session/saved_search.h ---- */

static u64 cpu_before;

static bool hook_wants_save(void *self)
{
	(void)self;
	const struct wire_save *s = &rt_wire->save;
	return __atomic_load_n(&s->wanted, __ATOMIC_ACQUIRE) != __atomic_load_n(&s->done, __ATOMIC_ACQUIRE);
}

static void hook_saving(void *self)
{
	(void)self;
	rt_worker->result.cpu_us = (cpu_ns() - cpu_before) / 1000;
}

static void hook_save(void *self, bool whole)
{
	(void)self;
	const u64 one = 1;
	struct wire_save *s = &rt_wire->save;
	u32 mine = __atomic_load_n(&s->wanted, __ATOMIC_ACQUIRE);
	s->spoilt = !whole;
	__atomic_store_n(&s->done, mine, __ATOMIC_RELEASE);
	sys_call3(SYS_write, WIRE_BELL_FD, (long)&one, sizeof(one));
	for (u32 ack; (ack = __atomic_load_n(&s->ack, __ATOMIC_ACQUIRE)) != mine;)
		shared_word_wait(&s->ack, ack);
}

static void hook_forget_former(void *self)
{
	(void)self;
	rt_wire->save.forget = 1;
}

/* --- main --- */

/* A property does not hold there; of several workers one tells. */
static void tell_of_initial_state(const struct wire_violation *v)
{
	if (rt_worker->number)
		return;
	rt_worker->stats.violations++;
	*violation_last() = *v;
	hook_violation(NULL, NULL, 0);
}

/* ---- one rank of many: messages go through rings, and the controller ---- */

#define REST_NS 1000000L /* unless a message comes */

static struct wire_spread *rings(void)
{
	return (struct wire_spread *)WIRE_TEAM_BASE;
}

static void port_rest(void *self)
{
	(void)self;
	struct timespec ts = {0, REST_NS};
	u32 seen;
	if (spread_ring_sleeps(&rings()->in, &seen))
		sys_call6(SYS_futex, (long)&rings()->in.written, FUTEX_WAIT, seen, (long)&ts, 0, 0);
	spread_ring_wakes(&rings()->in);
}

static void wake_controller(void)
{
	if (spread_ring_wants_wake(&rings()->out))
		sys_call6(SYS_futex, (long)&rings()->out.written, FUTEX_WAKE, 1, 0, 0, 0);
}

static void port_send(void *self, u32 to, u16 kind, const void *bytes, u32 len)
{
	while (!spread_ring_put(&rings()->out, (struct spread_message){len, kind, (u16)to}, bytes)) {
		wake_controller();
		port_rest(self);
	}
	wake_controller();
}

static long port_receive(void *self, u32 *from, u16 *kind, void *bytes)
{
	(void)self;
	struct spread_message head;
	if (!spread_ring_get(&rings()->in, &head, bytes, SPREAD_MESSAGE))
		return -1;
	hd_assert(head.len <= SPREAD_MESSAGE);
	*from = head.rank;
	*kind = head.kind;
	return head.len;
}

static void join_ranks(struct spread_port *port)
{
	*port = (struct spread_port){.rank = rings()->rank,
				     .ranks = rings()->ranks,
				     .send = port_send,
				     .receive = port_receive,
				     .rest = port_rest};
	engine_names_given = rt_wire->learnt.names + 1;
}

static void leave_ranks(const struct spread_port *port)
{
	struct wire_spread *w = rings();
	w->why = port->why;
	w->messages = port->messages;
	w->bytes = port->bytes;
	w->asked = port->asked;
	w->given = port->given;
}

static void search(void)
{
	struct search_hooks hooks = {.violation = hook_violation,
				     .stop = hook_stop,
				     .now_ms = hook_now,
				     .insane = hook_insane,
				     .wants_save = hook_wants_save,
				     .saving = hook_saving,
				     .save = hook_save,
				     .forget_former = hook_forget_former,
				     .observer = {&engine_profile, &engine_graph},
				     .record = engine_record_to(),
				     .follow = engine_follow()};
	struct target target = {&engine_ops, NULL};
	static struct team_member team;
	static struct spread_port port;
	struct search_options options = rt_wire->config.search;
	/*
	 * Walks would take peers along ways that other caches can't go back from; and a server that has one
	 * conversation at a time, or one handshake, would not answer another in the middle of it, where a
	 * depth-first search has them one after the other.
	 */
	const struct net_config *net = &rt_wire->config.net;
	if (net->servers || (net->clients && net->mode != CACHE_BRANCHING))
		options.walks = false;
	if (rt_wire->config.graph)
		options.walks = false; /* the graph is the search's */
	/* Without walks, nobody finds out which plain accesses of an unmodified program depend on others. */
	if (!options.walks && !memory_on() && !options.reduce_asked)
		options.reduce = false;
	if (hooks.follow) {
		options.walks = false; /* all there is to see is on the way */
		options.reduce = rt_wire->config.search.reduce;
	}
	cpu_before = cpu_ns();
	rt_worker->phase = WIRE_RUNNING;
	bool fails_at_once = properties_on() && properties_begin();
	struct wire_violation at_once = *violation_last();
	if (fails_at_once && !options.keep_going) {
		rt_worker->result.end = SEARCH_VIOLATION;
		rt_worker->stats.states = !rt_worker->number;
		tell_of_initial_state(&at_once);
		return;
	}
	if (rt_wire->save.resumed == 1 && !rt_worker->number) {
		team_revive((void *)WIRE_TEAM_BASE);
		__atomic_store_n(&rt_wire->save.resumed, 2, __ATOMIC_RELEASE);
	}
	if (rt_wire->team && options.strategy != SEARCH_SPREAD) {
		/* Who comes when all is done has nothing to tell. */
		if (!team_join(&team, (void *)WIRE_TEAM_BASE, rt_worker->number))
			return;
		hooks.team = &team;
	}
	if (options.strategy == SEARCH_SPREAD) {
		join_ranks(&port);
		hooks.port = &port;
	}
	started_ms = hook_now(NULL);
	target_mark root = engine_ops.mark(NULL);
	if (hooks.follow)
		engine_ops.restart(NULL); /* with the lessons that came with the script */
	for (;;) {
		rt_worker->result.end = search_run(&target, &options, &hooks, &rt_worker->stats);
		/* Complete in spite of violations, with --keep-going: what lies beyond belongs to it. */
		if (rt_worker->result.end != SEARCH_COMPLETE || hooks.port ||
		    (!run_wants_restart() && !horizon_widen()))
			break;
		engine_ops.undo(NULL, root);
		engine_ops.restart(NULL);
		if (options.max_time_ms)
			options.max_time_ms = time_left();
	}
	if (fails_at_once)
		tell_of_initial_state(&at_once);
	if (hooks.port)
		leave_ranks(&port);
	if (hooks.team && !team.joined && !rt_wire->alone)
		rt_wire->alone = WIRE_ALONE_DISAGREE;
	/* Of several workers the first, when all others have come to their end. */
	if (rt_worker->result.end == SEARCH_COMPLETE && !rt_worker->result.violations && !rt_worker->number)
		net_recheck();
	if (net_stopped() && rt_worker->result.end == SEARCH_COMPLETE)
		rt_worker->result.end = SEARCH_STOPPED;
	net_note_counts();
	notes_write();
	profile_write();
	graph_write();
	rt_worker->result.cpu_us = (cpu_ns() - cpu_before) / 1000;
	const struct track_stats *s = track_get_stats();
	rt_worker->result.tracked_pages = s->pages;
	rt_worker->result.hot_pages = s->hot;
	rt_worker->result.page_faults = s->faults;
}

static void replay(void)
{
	run_on_failure(tell_violation);
	if (rt_worker->task.show_output)
		output_listen(replay_output);
	aside_heard = replay_aside;
	replay_run();
}

static HD_NORETURN void leave(void)
{
	rt_worker->phase = rt_worker->result.error[0] ? WIRE_FAILED : WIRE_DONE;
	sys_call3(SYS_exit_group, 0, 0, 0);
	__builtin_unreachable();
}

/* A constructor took all the time there was. */
static HD_NORETURN void end_before_main(void)
{
	if (rt_worker->task.mode != WIRE_SEARCH)
		rt_fail("the program does not come to main in time", "", "");
	rt_worker->result.end = hook_stop(NULL) ? SEARCH_INTERRUPTED : SEARCH_LIMIT_TIME;
	leave();
}

void engine_main(void (*run_main)(void), void (*track_everything)(void))
{
	fiber_make_main(run_main);
	started_ms = hook_now(NULL);
	enum run_end end = run_fiber(0, 0);
	if (end == RUN_VIOLATION)
		rt_fail("the program fails before main: ", run_failure()->message, "");
	if (end != RUN_STEP)
		end_before_main();
	track_everything();
	rt_worker->result.initial = track_full_fingerprint();
	if (rt_worker->task.mode == WIRE_SEARCH)
		search();
	else if (rt_worker->task.mode == WIRE_REPLAY)
		replay();
	else if (rt_worker->task.mode == WIRE_SHRINK)
		engine_shrink();
	leave();
}
