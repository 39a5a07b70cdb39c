#include "report/plain_text.h"

#include <stdlib.h>
#include <string.h>

#include "report/explain.h"
#include "report/formats.h"

/* How many of its last steps a thread is shown with. */
#define LAST_STEPS 5
#define PARAGRAPH_COLUMNS 100
static size_t paragraph_columns = PARAGRAPH_COLUMNS;

void plain_set_width(size_t columns)
{
	paragraph_columns = columns && columns < PARAGRAPH_COLUMNS + 2 ? columns - 2 : PARAGRAPH_COLUMNS;
}

void plain_number(u64 n, char *out, size_t cap)
{
	char digits[32];
	int len = snprintf(digits, sizeof(digits), "%lu", n), i;
	size_t at = 0;

	for (i = 0; i < len && at + 2 < cap; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			out[at++] = ' ';
		out[at++] = digits[i];
	}
	out[at] = 0;
}

void plain_size(u64 n, char *out, size_t cap)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	double v = (double)n;
	size_t u = 0;

	while (v >= 1024 && u + 1 < HD_ARRAY_LEN(units)) {
		v /= 1024;
		u++;
	}
	snprintf(out, cap, u && v < 100 ? "%.1f %s" : "%.0f %s", v, n == 1 ? "byte" : units[u]);
}

void plain_duration(double seconds, char *out, size_t cap)
{
	unsigned whole = (unsigned)seconds;

	if (seconds < 60)
		snprintf(out, cap, "%.*f s", seconds < 10 ? 2 : 1, seconds);
	else if (whole < 3600)
		snprintf(out, cap, "%u:%02u", whole / 60, whole % 60);
	else
		snprintf(out, cap, "%u:%02u:%02u", whole / 3600, whole / 60 % 60, whole % 60);
}

/* The place in the user's code, to the right of what was done. */
static void print_place(FILE *f, const struct log_entry *l)
{
	const struct frame *at = frames_source(l->frame, l->frames);
	char text[512];

	if (!at)
		return;
	frame_text(at, text, sizeof(text));
	fprintf(f, "  at %s", text);
}

/*
 * Without what lies in libraries below the first frame: the trace has it all. That one is told where the text
 * does not say what the library does, as of a crash in it.
 */
static void print_backtrace(FILE *f, const struct log_entry *l, const char *indent, bool first)
{
	const struct frame *source = frames_source(l->frame, l->frames);
	char text[512];

	first |= !source || frame_is_library(source);
	for (u32 i = 0; i < l->frames; i++) {
		if ((i > 0 || !first) && frame_is_library(&l->frame[i]))
			continue;
		frame_text(&l->frame[i], text, sizeof(text));
		fprintf(f, "%s%s\n", indent, text);
	}
}

static const struct log_entry *fiber_of(const struct execution_log *s, u32 thread)
{
	for (size_t i = 0; i < s->fibers; i++)
		if (s->fiber[i].thread == thread)
			return &s->fiber[i];
	return NULL;
}

/* In one line: what the step did in passing, and what it changed of the program's variables. */
static void print_besides(FILE *f, const struct execution_log *s, size_t step)
{
	bool first = true;

	for (size_t i = step + 1; i < s->lines && s->line[i].kind != WIRE_EV_STEP; i++) {
		if (s->line[i].kind != WIRE_EV_ASIDE)
			continue;
		fprintf(f, "%s%s", first ? "           then " : "; ", s->line[i].text);
		first = false;
	}
	if (!first)
		putc('\n', f);
	if (!s->line[step].changed)
		return;
	fputs("           ", f);
	for (const char *c = s->line[step].changed; *c; c++)
		fputs(*c == '\n' ? "; " : (char[]){*c, 0}, f);
	putc('\n', f);
}

