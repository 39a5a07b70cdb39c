/*
 * explain_failure.c: a thread did something wrong: an assertion, a crash, a lock misused, a data race. What
 * of the execution before it belongs to it?
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/explain_priv.h"

/* Changes of variables that an assertion names, at most. */
#define CHANGES_TOLD 3

static size_t last_step_of(const struct explain *e, u32 thread)
{
	for (size_t i = e->log->lines; i-- > 0;)
		if (e->log->line[i].kind == WIRE_EV_STEP && e->log->line[i].thread == thread)
			return i;
	return e->log->lines;
}

/* --- races --- */

static void tell_locks(struct explain *e, u32 thread)
{
	size_t n = 0;

	for (size_t i = 0; i < e->helds; i++)
		if (e->held[i].thread == thread)
			fprintf(e->out, "%s%s", n++ ? ", " : "", explain_object(e->held[i].since, "mutex "));
}

static size_t locks_of(const struct explain *e, u32 thread)
{
	size_t n = 0;

	for (size_t i = 0; i < e->helds; i++) {
		/* A lock whose name can't be told is no help. */
		if (e->held[i].thread == thread && !explain_object(e->held[i].since, "mutex ")[0])
			return 100;
		n += e->held[i].thread == thread;
	}
	return n;
}

void explain_race(struct explain *e)
{
	u32 one = e->log->violation.thread, two = 0;
	size_t has_one, has_two;

	/* The other side is the one whose place the message names; a loaded trace does not know it. */
	for (size_t i = 0; i < e->log->fibers; i++) {
		const struct log_entry *f = &e->log->fiber[i];

		if (f->thread != one && f->object && !strncmp(f->text, "is about to ", 12) && f->frames &&
		    strstr(e->log->violation.text, f->text))
			two = two ? 1u << 31 : f->thread;
	}
	if (!two || two == 1u << 31)
		return; /* ordered by nothing that can be seen at one moment, or not known */
	fprintf(e->out,
		"%s%s and %s%s access the same memory at the same time, and at least one of them writes: "
		"either may "
		"come first. ",
		explain_Who(e, one), explain_at(&e->log->violation), explain_who(e, two),
		explain_at(explain_fiber(e, two)));
	has_one = locks_of(e, one);
	has_two = locks_of(e, two);
	if (e->log->omitted || has_one >= 100 || has_two >= 100)
		return;
	if (!has_one && !has_two) {
		fputs("Neither holds a lock. ", e->out);
	} else if (!has_one || !has_two) {
		fprintf(e->out, "%s holds ", explain_Who(e, has_one ? one : two));
		tell_locks(e, has_one ? one : two);
		fprintf(e->out, ", %s holds no lock: that is the missing one, if it guards this memory. ",
			explain_who(e, has_one ? two : one));
	} else {
		fprintf(e->out, "They hold different locks (");
		tell_locks(e, one);
		fputs("; ", e->out);
		tell_locks(e, two);
		fputs("), which do not exclude each other. ", e->out);
	}
}

/* --- assertions and invariants --- */

static bool is_word(char c)
{
	return isalnum((u8)c) || c == '_';
}

/* Is the name (up to its end or the first . -> [) one of the words of the text? */
static bool names(const char *text, const char *name)
{
	size_t n = 0;

	while (is_word(name[n]))
		n++;
	for (const char *at = text; n && *at;) {
		const char *begin = at;

		while (is_word(*at))
			at++;
		if ((size_t)(at - begin) == n && !strncmp(begin, name, n))
			return true;
		at += *at != 0;
	}
	return false;
}

/* What stands in the quotes of the message; the whole if there are none. */
static void condition_of(const char *message, char *out, size_t cap)
{
	const char *begin = strchr(message, '`'), *end = begin ? strrchr(begin, '\'') : NULL;

	if (begin && end > begin)
		snprintf(out, cap, "%.*s", (int)(end - begin - 1), begin + 1);
	else
		out[0] = 0;
}

static void tell_changes(struct explain *e, const char *condition)
{
	size_t n = 0;

	for (size_t i = e->log->lines; i-- > 0 && n < CHANGES_TOLD;) {
		const struct log_entry *l = &e->log->line[i];

		for (const char *c = l->kind == WIRE_EV_STEP ? l->changed : NULL;
		     c && *c && n < CHANGES_TOLD;) {
			size_t len = strcspn(c, "\n");
			char line[256];

			snprintf(line, sizeof(line), "%.*s", (int)len, c);
			if (names(condition, line)) {
				fprintf(e->out, "%s%s in step #%lu%s (%s)",
					n ? "; before that " : "Last changed: ", explain_who(e, l->thread),
					l->step, explain_at(l), line);
				n++;
			}
			c += len + (c[len] == '\n');
		}
	}
	if (n)
		fputs(". ", e->out);
}

/* --- descriptors --- */

/* "descriptor 4" in a text, behind `verb`; -1: no. */
static long descriptor_in(const char *text, const char *verb)
{
	const char *at = strstr(text, verb);

	return at ? strtol(at + strlen(verb), NULL, 10) : -1;
}

static bool tell_closed(struct explain *e, u32 thread)
{
	size_t last = last_step_of(e, thread);
	long fd = last < e->log->lines ? descriptor_in(e->log->line[last].text, "uses descriptor ") : -1;

	for (size_t i = fd < 0 ? 0 : last; i-- > 0;) {
		const struct log_entry *l = &e->log->line[i];

		if (l->op != OP_CLOSE || l->kind != WIRE_EV_STEP ||
		    descriptor_in(l->text, "closes descriptor ") != fd)
			continue;
		if (l->thread == thread)
			return false;
		fprintf(e->out,
			"%s uses descriptor %ld in step #%lu%s, after %s has closed it%s. A number that was "
			"closed "
			"may belong to another file by then. ",
			explain_Who(e, thread), fd, e->log->line[last].step, explain_at(&e->log->line[last]),
			explain_who(e, l->thread), explain_step(l));
		return true;
	}
	return false;
}

