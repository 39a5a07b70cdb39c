/*
 * quiet.c: has a peer said all it will say?
 *
 * A peer that rests can be told from one that works without asking it: the kernel says what each of its
 * threads is doing. But the threads are looked at one after the other, while they go on, and what travels
 * between us and the peer belongs to no thread at all. One look therefore has four parts:
 *
 *     pass A    every thread sleeps in a call that waits for input (waits.c); note how often each has run
 *     queues    all we sent has been taken, all the peer wrote has arrived (queues.c)
 *     timers    none of the peer's is about to expire (timers.c)
 *     pass B    the same threads still sleep, and none has run since
 *
 * Q1  Between the end of A and the start of B there is a moment at which all threads slept: each of them did
 *     at A, and B shows that none ran in between. Without B, thread 1 may be woken by thread 2 just after it
 *     was looked at.
 * Q2  The queues are looked at in that interval. So at that moment nothing was on its way either, and nobody
 *     but us can wake the peer. Without it, a request that the peer has not been woken for looks like an
 *     answer that is complete.
 *     The same of timers: one that expires just before it is looked at has woken somebody up, whom B finds.
 * Q3  Pausing is not resting: a thread in nanosleep counts as working. Without A, a peer that thinks for 20
 *     ms is quiet.
 *     A wait with a short time-out is sat out for the same reason (grace.c).
 * Q4  Processes are enumerated between the passes, and a changed set is a busy peer: a thread or child that
 *     was born after A may be the one that answers.
 * Q5  What cannot be looked into is busy, never quiet.
 *
 * In pass B the state is read before the run count: "sleeps" followed by "has not run" says it slept as at A;
 * the other way round it may have run in between. The letter also tells a sleep from a stop (^Z, a debugger)
 * and from waiting for the disk in the middle of a call that looks like a wait; both are busy.
 *
 * Given up: segments on their way between two processes of the peer, over TCP, in the very moment of the look
 * are not seen.
 */
#include <stdlib.h>
#include <unistd.h>

#include "broker/quiet_priv.h"
#include "broker/sockdiag.h"

#ifdef HEDDLE_ABLATION
int quiet_ablation;
#endif

struct quiet_peer *quiet_open(pid_t root)
{
	struct quiet_peer *q = calloc(1, sizeof(*q));
	hd_assert(q != NULL);
	q->nl = sockdiag_open();
	quiet_add(q, root);
	return q;
}

static void add_root(struct quiet_peer *q, pid_t root)
{
	u32 at = 0;
	while (at < q->roots_n && q->roots[at]) /* the place of one that is gone */
		at++;
	if (at == q->roots_n) {
		q->roots = realloc(q->roots, (q->roots_n + 1) * sizeof(*q->roots));
		hd_assert(q->roots != NULL);
		q->roots_n++;
	}
	q->roots[at] = root;
}

void quiet_add(struct quiet_peer *q, pid_t root)
{
	add_root(q, root);
	q->calm = false;
	threads_enumerate(q);
}

/* The one that this thread was: itself, or the one in the same place of as long a list; NULL: not known. */
static const struct quiet_thread *thread_before(const struct quiet_peer *old, const struct quiet_peer *q,
						u32 i)
{
	for (u32 k = 0; k < old->threads; k++)
		if (old->thread[k].tid == q->thread[i].tid)
			return &old->thread[k];
	return old->threads == q->threads ? &old->thread[i] : NULL;
}

/* They sleep at the same places, so what is known of these places is true of the new threads, too. */
static void learn_again(struct quiet_peer *q, const struct quiet_peer *old)
{
	for (u32 i = 0; i < q->threads; i++) {
		const struct quiet_thread *before = thread_before(old, q, i);
		if (!before)
			continue;
		q->thread[i].periodic = before->periodic;
		q->thread[i].grace = before->grace;
		if (before->tid != q->thread[i].tid)
			q->thread[i].grace.runs = thread_runs(&q->thread[i]);
	}
	for (u32 i = 0; i < q->processes && old->processes; i++) {
		const struct quiet_process *p = &old->process[HD_MIN(i, old->processes - 1)];
		q->process[i].ticks = p->ticks;
		q->process[i].alarms = p->alarms;
	}
}

static bool put_root(struct quiet_peer *q, pid_t from, pid_t to)
{
	for (u32 at = 0; at < q->roots_n && from; at++)
		if (q->roots[at] == from) {
			q->roots[at] = to;
			return true;
		}
	return false;
}

