/*
 * explain_deadlock.c: who waits for whom, and why nobody will end it: a circle of locks, a lock whose holder
 * is gone, a wake-up that came too early or went to somebody else.
 */
#include <string.h>

#include "report/explain_priv.h"

static const struct log_entry *waiting(const struct explain *e, u32 thread)
{
	const struct log_entry *f = explain_fiber(e, thread);

	return f && f->waits == WIRE_WAITS_THREAD ? f : NULL;
}

/* The first thread of a circle of waits, and how many are in it; 0: there is none. */
static u32 find_circle(const struct explain *e, u32 *members)
{
	for (size_t i = 0; i < e->log->fibers; i++) {
		const struct log_entry *f = &e->log->fiber[i];
		u32 n = 0;

		for (const struct log_entry *at = waiting(e, f->thread); at && n <= e->log->fibers;
		     at = waiting(e, at->waits_thread)) {
			n++;
			if (at->waits_thread == f->thread) {
				*members = n;
				return f->thread;
			}
		}
	}
	return 0;
}

static u64 wanted_lock(const struct log_entry *f)
{
	return f->op == OP_COND_RELOCK ? f->object2 : f->object;
}

static const char *lock_name(const struct log_entry *f)
{
	const char *word = f->op == OP_SPIN_LOCK        ? "spin lock "
			   : strstr(f->text, "rwlock ") ? "rwlock "
							: "mutex ";

	return explain_object(f, word);
}

/* What the next one of the circle needs and this one has. */
static const struct held_lock *given_by(const struct explain *e, u32 thread, const struct log_entry *waiter)
{
	u64 object = explain_is_lock(waiter->op) ? wanted_lock(waiter) : 0;

	for (size_t i = 0; i < e->helds; i++)
		if (e->held[i].object == object && e->held[i].thread == thread)
			return &e->held[i];
	return NULL;
}

static void tell_wait(struct explain *e, const struct log_entry *f)
{
	if (f->op == OP_JOIN)
		fprintf(e->out, "waits%s for the end of %s", explain_at(f), explain_who(e, f->waits_thread));
	else
		fprintf(e->out, "waits for %s%s", lock_name(f), explain_at(f));
}

static void tell_member(struct explain *e, const struct log_entry *f, const struct log_entry *waiter)
{
	const struct held_lock *has = given_by(e, f->thread, waiter);

	fprintf(e->out, "%s ", explain_who(e, f->thread));
	if (explain_is_lock(waiter->op)) {
		fprintf(e->out, "holds %s", lock_name(waiter));
		if (has)
			fprintf(e->out, ", locked%s in step #%lu,", explain_at(has->since), has->since->step);
		fputs(" and ", e->out);
	}
	tell_wait(e, f);
}

static void tell_self(struct explain *e, const struct log_entry *f)
{
	const struct held_lock *has = given_by(e, f->thread, f);

	if (!explain_is_lock(f->op)) {
		fprintf(e->out, "%s waits for its own end. ", explain_Who(e, f->thread));
		return;
	}
	fprintf(e->out, "%s wants to lock %s%s, which it holds already", explain_Who(e, f->thread),
		lock_name(f), explain_at(f));
	if (has)
		fprintf(e->out, ", since step #%lu%s", has->since->step, explain_at(has->since));
	fputs(": it waits for itself. ", e->out);
}

static void tell_circle(struct explain *e, u32 first, u32 members)
{
	const struct log_entry *f = explain_fiber(e, first);
	bool locks = true;

	if (members == 1) {
		tell_self(e, f);
		return;
	}
	fputs("Each waits for the next: ", e->out);
	for (u32 i = 0; i < members; i++) {
		const struct log_entry *next = explain_fiber(e, f->waits_thread);
		const struct log_entry *waiter = NULL;

		/* The one that waits for f. */
		for (const struct log_entry *at = f; !waiter; at = explain_fiber(e, at->waits_thread))
			if (at->waits_thread == f->thread)
				waiter = at;
		fputs(i == 0 ? "" : i + 1 == members ? "; and " : "; ", e->out);
		tell_member(e, f, waiter);
		locks = locks && explain_is_lock(f->op) && f->op != OP_COND_RELOCK;
		f = next;
	}
	fputs(". ", e->out);
	if (locks && members == 2)
		fputs("The two take the same locks in opposite order; if all threads take them in one order, "
		      "this "
		      "cannot happen. ",
		      e->out);
	else if (locks)
		fputs("If all threads take these locks in one fixed order, this cannot happen. ", e->out);
}

/* A lock whose holder has ended. */
static bool tell_abandoned(struct explain *e)
{
	for (size_t i = 0; i < e->log->fibers; i++) {
		const struct log_entry *f = &e->log->fiber[i];
		const struct held_lock *has;

		if (f->waits != WIRE_WAITS_THREAD || !explain_is_lock(f->op) ||
		    explain_fiber(e, f->waits_thread))
			continue;
		has = explain_holder(e->held, e->helds, wanted_lock(f));
		fprintf(e->out, "%s waits%s for %s, but %s has ended without unlocking it",
			explain_Who(e, f->thread), explain_at(f), lock_name(f),
			explain_who(e, f->waits_thread));
		if (has && has->thread == f->waits_thread)
			fprintf(e->out, " (it locked it in step #%lu%s)", has->since->step,
				explain_at(has->since));
		fputs(": nobody can unlock it any more. ", e->out);
		return true;
	}
	return false;
}

