/*
 * periodic_threads.c: threads that sleep periodically although nothing is asked of the peer: housekeeping. By
 * rule Q3 of quiet.c such a peer would never be quiet. A periodic sleep is learnt while the peer is idle, and
 * it is a place in the program, not a thread: when the thread sleeps anywhere else (before it gives an
 * answer), it is as busy as any other.
 *
 * The same loop may also be what looks for work: "while (!done) usleep(1000)". Hence a thread that sleeps
 * often must have woken up and gone back to its sleep twice since all others came to rest (once may have
 * begun before). One that sleeps for long is not waited for.
 */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "broker/quiet_priv.h"

#define LEARN_MS 2500 /* as long as it takes to see a thread that sleeps for a second wake up twice */
#define SAMPLE_US 500
#define FREQUENT_MS 100 /* woke up twice within that time */
#define WAKES 2

bool periodic_sleeps(const struct quiet_thread *t)
{
	const struct periodic *h = &t->periodic;
	return h->known && t->wait.kind == WAIT_SLEEP && t->wait.call == h->call && t->wait.sp == h->sp &&
	       t->wait.pc == h->pc;
}

/*
 * A process that is brought back has the threads of the one before, on the same stacks, but they are made one
 * after the other: who is there first cannot be told by counting. Where it sleeps tells.
 */
static bool same_place(const struct periodic *a, long call, u64 sp, u64 pc)
{
	return a->call == call && a->sp == sp && a->pc == pc;
}

void periodic_keep(struct quiet_peer *q)
{
	struct periodic *place = realloc(q->place, (q->places + q->threads + 1) * sizeof(*place));
	if (!place)
		return; /* then they are learnt anew, or are waited for */
	q->place = place;
	for (u32 i = 0; i < q->threads; i++) {
		const struct periodic *p = &q->thread[i].periodic;
		u32 k = 0;
		while (k < q->places && !same_place(&place[k], p->call, p->sp, p->pc))
			k++;
		if (p->known && k == q->places)
			place[q->places++] = *p;
	}
}

void periodic_recall(const struct quiet_peer *q, struct quiet_thread *t)
{
	for (u32 k = 0; k < q->places && !t->periodic.known; k++)
		if (same_place(&q->place[k], t->wait.call, t->wait.sp, t->wait.pc))
			t->periodic = q->place[k];
}

static void note_calm(struct quiet_peer *q, u64 sent)
{
	q->calm = true;
	q->calm_sent = sent;
	for (u32 i = 0; i < q->threads; i++)
		q->thread[i].calm_since = q->thread[i].runs;
}

/* Did a thread that works for the peer run since it was calm? */
static bool was_disturbed(const struct quiet_peer *q, u64 sent)
{
	if (!q->calm || q->calm_sent != sent)
		return true;
	for (u32 i = 0; i < q->threads; i++)
		if (!q->thread[i].periodic.frequent && !periodic_sleeps(&q->thread[i]) &&
		    q->thread[i].runs != q->thread[i].calm_since)
			return true;
	return false;
}

/*
 * Housekeeping may come less and less often the longer nothing happens (memcached): it is not waited for any
 * more.
 */
static bool has_slowed_down(struct quiet_thread *t)
{
	u64 now = monotonic_ms();
	if (!periodic_sleeps(t))
		return false;
	if (t->lull != t->runs) {
		t->lull = t->runs;
		t->lull_since_ms = now;
	}
	return now - t->lull_since_ms > FREQUENT_MS;
}

bool periodic_settled(struct quiet_peer *q, u64 sent)
{
	bool settled = true;
	u32 i;
	for (i = 0; i < q->threads && !q->thread[i].periodic.frequent; i++)
		;
	if (i == q->threads)
		return true;
	if (was_disturbed(q, sent)) {
		note_calm(q, sent);
		return false;
	}
	for (; i < q->threads; i++) {
		struct quiet_thread *t = &q->thread[i];
		if (has_slowed_down(t))
			t->periodic.frequent = false;
		if (t->periodic.frequent && periodic_sleeps(t))
			settled &= t->runs >= t->calm_since + WAKES;
	}
	return settled;
}

bool quiet_has_periodic(const struct quiet_peer *q)
{
	for (u32 i = 0; i < q->threads; i++)
		if (q->thread[i].periodic.known)
			return true;
	return false;
}

/* A candidate's periodic sleep is where it slept first; calm_since counts how often it had run then. */
static void begin(struct quiet_thread *t)
{
	thread_look(t);
	t->periodic = (struct periodic){0};
	if (t->wait.kind != WAIT_SLEEP)
		return;
	t->periodic = (struct periodic){
		.known = true, .call = t->wait.call, .sp = t->wait.sp, .pc = t->wait.pc};
	t->calm_since = thread_runs(t);
}

/* Returns whether more is to be seen of it. Whoever rests elsewhere than in its sleep is not periodic. */
static bool watch(struct quiet_thread *t, u64 passed_ms)
{
	if (!t->periodic.known)
		return false;
	thread_look(t);
	if (t->wait.kind == WAIT_RUNS)
		return true;
	if (!periodic_sleeps(t)) {
		t->periodic = (struct periodic){0};
		return false;
	}
	if (thread_runs(t) < t->calm_since + WAKES)
		return true;
	t->periodic.frequent |= passed_ms <= FREQUENT_MS;
	return false;
}

void quiet_learn(struct quiet_peer *q)
{
	u64 start = monotonic_ms();
	bool more = true;
	threads_enumerate(q);
	for (u32 i = 0; i < q->threads; i++)
		begin(&q->thread[i]);
	while (more && monotonic_ms() - start < LEARN_MS) {
		nanosleep(&(struct timespec){.tv_nsec = SAMPLE_US * 1000}, NULL);
		more = false;
		for (u32 i = 0; i < q->threads; i++)
			more |= watch(&q->thread[i], monotonic_ms() - start);
	}
	q->calm = false;
}