static void print_last_steps(FILE *f, const struct execution_log *s, u32 thread)
{
	size_t total = 0, nth = 0;

	for (size_t i = 0; i < s->lines; i++)
		total += s->line[i].kind == WIRE_EV_STEP && s->line[i].thread == thread;
	if (total > LAST_STEPS)
		fprintf(f, "      … %zu earlier steps\n", total - LAST_STEPS);
	for (size_t i = 0; i < s->lines; i++) {
		const struct log_entry *l = &s->line[i];

		if (l->kind != WIRE_EV_STEP || l->thread != thread || nth++ + LAST_STEPS < total)
			continue;
		fprintf(f, "    #%-5lu %s", l->step, l->text);
		print_place(f, l);
		putc('\n', f);
		print_besides(f, s, i);
	}
}

/*
 * The thread that the violation is about is not among the fibers. Mostly it is through, but before a race it
 * stands like the other one; the message tells what it is about to do, up to the semicolon.
 */
static void print_culprit_now(FILE *f, const struct execution_log *s)
{
	static const char about[] = "is about to ";
	const char *now = s->violation_kind == VIOLATION_RACE ? strstr(s->violation.text, about) : NULL;
	const char *end = now ? strstr(now, "; ") : NULL;

	if (!end) {
		fputs("    now: fails, as told above\n", f);
		return;
	}
	fprintf(f, "    now: %.*s\n", (int)(end - now), now);
	print_backtrace(f, &s->violation, "         ", false);
}

static void print_thread(FILE *f, const struct execution_log *s, const struct log_entry *any)
{
	const struct log_entry *now = fiber_of(s, any->thread);
	char who[256];

	execution_log_heading(s, any->thread, who, sizeof(who));
	fprintf(f, "\n  %s\n", who);
	print_last_steps(f, s, any->thread);
	if (!now && s->violation.text && s->violation.thread == any->thread) {
		print_culprit_now(f, s);
		return;
	}
	if (!now) {
		fputs("    has ended\n", f);
		return;
	}
	fprintf(f, "    now: %s\n", now->text[0] ? now->text : "runs");
	print_backtrace(f, now, "         ", false);
}

/* The next thread by number, whether it is still there or only was; NULL: that was the last one. */
static const struct log_entry *thread_after(const struct execution_log *s, u32 last)
{
	const struct log_entry *next = NULL;

	for (size_t i = 0; i < s->fibers; i++)
		if (s->fiber[i].thread > last && (!next || s->fiber[i].thread < next->thread))
			next = &s->fiber[i];
	for (size_t i = 0; i < s->lines; i++)
		if (s->line[i].kind == WIRE_EV_STEP && s->line[i].thread > last &&
		    (!next || s->line[i].thread < next->thread))
			next = &s->line[i];
	return next;
}

/* Who only waits for a thread's end, or for clients, comes last. */
static void print_threads(FILE *f, const struct execution_log *s)
{
	for (int patient = 0; patient < 2; patient++)
		for (const struct log_entry *l = thread_after(s, 0); l; l = thread_after(s, l->thread)) {
			const struct log_entry *now = fiber_of(s, l->thread);

			if ((now && now->patient) == patient)
				print_thread(f, s, l);
		}
}

/* That of a communication deadlock lists who waits on either side, one after the other: a line each. */
static void print_message(FILE *f, const struct trace *t)
{
	const char *message = t->violation.message, *end;

	while (violation_traits(t->violation.found.kind)->names_peers && (end = strstr(message, "; "))) {
		fprintf(f, "  %.*s;\n", (int)(end - message), message);
		message = end + 2;
	}
	fprintf(f, "  %s\n", message);
}

/* A paragraph, in lines of a readable length; bytes that go on a character have no width. */
static void print_paragraph(FILE *f, const char *text)
{
	size_t column = 0;
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " "), width = 0;

		for (size_t i = 0; i < len; i++)
			width += ((u8)text[i] & 0xc0) != 0x80;
		if (column && column + 1 + width > paragraph_columns)
			column = 0;
		fputs(column ? " " : first ? "  " : "\n  ", f);
		first = false;
		fprintf(f, "%.*s", (int)len, text);
		column += (column > 0) + width;
		text += len;
		text += strspn(text, " ");
	}
	putc('\n', f);
}

static void print_explanation(FILE *f, const struct trace *t)
{
	char *text = explain(t);

	if (text && *text) {
		putc('\n', f);
		print_paragraph(f, text);
	}
	free(text);
}