bool quiet_replace(struct quiet_peer *q, const pid_t *from, const pid_t *to, u32 n, bool its_own)
{
	bool any = false, same = true, mine = its_own;
	for (u32 i = 0; i < n; i++) {
		bool known = put_root(q, from[i], to[i]);
		if (from[i])
			mine = known || its_own;
		if (!known && mine)
			add_root(q, to[i]);
		any |= mine;
		same &= known && from[i] == to[i];
	}
	if (!any || same)
		return any;
	periodic_keep(q);
	struct quiet_peer old = *q;
	old.roots = NULL;
	old.place = NULL;
	q->thread = NULL;
	q->process = NULL;
	q->threads = q->processes = 0;
	q->calm = false;
	threads_enumerate(q);
	learn_again(q, &old);
	threads_free(&old);
	return true;
}

void quiet_close(struct quiet_peer *q)
{
	if (!q)
		return;
	threads_free(q);
	if (q->nl >= 0)
		close(q->nl);
	free(q);
}

static bool rests(const struct quiet_peer *q, struct quiet_thread *t)
{
	if (t->wait.kind == WAIT_TIMED)
		return grace_is_over(q, t) || q->satisfied;
	return t->wait.kind == WAIT_INPUT || t->wait.kind == WAIT_DEAD || periodic_sleeps(t);
}

static bool pass_a(struct quiet_peer *q, bool *timed)
{
	for (u32 i = 0; i < q->threads; i++) {
		struct quiet_thread *t = &q->thread[i];
		t->runs = thread_runs(t);
		thread_look(t);
		if (t->wait.kind == WAIT_SLEEP && !t->periodic.known)
			periodic_recall(q, t);
		if (!rests(q, t))
			return false;
		*timed |= t->wait.kind == WAIT_TIMED;
	}
	return true;
}

static bool queues(struct quiet_peer *q, struct quiet_conn *c, u32 n)
{
	bool empty = true;
	for (u32 i = 0; i < n; i++) {
		c[i].queue = QUEUE_EMPTY;
		if (c[i].closed)
			continue;
		queue_look(q->nl, &c[i]);
		empty &= c[i].queue == QUEUE_EMPTY || c[i].excused;
	}
	return empty;
}

static bool still_sleeps(struct quiet_thread *t)
{
	if (t->wait.kind == WAIT_DEAD)
		return true;
	if (thread_state(t) != 'S')
		return false;
	return periodic_sleeps(t) || thread_runs(t) == t->runs;
}

static bool pass_b(struct quiet_peer *q)
{
	if (!threads_enumerate(q))
		return false;
	for (u32 i = 0; i < q->threads; i++)
		if (!still_sleeps(&q->thread[i]))
			return false;
	return true;
}

static u64 sent_in_all(const struct quiet_conn *c, u32 n)
{
	u64 sum = 0;
	while (n--)
		sum += c[n].sent;
	return sum;
}

enum quiet quiet_look(struct quiet_peer *q, struct quiet_conn *c, u32 n)
{
	bool timed = false;
	u64 sent = sent_in_all(c, n);
	enum timers timers = TIMERS_NONE;
	bool quiet = (pass_a(q, &timed) || quiet_without(ABLATION_THREADS)) &&
		     (queues(q, c, n) || quiet_without(ABLATION_QUEUES)) &&
		     ((timers = timers_look(q)) != TIMERS_SOON || q->satisfied) &&
		     (quiet_without(ABLATION_AGAIN) || pass_b(q));
	if (!quiet) { /* who was born meanwhile is met in a later pass B, and looked at after that */
		q->calm = false;
		return QUIET_BUSY;
	}
	if (!periodic_settled(q, sent))
		return QUIET_BUSY;
	return timed || timers ? QUIET_TIMED : QUIET_YES;
}

u64 quiet_runs(const struct quiet_peer *q)
{
	u64 sum = 0;
	for (u32 i = 0; i < q->threads; i++)
		sum += q->thread[i].runs;
	return sum;
}

void quiet_satisfied(struct quiet_peer *q, bool satisfied)
{
	q->satisfied = satisfied;
}

void quiet_asked(struct quiet_peer *q, bool something)
{
	q->asked++;
	q->questioned |= something;
}

bool quiet_asleep(struct quiet_peer *q)
{
	bool timed = false, same = threads_enumerate(q);
	if (!pass_a(q, &timed))
		return false;
	for (u32 i = 0; i < q->threads; i++) {
		struct quiet_thread *t = &q->thread[i];
		same &= still_sleeps(t) && (t->asleep_at == t->runs || t->wait.kind != WAIT_INPUT);
		t->asleep_at = t->runs;
	}
	return same;
}

/* One that could not be looked into at this moment lives. */
static bool has_root(const struct quiet_peer *q)
{
	for (u32 i = 0; i < q->roots_n; i++)
		if (q->roots[i])
			return true;
	return false;
}

bool quiet_alive(struct quiet_peer *q)
{
	threads_enumerate(q);
	if (!q->threads)
		return has_root(q);
	for (u32 i = 0; i < q->threads; i++) {
		thread_look(&q->thread[i]);
		if (q->thread[i].wait.kind != WAIT_DEAD)
			return true;
	}
	return false;
}
