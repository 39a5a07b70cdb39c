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

/*
 * The locks that a side of the message holds: "thread 2 is about to write n (4 bytes), holding m, k; …".
 * NULL: none. The runtime says that; the log alone would not know of all ways to take a lock.
 */
static const char *locks_of(const char *side, char *out, size_t cap)
{
	static const char holding[] = ", holding ";
	const char *end = strstr(side, "; thread "), *at = strstr(side, holding), *block;

	if (!at || (end && at > end))
		return NULL;
	snprintf(out, cap, "%.*s", end ? (int)(end - at) : (int)strlen(at), at);
	memmove(out, out + sizeof(holding) - 1, strlen(out + sizeof(holding) - 1) + 1);
	block = strstr(out, ", in a block");
	if (block)
		out[block - out] = 0;
	return out;
}

static void tell_missing(struct explain *e, u32 one, const char *first, u32 two, const char *second)
{
	if (!first && !second)
		fputs("Neither holds a lock. ", e->out);
	else if (!first || !second)
		fprintf(e->out, "%s holds %s; %s holds no lock: %s. ", explain_Who(e, first ? one : two),
			first ? first : second, explain_who(e, first ? two : one),
			strstr(first ? first : second, ", ")
				? "if one of them guards this memory, that is the missing one"
				: "that is the missing one, if it guards this memory");
	else
		fprintf(e->out, "They hold different locks (%s; %s), which do not exclude each other. ",
			first, second);
}

/* "stats->hits" of "… is about to write stats->hits (8 bytes)"; "" where the message has an address only. */
static void raced_for(const char *side, char *out, size_t cap)
{
	const char *name = strstr(side, " is about to "), *end;

	out[0] = 0;
	name = name ? strchr(name + 13, ' ') : NULL;
	end = name ? strstr(name, " (") : NULL;
	if (end && strncmp(name, " 0x", 3) != 0 && !memchr(name + 1, ' ', (size_t)(end - name - 1)))
		snprintf(out, cap, "%.*s", (int)(end - name - 1), name + 1);
}

void explain_race(struct explain *e)
{
	const char *message = e->log->violation.text, *other = strstr(message, "; thread ");
	u32 one = e->log->violation.thread, two = other ? (u32)strtoul(other + 9, NULL, 10) : 0;
	const struct log_entry *f = two ? explain_fiber(e, two) : NULL;
	char first[512], second[512], what[256], same[256];

	/* Else it is ordered by nothing that can be seen at one moment: the message says all there is. */
	if (!f || two == one || !strstr(other, " is about to "))
		return;
	raced_for(message, what, sizeof(what));
	raced_for(other, same, sizeof(same));
	fprintf(e->out,
		"%s%s and %s%s access %s at the same time, and at least one of them writes: either may come "
		"first. ",
		explain_Who(e, one), explain_at(&e->log->violation), explain_who(e, two), explain_at(f),
		what[0] && !strcmp(what, same) ? what : "the same memory");
	tell_missing(e, one, locks_of(message, first, sizeof(first)), two,
		     locks_of(other + 2, second, sizeof(second)));
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

/*
 * Only where it is the last that the thread heard or said: what was long ago may have been put right. True:
 * it is also the last that the thread did.
 */
static bool tell_short(struct explain *e, u32 thread)
{
	size_t last = last_step_of(e, thread);
	const struct log_entry *l = NULL;
	bool reads, writes;

	for (size_t i = e->log->lines; i-- > 0 && !l;)
		if (e->log->line[i].kind == WIRE_EV_STEP && e->log->line[i].thread == thread &&
		    (e->log->line[i].op == OP_RECV || e->log->line[i].op == OP_SEND))
			l = &e->log->line[i];
	reads = l && l->op == OP_RECV && strstr(l->text, "on the way)");
	writes = l && l->op == OP_SEND && strstr(l->text, "there is room for");
	if (!reads && !writes)
		return false;
	fprintf(e->out,
		"In step #%lu%s %s %s only a part (%s): a stream knows no messages, and a call may %s less "
		"than was "
		"asked for. ",
		l->step, explain_at(l), explain_who(e, thread), reads ? "got" : "could write", l->text,
		reads ? "return" : "take");
	return l == &e->log->line[last];
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
	static const char allocated_at[] = "allocated at ", freed_at[] = "and freed at ";
	const char *message = e->t->violation.message;
	const char *allocated = strstr(message, allocated_at), *freed = strstr(message, freed_at);
	bool twice = strstr(message, "double free") != NULL;

	if (!freed && !twice)
		return false;
	fprintf(e->out, "The memory was given back before");
	if (freed)
		fprintf(e->out, ", in %s", freed + sizeof(freed_at) - 1);
	if (freed && allocated && allocated < freed)
		fprintf(e->out, " (it came from %.*s)", (int)(freed - allocated - sizeof(allocated_at)),
			allocated + sizeof(allocated_at) - 1);
	fprintf(e->out, ", and %s %s%s. ", explain_who(e, e->log->violation.thread),
		twice ? "frees it again" : "still uses it", explain_at(&e->log->violation));
	if (twice)
		fputs("Whoever frees must be sure that nobody else does: one owner, or a count that is "
		      "changed "
		      "atomically. ",
		      e->out);
	return true;
}

/* --- null pointers --- */

static bool source_line(const struct log_entry *l, char *out, size_t cap)
{
	const struct frame *at = frames_source(l->frame, l->frames);
	FILE *f = at && at->file[0] ? fopen(at->file, "re") : NULL;
	bool found = false;

	for (int n = 1; f && n <= at->line && fgets(out, (int)cap, f); n++) {
		found = n == at->line;
		/* The rest of a long line is no line. */
		for (size_t len = strlen(out); len && out[len - 1] != '\n' && !feof(f); len = 1)
			if (getc(f) == '\n')
				break;
	}
	if (f)
		fclose(f);
	return found;
}

/* Names of changes that were seen already, from the end on: only the last change of each counts. */
struct seen_names {
	char name[16][64];
	size_t n;
};

static bool is_first(struct seen_names *s, const char *change)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)HD_MIN(strcspn(change, ":="), (size_t)63), change);
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->name[i], name))
			return false;
	if (s->n < HD_ARRAY_LEN(s->name))
		memcpy(s->name[s->n++], name, sizeof(name));
	return true;
}