void plain_violation(FILE *f, const struct trace *t)
{
	const struct log_entry *v = &t->log.violation;
	bool shared = violation_traits(t->violation.found.kind)->concerns_all_threads;
	char who[64] = "";

	if (v->text && !shared)
		log_entry_thread(v, who, sizeof(who));
	fprintf(f, "%s%s%s%s%s\n", violation_traits(t->violation.found.kind)->name, who[0] ? " in " : "", who,
		t->violation.where[0] ? " at " : "", t->violation.where);
	print_message(f, t);
	if (v->text && !shared)
		print_backtrace(f, v, "    ", t->violation.found.kind == VIOLATION_CRASH);
	print_explanation(f, t);
	fprintf(f, "\n  The last steps of each thread, out of %lu, and where it stands",
		t->violation.found.path_len);
	if (t->violation.found_len > t->violation.found.path_len)
		fprintf(f, " (%lu steps when it was found, and shortened)", t->violation.found_len);
	fputs(":\n", f);
	print_threads(f, &t->log);
}

/* Output may hold anything: only what a terminal shows as text passes. */
static void print_output(FILE *f, const struct log_entry *l)
{
	const char *mark = l->arg == 2 ? "!" : "|";
	bool start = true;

	for (const char *c = l->text; *c; c++) {
		if (start)
			fprintf(f, "       %s ", mark);
		start = *c == '\n';
		putc((u8)*c < ' ' && *c != '\n' && *c != '\t' ? '?' : *c, f);
	}
	if (!start)
		putc('\n', f);
}

void plain_entry(FILE *f, const struct log_entry *l)
{
	char who[64];

	log_entry_thread(l, who, sizeof(who));
	if (l->kind == WIRE_EV_OUTPUT) {
		print_output(f, l);
		return;
	}
	if (l->kind == WIRE_EV_ASIDE) {
		fprintf(f, "         then %s", l->text);
		print_place(f, l);
		putc('\n', f);
	}
	if (l->kind == WIRE_EV_STEP) {
		fprintf(f, "#%-5lu %s: %s", l->step, who, l->text);
		print_place(f, l);
		putc('\n', f);
	}
}

