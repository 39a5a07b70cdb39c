#include "report/explain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/explain_priv.h"

/* Texts that live until as many others were made. */
static char *scratch(void)
{
	static char text[16][640];
	static unsigned next;

	return text[next++ % HD_ARRAY_LEN(text)];
}
#define SCRATCH 640

static void look_for_name(const struct log_entry *l, u32 thread, const char **name)
{
	if (l->thread == thread && l->name[0] && l->kind != WIRE_EV_OUTPUT)
		*name = l->name;
}

const char *explain_who(const struct explain *e, u32 thread)
{
	const char *name = NULL;
	char *out = scratch();

	for (size_t i = 0; i < e->log->lines; i++)
		look_for_name(&e->log->line[i], thread, &name);
	for (size_t i = 0; i < e->log->fibers; i++)
		look_for_name(&e->log->fiber[i], thread, &name);
	snprintf(out, SCRATCH, name ? "thread %u (%s)" : "thread %u", thread, name);
	return out;
}

const char *explain_Who(const struct explain *e, u32 thread)
{
	char *out = (char *)explain_who(e, thread);

	out[0] = (char)toupper((u8)out[0]);
	return out;
}

const char *explain_at(const struct log_entry *l)
{
	char place[512], *out = scratch();

	frames_where(l->frame, l->frames, place, sizeof(place));
	snprintf(out, SCRATCH, "%s%s", place[0] ? " at " : "", place);
	return out;
}

const char *explain_step(const struct log_entry *l)
{
	char place[512], *out = scratch();

	frames_where(l->frame, l->frames, place, sizeof(place));
	snprintf(out, SCRATCH, " (step #%lu%s%s)", l->step, place[0] ? ", " : "", place);
	return out;
}

/* The text goes on with a comma or a remark where the name ends. */
const char *explain_object(const struct log_entry *l, const char *word)
{
	static const char *const ends[] = {", held by",  ", write-locked",  ", read-locked",
					   ", wakes",    " (nobody waits)", " and locks",
					   " and waits", " and is about"};
	char *out = scratch();
	const char *at = strstr(l->text, word);

	out[0] = 0;
	if (!at)
		return out;
	snprintf(out, SCRATCH, "%s", at + strlen(word));
	for (size_t i = 0; i < HD_ARRAY_LEN(ends); i++) {
		char *end = strstr(out, ends[i]);

		if (end)
			*end = 0;
	}
	return out;
}

const struct log_entry *explain_fiber(const struct explain *e, u32 thread)
{
	for (size_t i = 0; i < e->log->fibers; i++)
		if (e->log->fiber[i].thread == thread)
			return &e->log->fiber[i];
	return NULL;
}

bool explain_is_lock(u32 op)
{
	return op == OP_MUTEX_LOCK || op == OP_SPIN_LOCK || op == OP_RW_RDLOCK || op == OP_RW_WRLOCK ||
	       op == OP_COND_RELOCK;
}

static u64 lock_of(const struct log_entry *l)
{
	return l->op == OP_COND_RELOCK || l->op == OP_COND_ENTER ? l->object2 : l->object;
}

static bool releases(u32 op)
{
	return op == OP_MUTEX_UNLOCK || op == OP_SPIN_UNLOCK || op == OP_RW_UNLOCK || op == OP_COND_ENTER;
}

/* Who tries to lock what nobody holds gets it. */
static bool takes(const struct log_entry *l)
{
	return explain_is_lock(l->op) || (l->op == OP_MUTEX_TRYLOCK && !strstr(l->text, ", held by "));
}

size_t explain_held(const struct execution_log *log, size_t end, struct held_lock *held)
{
	size_t n = 0;

	for (size_t i = 0; i < end; i++) {
		const struct log_entry *l = &log->line[i];
		u64 lock = lock_of(l);

		if (l->kind != WIRE_EV_STEP && l->kind != WIRE_EV_ASIDE)
			continue;
		if (l->kind == WIRE_EV_STEP && l->alt == 0 && takes(l) && n < HELD_LOCKS)
			held[n++] = (struct held_lock){lock, l->thread, l};
		for (size_t k = releases(l->op) ? n : 0; k-- > 0;)
			if (held[k].object == lock && held[k].thread == l->thread) {
				held[k] = held[--n];
				break;
			}
	}
	return n;
}

const struct held_lock *explain_holder(const struct held_lock *held, size_t n, u64 object)
{
	for (size_t i = 0; i < n; i++)
		if (held[i].object == object)
			return &held[i];
	return NULL;
}

static void tell(struct explain *e)
{
	switch (e->t->violation.found.kind) {
	case VIOLATION_DEADLOCK:
		explain_deadlock(e);
		break;
	case VIOLATION_RACE:
		explain_race(e);
		break;
	case VIOLATION_COMM_DEADLOCK:
		explain_peers(e);
		break;
	case VIOLATION_LIVELOCK:
		explain_livelock(e);
		break;
	case VIOLATION_LOCK_MISUSE:
		explain_lock_misuse(e);
		break;
	default:
		explain_failure(e);
		break;
	}
}

/* What --net-faults let happen on the way there. */
static void tell_faults(struct explain *e)
{
	static const char mark[] = "stays where it is; ", who[] = "the network ";
	size_t n = 0;

	for (size_t i = 0; i < e->log->lines; i++) {
		const struct log_entry *l = &e->log->line[i];

		if (l->kind != WIRE_EV_STEP || strncmp(l->text, mark, sizeof(mark) - 1) != 0 ||
		    strncmp(l->text + sizeof(mark) - 1, who, sizeof(who) - 1) != 0) /* a timer */
			continue;
		fprintf(e->out, "%s%s (step #%lu)",
			n++ ? "; " : "A fault of the network came before: ", l->text + sizeof(mark) - 1,
			l->step);
	}
	if (n)
		fputs(". ", e->out);
}

char *explain(const struct trace *t)
{
	struct explain e = {.t = t, .log = &t->log};
	char *text = NULL;
	size_t len = 0;

	e.out = open_memstream(&text, &len);
	if (!e.out)
		return NULL;
	if (t->log.violation.text) {
		e.helds = explain_held(&t->log, t->log.lines, e.held);
		tell(&e);
		tell_faults(&e);
	}
	if (fclose(e.out)) {
		free(text);
		return NULL;
	}
	while (len && text[len - 1] == ' ')
		text[--len] = 0;
	return text;
}
