/*
 * What each fiber waits for decides. Roots are fibers that wait for the world outside: for a client to
 * connect, or for a peer to speak. A fiber that waits for something only another fiber can give (a lock, a
 * thread's end, a signal) is blocked by a root if those that could give it are. A fiber that is blocked by
 * no root is part of a deadlock, whatever others do: two workers that hold each other's locks are not
 * excused by a main thread that sits in accept.
 *
 * If all are blocked by roots: a root that waits for a peer makes it a communication deadlock, because the
 * peer is quiet (the cache looked: else the fiber would be enabled), and stays so when it is heard once
 * more. If all roots wait for clients, and no client is left, the server is idle, and that is a normal end;
 * unless a client that is still there has said something nobody read, or was sent the beginning of something
 * whose rest did not fit and was forgotten: then the client waits for ever.
 *
 * Who waits for a signal that the program never sends itself waits for somebody outside (WAIT_WORLD), as main
 * does in a daemon when all is done: also that is a normal end (but --strict-idle), if the others are blocked
 * by roots, or have ended, or wait for the end of such a thread. It is no root for those who wait for a
 * condition or a lock: nothing says that the signal would help them.
 *
 * Idle is not stuck: who waits for the next request of a client that has said something and was answered
 * since waits like one in accept (but --strict-idle). Unless executions are known that send the client more
 * from there, and it leaves in the end: then it waits for that, and for ever.
 *
 * So are threads that sleep in loops for ever, and those who wait for their end, in a program that never ends
 * (but --strict-idle). Where other executions end, such a thread waited for something that does not come: a
 * livelock. If those are met afterwards, the search begins again (learnt.h: slept).
 *
 * Loops in which locks are taken besides may be work: philosophers who think for a second. They are a
 * livelock if other executions end, too. Where none does, one thread alone that goes round and round, says
 * nothing and leaves all as it was can only be waiting for what it looks at, and nobody is left to change
 * that: all others have ended or wait, and no handler of a signal from outside could do it.
 */
#include "runtime/engine/terminal.h"

#include "base/text.h"
#include "runtime/engine/engine_priv.h"
#include "runtime/rt.h"
#include "runtime/net/net.h"
#include "runtime/sched/fiber.h"
#include "runtime/vkernel/vk.h"
#include "wire/wire.h"

enum root { NOT_BLOCKED = 0, BY_CLIENT, BY_PEER };
#define NO_FIBER LAYOUT_MAX_FIBERS

static bool lonely, undecided, idle_client, waiter, sleepers, paused, asleep; /* persistent */
static bool any_waits_for_anyone;
static u8 blocked[LAYOUT_MAX_FIBERS]; /* enum root */

static bool alive(u32 slot)
{
	return model->fiber[slot].life == FIBER_ALIVE;
}

/* Who can end the wait of the fiber in this slot. */
static struct op_wait wait_of(u32 slot)
{
	const struct op *o = &model->fiber[slot].op;
	const struct op_class *c = op_class_of(o);
	return c->wait ? c->wait(o) : (struct op_wait){.what = WAIT_ANYONE};
}

/* The connection whose peer the fiber waits for; NULL: it waits for something else, or does not live. */
static const struct cache_pos *peer_of(u32 slot)
{
	if (!alive(slot))
		return NULL;
	struct op_wait w = wait_of(slot);
	return w.what == WAIT_PEER ? w.peer : NULL;
}

/* A client that keeps its connection open. */
static bool is_idle(const struct cache_pos *pos)
{
	return !rt_wire->config.strict_idle && net_client_of(pos) && net_answered(pos);
}

static enum root root_of(u32 slot)
{
	struct op_wait w = wait_of(slot);
	switch (w.what) {
	case WAIT_CLIENT:
		return BY_CLIENT;
	case WAIT_PEER:
		return is_idle(w.peer) ? BY_CLIENT : BY_PEER;
	default:
		return NOT_BLOCKED;
	}
}

static u32 mark_roots(void)
{
	u32 roots = 0;
	any_waits_for_anyone = false;
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		blocked[i] = alive(i) ? (u8)root_of(i) : NOT_BLOCKED;
		roots += blocked[i] != NOT_BLOCKED;
	}
	return roots;
}

static bool mark_one(u32 slot)
{
	struct op_wait w = wait_of(slot);
	if (w.what != WAIT_FIBER) {
		blocked[slot] = BY_CLIENT; /* there is a root, and it could run again */
		any_waits_for_anyone = true;
		return true;
	}
	if (w.slot >= LAYOUT_MAX_FIBERS || !blocked[w.slot])
		return false;
	blocked[slot] = blocked[w.slot];
	return true;
}

static bool waits_for_fiber(u32 slot)
{
	return wait_of(slot).what == WAIT_FIBER;
}

/* Those of whom `such` is true, or all. */
static void mark_while(bool (*such)(u32 slot))
{
	bool again = true;
	while (again) {
		again = false;
		for (u32 i = 0; i < sched_fiber_limit(); i++)
			if (alive(i) && !blocked[i] && (!such || such(i)))
				again |= mark_one(i);
	}
}