void plain_changes(FILE *f, const char *text)
{
	while (text && *text) {
		size_t len = strcspn(text, "\n");

		fprintf(f, "         %.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

void plain_steps(FILE *f, const struct trace *t)
{
	if (t->log.omitted)
		fprintf(f, "… %lu earlier lines are not in the trace\n", t->log.omitted);
	for (size_t i = 0, step = 0; i < t->log.lines; i++) {
		const struct log_entry *l = &t->log.line[i];

		plain_entry(f, l);
		if (l->kind == WIRE_EV_STEP)
			step = i;
		/* What it changed is known at its end, behind what it did in passing. */
		if (i + 1 == t->log.lines || l[1].kind == WIRE_EV_STEP)
			plain_changes(f, t->log.line[step].kind == WIRE_EV_STEP ? t->log.line[step].changed
										: NULL);
	}
}

static void print_verdict(FILE *f, const struct outcome *o)
{
	char reason[OUTCOME_REASON], headline[1024];

	outcome_reason(o, reason, sizeof(reason));
	outcome_headline(o, headline, sizeof(headline));
	fprintf(f, "%s: %s.\n", headline, reason);
}

static void print_refused(FILE *f, const struct outcome *o)
{
	for (size_t i = 0; i < o->refused_count; i++) {
		const struct outcome_refused *r = &o->refused[i];

		fprintf(f, "  refused: %s%s%s, %lu time%s\n", r->call, r->where[0] ? " at " : "", r->where,
			r->count, r->count == 1 ? "" : "s");
	}
}

/* A step begins at the operation that it is named after, and goes on to the thread's next one. */
static void print_unsynchronised(FILE *f, const struct outcome *o)
{
	for (size_t i = 0; i < o->unsynchronised_count; i++) {
		const struct outcome_unsynchronised *u = &o->unsynchronised[i];

		fprintf(f, "  unsynchronised: %s, used by thread %u behind %s and by thread %u behind %s\n",
			u->what, u->thread[0], u->where[0], u->thread[1], u->where[1]);
	}
	if (o->unsynchronised_count)
		fputs("  A race, or atomics: other orders of these accesses were not explored; rebuild with "
		      "heddle cc "
		      "to have them checked.\n",
		      f);
}

static void print_unseen(FILE *f, const struct outcome *o)
{
	for (size_t i = 0; i < o->unseen_count; i++)
		fprintf(f, "  not looked into: %s%s%s\n", o->unseen[i].call,
			o->unseen[i].where[0] ? " at " : "", o->unseen[i].where);
	if (o->unseen_count)
		fputs("  What they read and write in the program's memory is not seen: races and use of "
		      "freed "
		      "memory there would not be found.\n",
		      f);
}

static void print_counts(FILE *f, const struct outcome *o)
{
	const struct search_stats *s = &o->stats;
	char states[32], transitions[32], revisited[32], rate[32], memory[32], wall[32];

	plain_number(s->states, states, sizeof(states));
	plain_number(s->transitions, transitions, sizeof(transitions));
	plain_number(s->revisited, revisited, sizeof(revisited));
	plain_number(o->cpu_s > 0 ? (u64)((double)s->transitions / o->cpu_s) : 0, rate, sizeof(rate));
	plain_size(s->memory, memory, sizeof(memory));
	plain_duration(o->wall_s, wall, sizeof(wall));
	fprintf(f, "  %s states, %s transitions, %s revisited, depth %lu, %lu end states", states,
		transitions, revisited, s->max_depth, s->end_states);
	if (s->runs)
		fprintf(f, ", %lu runs", s->runs);
	fprintf(f, "\n  %s, %.2f s of CPU, %s, %s transitions per CPU second", wall, o->cpu_s, memory, rate);
	if (o->workers > 1)
		fprintf(f, ", %u workers", o->workers);
	fputs(o->workers_why[0] ? "\n  one worker: " : "\n", f);
	if (o->workers_why[0])
		fprintf(f, "%s\n", o->workers_why);
}

static void plain_script(FILE *f, const struct outcome *o)
{
	const struct outcome_script *s = &o->script;
	char size[32];

	if (!s->path[0])
		return;
	if (s->why_not[0]) {
		fprintf(f, "  script: not written: %s\n", s->why_not);
		return;
	}
	plain_size(s->bytes, size, sizeof(size));
	fprintf(f, "  script: %s, %s, %.3f bytes a %s (Subgraphs %.2f %% of it)\n", s->path, size,
		(double)s->bytes / (double)HD_MAX(s->transitions, 1), s->trustful ? "state" : "transition",
		100.0 * (double)s->subgraph_bytes / (double)HD_MAX(s->bytes, 1));
}

void plain_summary(FILE *f, const struct outcome *o)
{
	print_verdict(f, o);
	print_refused(f, o);
	print_unsynchronised(f, o);
	print_unseen(f, o);
	if (o->violations && o->unconfirmed)
		fprintf(f, "  %u further violations could not be reproduced and are not reported: %s\n",
			o->unconfirmed, o->unconfirmed_why);
	print_counts(f, o);
	plain_script(f, o);
	profile_print(f, &o->profile);
	plain_network(f, o);
	for (size_t i = 0; i < o->notes; i++)
		fprintf(f, "  note: %s\n", o->note[i]);
	if (o->suppressed)
		fprintf(f, "  %u data race%s suppressed and passed over\n", o->suppressed,
			o->suppressed == 1 ? "" : "s");
	fprintf(f, "  granularity %s: %s.\n", outcome_granularity(o), outcome_assumption(o));
}

void plain_print(FILE *f, const struct outcome *o)
{
	for (size_t i = 0; i < o->violations; i++) {
		fprintf(f, "Violation %zu: ", i + 1);
		plain_violation(f, &o->trace[i]);
		fprintf(f, "\n  replay: heddle replay %s\n\n", o->trace[i].name);
	}
	plain_summary(f, o);
}
