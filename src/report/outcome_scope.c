/*
 * outcome_scope.c: what a success leaves out, for the headline: nobody should read "Verified" and find the
 * caveat four lines below. What was not looked at, whom it takes for granted, what options have left out;
 * what is always so (docs/VERDICTS.md) is not repeated.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/outcome.h"

struct scope {
	char *out;
	size_t cap, len;
};

static void add(struct scope *s, const char *format, ...) HD_PRINTF(2, 3);
static void add(struct scope *s, const char *format, ...)
{
	va_list args;
	int n;

	if (s->len + 3 >= s->cap)
		return;
	s->len += (size_t)snprintf(s->out + s->len, s->cap - s->len, ", ");
	va_start(args, format);
	n = vsnprintf(s->out + s->len, s->cap - s->len, format, args);
	va_end(args);
	if (n > 0)
		s->len = HD_MIN(s->len + (size_t)n, s->cap - 1);
}

static void add_memory(struct scope *s, const struct outcome *o)
{
	if (o->unsynchronised_count)
		add(s, "but threads share %s%s without synchronisation that is seen",
		    o->unsynchronised[0].what, o->unsynchronised_count > 1 ? " and more" : "");
	else if (o->hooks && o->races_ignored)
		add(s, "data races ignored");
	else if (!o->hooks)
		add(s, "data races not looked at");
	else if (o->unseen_count == 1)
		add(s, "but %s was not looked into", o->unseen[0].call);
	else if (o->unseen_count)
		add(s, "but %s and %zu more were not looked into", o->unseen[0].call, o->unseen_count - 1);
	if (o->hooks && o->suppressed)
		add(s, "%u data race%s suppressed", o->suppressed, o->suppressed == 1 ? "" : "s");
}

static void add_peers(struct scope *s, const struct outcome *o)
{
	const struct outcome_net *n = &o->net;
	bool recorded = o->certified.has_trees && !o->certified.live;

	if (recorded)
		add(s, "peers as recorded by the producer");
	else if (!n->used)
		return;
	else if (!n->config.live)
		add(s, "for the recorded answers of the peers");
	else if (n->timed)
		add(s, "for what the peers were seen to answer before their time-outs");
	else
		add(s, "for what the peers were seen to answer");
	if (n->config.identical_clients)
		add(s, "clients taken as alike");
	if (!n->config.short_io)
		add(s, "messages arrive whole");
}

/* Of an option that was given twice the last counts. */
static bool is_overruled(char *const *setting)
{
	size_t n = strcspn(*setting, "=");

	for (char *const *later = setting + 1; *later; later++)
		if (!strncmp(*later, *setting, n) && ((*later)[n] == '=' || !(*later)[n]))
			return true;
	return false;
}

/* Options that leave out behaviour; the others only bound the search, and then it is not verified. */
static void add_options(struct scope *s, const struct outcome *o)
{
	static const struct {
		const char *option, *words;
	} leave_out[] = {
		{"--timeouts=never", "time-outs never expire"},
		{"--no-deadlock", "deadlocks not looked for"},
		{"--fd-numbers=thread", "descriptors numbered by thread"},
		{"--heap-reuse=never", "freed memory not handed out again at once"},
		{"--accept=always", "accepts never come too early"},
		{"--read=always", "reads never come too early"},
		{"--write=always", "sends always take all"},
		{"--connect=always", "connects succeed at once"},
	};

	for (size_t i = 0; o->setting && o->setting[i]; i++)
		for (size_t k = 0; k < HD_ARRAY_LEN(leave_out); k++)
			if (!strcmp(o->setting[i], leave_out[k].option) && !is_overruled(&o->setting[i]))
				add(s, "%s", leave_out[k].words);
	if (o->atomics && !o->atomics_on && !o->hooks)
		add(s, "no switch at atomic instructions");
}

void outcome_scope(const struct outcome *o, char *out, size_t cap)
{
	struct scope s = {out, cap, 0};

	out[0] = 0;
	if (outcome_verdict(o) != VERDICT_VERIFIED && outcome_verdict(o) != VERDICT_CERTIFIED)
		return;
	add_memory(&s, o);
	add_peers(&s, o);
	if ((o->checkpoints.counts.chose || o->checkpoints.start_matters) && o->worlds > 1)
		add(&s, "for %u behaviours of %s", o->worlds, outcome_chooser(o));
	else if (o->checkpoints.counts.chose)
		add(&s, "for one behaviour of %s per conversation", outcome_chooser(o));
	else if (o->checkpoints.start_matters)
		add(&s, "for one behaviour of %s (what it drew at its start)", outcome_chooser(o));
	add_options(&s, o);
	if (o->notes && s.len < cap)
		snprintf(out + s.len, cap - s.len, " (%zu note%s below)", o->notes, o->notes == 1 ? "" : "s");
}

void outcome_headline(const struct outcome *o, char *out, size_t cap)
{
	static const char *const words[] = {
		[VERDICT_VERIFIED] = "Verified",
		[VERDICT_VIOLATION] = "Violation",
		[VERDICT_BOUNDED] = "Not verified (bounded)",
		[VERDICT_INCOMPLETE] = "Not verified (incomplete)",
		[VERDICT_CERTIFIED] = "Certified",
		[VERDICT_DEVIATION] = "Deviation",
	};
	static const char *const certify_words[] = {
		[VERDICT_VIOLATION] = "Violation",
		[VERDICT_BOUNDED] = "Not certified (bounded)",
		[VERDICT_INCOMPLETE] = "Not certified (incomplete)",
		[VERDICT_CERTIFIED] = "Certified",
		[VERDICT_DEVIATION] = "Deviation",
	};
	char scope[768];

	outcome_scope(o, scope, sizeof(scope));
	snprintf(out, cap, "%s%s", (o->certified.on ? certify_words : words)[outcome_verdict(o)], scope);
}