/* A pointer that stands in the line of the crash, and was last set to NULL. */
static bool tell_null(struct explain *e)
{
	const char *address = strstr(e->t->violation.message, "at address 0x");
	struct seen_names seen = {.n = 0};
	char text[1024], change[256];

	if (!address || strtoull(address + 11, NULL, 16) >= 4096 ||
	    !source_line(&e->log->violation, text, sizeof(text)))
		return false;
	for (size_t i = e->log->lines; i-- > 0 && seen.n < HD_ARRAY_LEN(seen.name);) {
		const struct log_entry *l = &e->log->line[i];

		for (const char *c = l->kind == WIRE_EV_STEP ? l->changed : NULL; c && *c;) {
			size_t len = strcspn(c, "\n");

			snprintf(change, sizeof(change), "%.*s", (int)len, c);
			c += len + (c[len] == '\n');
			if (!names(text, change) || !is_first(&seen, change) || !strstr(change, " → NULL"))
				continue;
			fprintf(e->out,
				"It looks like a null pointer: %.*s, which stands in that line, was set to "
				"NULL by %s in "
				"step #%lu%s. ",
				(int)strcspn(change, ":"), change, explain_who(e, l->thread), l->step,
				explain_at(l));
			return true;
		}
	}
	return false;
}

/* --- panics --- */

/* A Rust program ends with the status of a panic, mostly main's; the one that was first may be another's. */
static bool tell_panic(struct explain *e)
{
	const struct log_entry *last = NULL;

	if (strncmp(e->t->violation.message, "the program panicked", 20) != 0)
		return false;
	for (size_t i = 0; i < e->log->lines; i++) {
		const struct log_entry *l = &e->log->line[i];

		if (l->kind == WIRE_EV_STEP)
			last = l;
		if (l->kind != WIRE_EV_OUTPUT || l->arg != 2 || !strstr(l->text, " panicked at ") || !last)
			continue;
		if (last->thread != e->log->violation.thread)
			fprintf(e->out, "The first panic was in %s, after its step #%lu. ",
				explain_who(e, last->thread), last->step);
		return true;
	}
	return false;
}

void explain_failure(struct explain *e)
{
	u32 thread = e->log->violation.thread, kind = e->t->violation.found.kind;
	char condition[512];

	if (tell_panic(e) || tell_closed(e, thread) ||
	    ((kind == VIOLATION_CRASH || kind == VIOLATION_ABORT) && tell_freed(e)))
		return;
	if (tell_short(e, thread) || (kind == VIOLATION_CRASH && tell_null(e)))
		return;
	if (kind == VIOLATION_ASSERT || kind == VIOLATION_INVARIANT) {
		condition_of(e->t->violation.message, condition, sizeof(condition));
		tell_changes(e, condition[0]                  ? condition
				: kind == VIOLATION_INVARIANT ? e->t->violation.message
							      : "");
	}
	tell_woken(e, thread);
}

/* --- locks --- */

void explain_lock_misuse(struct explain *e)
{
	if (strstr(e->t->violation.message, "in freed memory") && tell_freed(e))
		return;

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