/* --- condition variables --- */

/* "condition variable c", or as Rust's are told: "p.1 (Condvar)". */
static const char *condition_name(const struct log_entry *f)
{
	return explain_object(f,
			      strstr(f->text, "condition variable ") ? "condition variable " : "waits on ");
}

/* The line where the thread last began to wait on the variable; lines: not found. */
static size_t began_to_wait(const struct explain *e, const struct log_entry *f)
{
	for (size_t i = e->log->lines; i-- > 0;) {
		const struct log_entry *l = &e->log->line[i];

		if (l->thread == f->thread && l->op == OP_COND_ENTER && l->object == f->object)
			return i;
	}
	return e->log->lines;
}

static bool wakes(const struct log_entry *l, u64 cond)
{
	return (l->kind == WIRE_EV_STEP || l->kind == WIRE_EV_ASIDE) && l->object == cond &&
	       (l->op == OP_COND_SIGNAL || l->op == OP_COND_BROADCAST);
}

static bool woke_nobody(const struct log_entry *l)
{
	return strstr(l->text, "(nobody waits)") != NULL;
}

static bool takes_lock(const struct log_entry *l, u64 lock)
{
	return l->kind == WIRE_EV_STEP && !l->alt && explain_is_lock(l->op) && wanted_lock(l) == lock;
}

/*
 * The last signal to nobody before the wait; NULL: none. It is lost only if what it told of is still true
 * when the wait begins. Whoever had the mutex in between, but for the wait itself, may have used that up.
 */
static const struct log_entry *early_signal(const struct explain *e, const struct log_entry *f, size_t wait)
{
	bool in_wait = true;

	for (size_t i = wait; i-- > 0;) {
		const struct log_entry *l = &e->log->line[i];

		if (wakes(l, f->object))
			return woke_nobody(l) ? l : NULL;
		if (!takes_lock(l, f->object2))
			continue;
		if (!in_wait || l->thread != f->thread)
			return NULL;
		in_wait = false;
	}
	return NULL;
}

/* The last signal during the wait, which woke another one; NULL: none. */
static const struct log_entry *stolen_signal(const struct explain *e, u64 cond, size_t wait)
{
	for (size_t i = e->log->lines; i-- > wait;)
		if (wakes(&e->log->line[i], cond) && e->log->line[i].op == OP_COND_SIGNAL)
			return &e->log->line[i];
	return NULL;
}

static bool was_without_mutex(const struct explain *e, const struct log_entry *signal, u64 mutex)
{
	struct held_lock held[HELD_LOCKS];
	size_t n = explain_held(e->log, (size_t)(signal - e->log->line), held);
	const struct held_lock *h = explain_holder(held, n, mutex);

	return mutex && !e->log->omitted && (!h || h->thread != signal->thread);
}

static void tell_early(struct explain *e, const struct log_entry *f, const struct log_entry *signal,
		       const struct log_entry *wait)
{
	fprintf(e->out,
		"It looks like a lost wake-up: %s %s condition variable %s in step #%lu%s, when nobody "
		"waited, and a "
		"signal is not remembered. %s began to wait after that%s, and nobody is left who could "
		"signal "
		"again. ",
		explain_who(e, signal->thread), signal->op == OP_COND_SIGNAL ? "signalled" : "broadcast",
		condition_name(f), signal->step, explain_at(signal), explain_Who(e, f->thread),
		explain_step(wait));
	if (was_without_mutex(e, signal, f->object2))
		fputs("The signal was sent without the mutex of the wait, so it can come between the test of "
		      "what "
		      "is waited for and the wait. ",
		      e->out);
	else
		fputs("Whoever waits has to test, with the mutex held, whether what it waits for has "
		      "happened "
		      "already. ",
		      e->out);
}

static void tell_condition(struct explain *e, const struct log_entry *f)
{
	size_t wait = began_to_wait(e, f);
	const char *name = condition_name(f);
	const struct log_entry *signal;
	bool ever = e->log->omitted;

	for (size_t i = 0; i < e->log->lines; i++)
		ever |= wakes(&e->log->line[i], f->object);
	if (wait < e->log->lines && (signal = stolen_signal(e, f->object, wait))) {
		fprintf(e->out,
			"%s waits on condition variable %s%s and nobody is left who could wake it. The last "
			"signal "
			"during its wait, by %s%s, woke another thread: a signal wakes one waiter only. ",
			explain_Who(e, f->thread), name, explain_at(f), explain_who(e, signal->thread),
			explain_step(signal));
		return;
	}
	if (wait < e->log->lines && (signal = early_signal(e, f, wait))) {
		tell_early(e, f, signal, &e->log->line[wait]);
		return;
	}
	fprintf(e->out, "%s waits on condition variable %s%s, ", explain_Who(e, f->thread), name,
		explain_at(f));
	fputs(ever ? "and nobody is left who could signal it. " : "which nobody signals in this execution. ",
	      e->out);
}