static void mark_the_blocked(void)
{
	mark_while(NULL);
}

/* Those who wait for somebody outside, and who waits for them to end; how many. */
static u32 mark_the_outside(void)
{
	u32 n = 0;
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		if (rt_wire->config.strict_idle || !alive(i) || blocked[i] || wait_of(i).what != WAIT_WORLD)
			continue;
		blocked[i] = BY_CLIENT;
		n++;
	}
	if (n)
		mark_while(waits_for_fiber);
	return n;
}

static u32 first_that_is(enum root what)
{
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		if (alive(i) && blocked[i] == what)
			return i;
	return NO_FIBER;
}

/*
 * Is what some fiber waits for simply not known (recorded trees end here)? Then this is no end to be
 * judged.
 */
static bool not_known(void)
{
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		const struct cache_pos *pos = peer_of(i);
		u64 bytes;
		u32 flags;
		if (!pos || net_look(pos, &bytes, &flags))
			continue;
		hd_assert(net_has_unknown()); /* else its operation forgot to resolve it */
		return true;
	}
	return false;
}

/* Do those stay silent that fibers wait for? */
static bool silence_holds(void)
{
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		const struct cache_pos *pos = peer_of(i);
		if (pos && !net_check_silence(pos))
			return false;
	}
	return true;
}

/* Behind the SUT's part: what the peers of the waiting fibers wait for. */
static void describe_peers(struct text *t)
{
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		const struct cache_pos *pos = peer_of(i);
		if (!pos)
			continue;
		text_str(t, "; the peer of thread ");
		text_dec(t, (long)i + 1);
		text_str(t, " says no more: ");
		size_t before = t->len;
		net_describe_peer(pos, t);
		if (t->len == before)
			text_str(t, "it is at rest");
	}
}

static enum violation_kind tell(enum violation_kind kind, const char *what, u32 *slot, char *buf, size_t cap,
				size_t *own_len)
{
	u32 first = fiber_describe_all(what, buf, cap);
	if (*slot == NO_FIBER)
		*slot = first;
	*own_len = str_len(buf);
	return kind;
}

/* Who waits here, for the notes. */
static void remember_idle(void)
{
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		if (!alive(i))
			continue;
		struct op_wait w = wait_of(i);
		idle_client |= w.what == WAIT_PEER;
		waiter |= w.what == WAIT_FIBER && w.slot < LAYOUT_MAX_FIBERS &&
			  wait_of(w.slot).what != WAIT_WORLD;
		lonely |= w.what == WAIT_CLIENT && !rt_wire->config.net.clients;
		paused |= w.what == WAIT_WORLD;
	}
}

/* A client waits, and not for what it will do next: what has become of it is said behind its number. */
static enum violation_kind tell_client(u32 client, const char *what, u32 *slot, char *buf, size_t cap,
				       size_t *own_len)
{
	*slot = NO_FIBER;
	tell(VIOLATION_COMM_DEADLOCK, "communication deadlock: ", slot, buf, cap, own_len);
	struct text t = {buf, cap, *own_len};
	text_str(&t, "; client ");
	text_dec(&t, (long)client);
	text_str(&t, what);
	*own_len = t.len;
	return VIOLATION_COMM_DEADLOCK;
}

static enum violation_kind judge_idle(u32 *slot, char *buf, size_t cap, size_t *own_len)
{
	u64 bytes;
	const struct cache_pos *pos = vk_unanswered(&bytes);
	u32 client = vk_unaccepted();
	if (!pos && client)
		return tell_client(client, " has connected, and nobody accepts it", slot, buf, cap, own_len);
	client = vk_unreceived();
	if (!pos && client)
		return tell_client(client, " has sent a datagram, and nobody receives it", slot, buf, cap,
				   own_len);
	client = vk_cut_short();
	if (!pos && client)
		return tell_client(client, " was sent a part of a message, and nobody sends the rest", slot,
				   buf, cap, own_len);
	const struct cache_pos *waits = pos ? NULL : vk_left_waiting();
	if (waits) {
		tell_client(net_client_of(waits),
			    " waits for more: other executions send it more here, and it leaves in the end",
			    slot, buf, cap, own_len);
		struct text t = {buf, cap, *own_len};
		text_str(&t, ": ");
		net_describe_peer(waits, &t);
		return VIOLATION_COMM_DEADLOCK;
	}
	if (!pos) {
		if (!silence_holds())
			return VIOLATION_NONE;
		remember_idle();
		undecided |= any_waits_for_anyone && vk_client_stays();
		return VIOLATION_NONE;
	}
	*slot = NO_FIBER;
	tell(VIOLATION_COMM_DEADLOCK, "communication deadlock: ", slot, buf, cap, own_len);
	struct text t = {buf, cap, *own_len};
	text_str(&t, "; client ");
	text_dec(&t, (long)net_client_of(pos));
	text_str(&t, " has sent ");
	text_dec(&t, (long)bytes);
	text_str(&t, bytes == 1 ? " byte that nobody reads" : " bytes that nobody reads");
	*own_len = t.len;
	text_str(&t, ": ");
	net_describe_peer(pos, &t);
	return VIOLATION_COMM_DEADLOCK;
}