/* --- short reads and writes --- */

static void tell_short(struct explain *e, u32 thread)
{
	for (size_t i = e->log->lines; i-- > 0;) {
		const struct log_entry *l = &e->log->line[i];
		bool reads = l->op == OP_RECV && strstr(l->text, "on the way)");
		bool writes = l->op == OP_SEND && strstr(l->text, "there is room for");

		if (l->kind != WIRE_EV_STEP || l->thread != thread || (!reads && !writes))
			continue;
		fprintf(e->out,
			"In step #%lu%s it %s only a part (%s): a stream knows no messages, and a call may "
			"%s less than "
			"was asked for. ",
			l->step, explain_at(l), reads ? "got" : "could write", l->text,
			reads ? "return" : "take");
		return;
	}
}

/* --- a wait that is not in a loop --- */

static bool woke(const struct log_entry *l, u64 cond, u32 thread)
{
	const char *at = l->object == cond && l->op == OP_COND_SIGNAL ? strstr(l->text, ", wakes thread ")
								      : NULL;

	if (l->object == cond && l->op == OP_COND_BROADCAST)
		return !strstr(l->text, "(nobody waits)");
	return at && strtoul(at + strlen(", wakes thread "), NULL, 10) == thread;
}

/* Who has taken the mutex between the wake-up and the return from the wait; NULL: nobody else. */
static const struct log_entry *between(const struct explain *e, size_t signal, size_t relock)
{
	for (size_t i = relock; i-- > signal + 1;) {
		const struct log_entry *l = &e->log->line[i];

		if (l->kind == WIRE_EV_STEP && explain_is_lock(l->op) && !l->alt &&
		    (l->op == OP_COND_RELOCK ? l->object2 : l->object) == e->log->line[relock].object2)
			return l;
	}
	return NULL;
}

static void tell_woken(struct explain *e, u32 thread)
{
	size_t relock = last_step_of(e, thread);
	const struct log_entry *l, *other;

	/* What it did since it came back from the wait must be the failure itself. */
	if (relock == e->log->lines || e->log->line[relock].op != OP_COND_RELOCK)
		return;
	l = &e->log->line[relock];
	for (size_t i = relock; i-- > 0;) {
		if (!woke(&e->log->line[i], l->object, thread))
			continue;
		other = between(e, i, relock);
		if (!other || other->thread == thread)
			return;
		fprintf(e->out,
			"It came back from its wait in step #%lu%s. Between the wake-up (step #%lu, %s) and "
			"that, %s "
			"had the mutex (step #%lu%s), so what it was woken for may be gone: a wait belongs "
			"in a loop "
			"that tests again. ",
			l->step, explain_at(l), e->log->line[i].step, explain_who(e, e->log->line[i].thread),
			explain_who(e, other->thread), other->step, explain_at(other));
		return;
	}
}

/* --- memory that was freed --- */

static bool tell_freed(struct explain *e)
{
	const char *message = e->t->violation.message;
	const char *allocated = strstr(message, "allocated at "), *freed = strstr(message, "and freed at ");

	if (freed) {
		fprintf(e->out, "The memory was given back before: freed in %s",
			freed + strlen("and freed at "));
		if (allocated && allocated < freed)
			fprintf(e->out, ", allocated in %.*s",
				(int)(freed - allocated - strlen("allocated at ") - 1),
				allocated + strlen("allocated at "));
		fprintf(e->out, ". %s still uses it%s. ", explain_Who(e, e->log->violation.thread),
			explain_at(&e->log->violation));
		return true;
	}
	if (strstr(message, "double free")) {
		fprintf(e->out,
			"%s frees%s a block that was given back before. Whoever frees must be sure that "
			"nobody else "
			"does: one owner, or a count that is changed atomically. ",
			explain_Who(e, e->log->violation.thread), explain_at(&e->log->violation));
		return true;
	}
	return false;
}

void explain_failure(struct explain *e)
{
	u32 thread = e->log->violation.thread, kind = e->t->violation.found.kind;
	char condition[512];

	if (tell_closed(e, thread) || ((kind == VIOLATION_CRASH || kind == VIOLATION_ABORT) && tell_freed(e)))
		return;
	if (kind == VIOLATION_ASSERT || kind == VIOLATION_INVARIANT) {
		condition_of(e->t->violation.message, condition, sizeof(condition));
		tell_changes(e, condition[0]                  ? condition
				: kind == VIOLATION_INVARIANT ? e->t->violation.message
							      : "");
	}
	tell_woken(e, thread);
	tell_short(e, thread);
}

/* --- locks --- */

void explain_lock_misuse(struct explain *e)
{
	const struct wire_violation *v = &e->t->violation.found;
	const struct log_entry *last = NULL;
	u64 object = v->address;

	for (size_t i = 0; object && i < e->log->lines; i++) {
		const struct log_entry *l = &e->log->line[i];

		if (l->object == object &&
		    (l->op == OP_MUTEX_LOCK || l->op == OP_MUTEX_UNLOCK || l->op == OP_MUTEX_DESTROY))
			last = l;
	}
	if (last)
		fprintf(e->out, "Before that, %s %s%s. ", explain_who(e, last->thread),
			last->op == OP_MUTEX_LOCK     ? "locked it"
			: last->op == OP_MUTEX_UNLOCK ? "unlocked it"
						      : "destroyed it",
			explain_step(last));
}