/* --- others that wait for anyone --- */

static void tell_semaphore(struct explain *e, const struct log_entry *f)
{
	size_t posts = 0, passes = 0;

	for (size_t i = 0; i < e->log->lines; i++) {
		const struct log_entry *l = &e->log->line[i];

		posts += l->object == f->object && l->op == OP_SEM_POST;
		passes += l->object == f->object && l->op == OP_SEM_WAIT && l->kind == WIRE_EV_STEP &&
			  !l->alt;
	}
	fprintf(e->out, "%s waits for semaphore %s%s, which is 0", explain_Who(e, f->thread),
		explain_object(f, "semaphore "), explain_at(f));
	if (!e->log->omitted)
		fprintf(e->out, " (posted %zu time%s and passed %zu time%s in this execution)", posts,
			posts == 1 ? "" : "s", passes, passes == 1 ? "" : "s");
	fputs(", and nobody is left who could post it. ", e->out);
}

static void tell_other_wait(struct explain *e, const struct log_entry *f)
{
	const char *at = explain_at(f);

	fprintf(e->out, "%s%s%s%s %s, and nobody is left who could end that. ", explain_Who(e, f->thread),
		at[0] ? "," : "", at, at[0] ? "," : "", f->text);
}

static bool waits_for_a_thread_of(const struct explain *e, const struct log_entry *root)
{
	for (size_t i = 0; i < e->log->fibers; i++)
		if (e->log->fiber[i].waits == WIRE_WAITS_THREAD &&
		    e->log->fiber[i].waits_thread == root->thread && e->log->fiber[i].op != OP_JOIN)
			return true;
	return false;
}

/* A read lock can't be made a write lock: the thread waits for itself to unlock. */
static bool tell_upgrade(struct explain *e, const struct log_entry *f)
{
	const struct held_lock *has = NULL;

	for (size_t i = 0; i < e->helds; i++)
		if (e->held[i].object == f->object && e->held[i].thread == f->thread)
			has = &e->held[i];
	if (!has)
		return false;
	fprintf(e->out,
		"%s wants to write-lock %s%s, which it has locked itself%s: whoever writes waits for all "
		"others "
		"to unlock, and it does not unlock while it waits. ",
		explain_Who(e, f->thread), lock_name(f), explain_at(f), explain_step(has->since));
	return true;
}

static void tell_root(struct explain *e, const struct log_entry *f)
{
	if (f->op == OP_RW_WRLOCK && tell_upgrade(e, f))
		return;
	if (f->op == OP_COND_WAIT)
		tell_condition(e, f);
	else if (f->op == OP_SEM_WAIT)
		tell_semaphore(e, f);
	else
		tell_other_wait(e, f);
	if (!waits_for_a_thread_of(e, f))
		return;
	for (size_t i = 0; i < e->log->fibers; i++) {
		const struct log_entry *other = &e->log->fiber[i];

		if (other->waits != WIRE_WAITS_THREAD || other->waits_thread != f->thread ||
		    other->op == OP_JOIN)
			continue;
		fprintf(e->out, "Meanwhile it holds %s, for which %s waits%s. ", lock_name(other),
			explain_who(e, other->thread), explain_at(other));
	}
}

static bool in_circle(const struct explain *e, const struct log_entry *f)
{
	size_t n = 0;

	for (const struct log_entry *at = f; at && n <= e->log->fibers;
	     at = waiting(e, at->waits_thread), n++)
		if (at->waits_thread == f->thread)
			return true;
	return false;
}

/* Main that joins workers, and the like: last, and in a few words. */
static void tell_patient(struct explain *e)
{
	for (size_t i = 0; i < e->log->fibers; i++) {
		const struct log_entry *f = &e->log->fiber[i];

		if (f->patient && f->op == OP_JOIN && explain_fiber(e, f->waits_thread) && !in_circle(e, f))
			fprintf(e->out, "%s only waits for %s to end. ", explain_Who(e, f->thread),
				explain_who(e, f->waits_thread));
	}
}

void explain_deadlock(struct explain *e)
{
	u32 members = 0, first = find_circle(e, &members), roots = 0;
	bool pipe = false;

	if (first) {
		tell_circle(e, first, members);
	} else if (!tell_abandoned(e)) {
		for (size_t i = 0; i < e->log->fibers && roots < 3; i++) {
			const struct log_entry *f = &e->log->fiber[i];

			if (f->waits != WIRE_WAITS_ANYONE)
				continue;
			tell_root(e, f);
			roots++;
			pipe |= strstr(f->text, "read from the pipe ") != NULL;
		}
		if (pipe)
			fputs("A reader of an empty pipe sees its end only when all who could write have "
			      "closed it. ",
			      e->out);
	}
	if (!first || members > 1)
		tell_patient(e);
}