bool terminal_undecided(void)
{
	return undecided;
}

bool terminal_saw_no_client(void)
{
	return lonely;
}

bool terminal_saw_idle_client(void)
{
	return idle_client;
}

bool terminal_saw_waiter(void)
{
	return waiter;
}

bool terminal_saw_paused(void)
{
	return paused;
}

bool terminal_saw_sleepers(void)
{
	return sleepers;
}

bool terminal_saw_asleep(void)
{
	return asleep;
}

static bool joins(u32 slot)
{
	return op_class_of(&model->fiber[slot].op)->joins && waits_for_fiber(slot);
}

static bool known_to_end(void)
{
	return __atomic_load_n(&rt_wire->learnt.ends, __ATOMIC_SEQ_CST);
}

/* Once: then it is known from the start. */
static void begin_again(void)
{
	if (known_to_end() && __atomic_exchange_n(&rt_wire->learnt.slept, 0, __ATOMIC_SEQ_CST))
		sched_want_restart();
}

static void takes_for_idle(void)
{
	rt_worker->result.slept = 1;
	__atomic_store_n(&rt_wire->learnt.slept, 1, __ATOMIC_SEQ_CST);
	begin_again(); /* another worker may have met an end meanwhile */
}

void terminal_ended(void)
{
	if (hd_likely(known_to_end() && !rt_wire->learnt.slept))
		return;
	__atomic_store_n(&rt_wire->learnt.ends, 1, __ATOMIC_SEQ_CST);
	begin_again();
}

void terminal_restarted(void)
{
	asleep = false;
}

/*
 * Nobody waits for clients or peers: does everybody sleep, wait for a signal from outside, or for the end of
 * one who does? But a thread that sleeps in some executions, where others end, has waited for something.
 */
static bool all_sleep(void)
{
	bool any = false;
	if (known_to_end())
		return false;
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		bool sleeps = alive(i) && op_class_of(&model->fiber[i].op)->sleeps;
		any |= sleeps;
		blocked[i] = sleeps || (alive(i) && wait_of(i).what == WAIT_WORLD) ? BY_CLIENT : NOT_BLOCKED;
	}
	mark_while(joins);
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		if (alive(i) && !blocked[i])
			return false;
	return any;
}

/* Beside those who wait for clients. */
static bool server_idles(void)
{
	u64 bytes;
	if (!mark_roots() || first_that_is(BY_PEER) != NO_FIBER)
		return false;
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		if (alive(i) && op_class_of(&model->fiber[i].op)->sleeps)
			blocked[i] = BY_CLIENT;
	mark_the_blocked();
	if (first_that_is(NOT_BLOCKED) != NO_FIBER || vk_unanswered(&bytes) || vk_cut_short() ||
	    vk_left_waiting() || !silence_holds())
		return false;
	remember_idle();
	sleepers = true;
	return true;
}

bool terminal_idles(void)
{
	if (mark_roots())
		return server_idles();
	if (!all_sleep())
		return false;
	asleep = true;
	takes_for_idle();
	return true;
}

static bool any_waits_for_signal(void)
{
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		if (alive(i) && wait_of(i).what == WAIT_WORLD)
			return true;
	return false;
}

bool terminal_in_vain(const struct target_loop *loop)
{
	if (mark_roots())
		return false;
	if (known_to_end())
		return true;
	bool alone = !loop->several && loop->waits == 1 && !(loop->steps & LOOP_SAYS);
	if (alone && (rt_wire->config.strict_idle || !(any_waits_for_signal() || vk_catches_signals())))
		return true;
	takes_for_idle();
	return false;
}

bool terminal_would_idle(void)
{
	const bool seen[] = {lonely, undecided, idle_client, waiter, sleepers, paused};
	bool idles = server_idles();
	lonely = seen[0];
	undecided = seen[1];
	idle_client = seen[2];
	waiter = seen[3];
	sleepers = seen[4];
	paused = seen[5];
	return idles;
}

enum violation_kind terminal_judge(u32 *slot, char *buf, size_t cap, size_t *own_len)
{
	u32 roots = mark_roots();
	*slot = NO_FIBER;
	if (roots) {
		if (not_known())
			return VIOLATION_NONE;
		mark_the_blocked();
	}
	roots += mark_the_outside();
	*slot = first_that_is(NOT_BLOCKED);
	if (*slot != NO_FIBER)
		return tell(VIOLATION_DEADLOCK, "deadlock: ", slot, buf, cap, own_len);
	if (!roots)
		return VIOLATION_NONE; /* nobody is left at all */
	*slot = first_that_is(BY_PEER);
	if (*slot == NO_FIBER)
		return judge_idle(slot, buf, cap, own_len);
	if (!silence_holds())
		return VIOLATION_NONE;
	tell(VIOLATION_COMM_DEADLOCK, "communication deadlock: ", slot, buf, cap, own_len);
	struct text t = {buf, cap, *own_len};
	describe_peers(&t);
	return VIOLATION_COMM_DEADLOCK;
}
